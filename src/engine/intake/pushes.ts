/** Stores the samples that an application pushes: checks all of them, then stores all or none in one step. See docs/samples.md. */

import type { ProviderRegistry } from '../../catalogue/providers.ts'
import { resourceNamed } from '../../catalogue/resources.ts'
import type { Item, ItemIssue } from '../../connectors/files/items/item.ts'
import { pushReading, sourceProblem } from '../../connectors/files/items/source.ts'
import { itemTimeProblem } from '../../connectors/files/items/times.ts'
import type { JsonReply, ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { invalid, ServiceError, type ValidationIssue } from '../../core/errors.ts'
import { getOrInsert } from '../../core/maps.ts'
import { type SampleBatch, SampleBatchBuilder, type SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import type { EpochMs } from '../../core/time.ts'
import { TimeSlice } from '../../core/time-slice.ts'
import type { DataWrite, SpooledData } from '../../store/data-write.ts'
import type { UserRecord } from '../../store/user.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { activeUser } from '../users/users.ts'
import { countImplausible } from './implausible-counts.ts'
import { connectionsOfData, copyCounts, withinBounds } from './ingestion.ts'
import { documentChecker } from './pushed-document.ts'
import { type PushedItem, pushedItems } from './pushed-items.ts'

/** Maximum number of positions listed in an error. If a program makes the same mistake 100,000 times, a few positions are enough. */
const MOST_ISSUES = 20
/** Number of items read between two checks of the clock. */
const ITEMS_A_LOOK = 16

export const pushSamples: Handler<'samples.push'> = async (engine, { params, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  return storePushed(engine, user, await pushedItems(body, call.signal), call)
}

/** Stores items in the same way as a push: all or none. Throws ServiceError 422 with the positions of all errors. */
export async function storePushed(
  engine: EngineContext,
  user: UserRecord,
  items: readonly PushedItem[],
  call: TeamCall,
): Promise<JsonReply<ReplyBody<Operations['samples.push']>>> {
  const pushed = await readPush(engine, items, user, call)
  const { data, dropped } = withinBounds(user, pushed.data)
  const write: DataWrite = {
    at: call.now,
    teamId: user.teamId,
    ...data,
    events: { kind: 'daily' },
    importing: null,
    connections: connectionsOfData(user, listProviders(data), call.now),
    consumeToken: null,
  }
  return call.settle(
    () => engine.store.data.write(user.userId, write),
    outcome => {
      if (outcome.kind !== 'written') throw new Error('a push must not consume a token')
      const { stored, summaries, streams } = outcome.report
      const implausible = new Map<string, number>()
      countImplausible(data.batches, implausible)
      return ok({
        user_id: user.userId,
        samples: pushed.samples,
        stored: copyCounts(stored),
        summaries: copyCounts(summaries),
        streams: { ...streams },
        implausible: Object.fromEntries(implausible),
        dropped,
        truncated: pushed.truncated,
      })
    },
  )
}

interface Push {
  readonly data: SpooledData
  readonly samples: number
  readonly truncated: number
}

/** Reads the items. Throws ServiceError 422 with the positions of the errors, up to a limit, but without values. */
async function readPush(
  { providers }: EngineContext,
  items: readonly PushedItem[],
  user: UserRecord,
  call: TeamCall,
): Promise<Push> {
  const { parseItem } = await import('../../connectors/files/items/parser.ts')
  const reading = pushReading(user.userId, user.fallbackTimeZone?.value ?? null, { provider: null, sourceType: null })
  const checkDocument = documentChecker(user.userId, call.compatibilityDate)
  const held = new HeldItems()
  const issues: ValidationIssue[] = []
  const slice = new TimeSlice()
  for (const [i, { value, loc }] of items.entries()) {
    if (i % ITEMS_A_LOOK === 0 && slice.isOver) {
      await slice.rest()
      if (call.signal?.aborted) throw new ServiceError('cancelled', 'Cancelled; nothing was stored.')
    }
    const item = parseItem(value, reading)
    const wrong = item.kind === 'wrong' ? [...item.issues] : findProblems(item, call.now, providers)
    if (item.kind === 'summary') wrong.push(...checkDocument(item.summary))
    if (wrong.length > 0 || item.kind === 'wrong') {
      issues.push(...wrong.map(({ path, msg, type }) => ({ loc: [...loc, ...path], msg, type })))
      if (issues.length >= MOST_ISSUES) break
    } else held.add(item)
  }
  if (issues.length > 0) throw invalid(issues.slice(0, MOST_ISSUES), 'invalid_request', ['Nothing was stored.'])
  return held.take()
}

/** Returns the error in an item that was read: an unknown source, a time out of range, or a value that is not a number after conversion. */
function findProblems(item: Item, now: EpochMs, providers: ProviderRegistry): ItemIssue[] {
  const issues: ItemIssue[] = []
  const source = sourceProblem(item, providers)
  if (source !== undefined) issues.push({ path: [source.field], msg: source.allowed, type: 'value_error' })
  const time = itemTimeProblem(item, now)
  if (time !== undefined) issues.push({ path: [time.field], msg: time.problem, type: 'value_error' })
  if (item.kind === 'sample' && ![item.sample.value, item.sample.second ?? 0].every(Number.isFinite)) {
    issues.push({ path: ['value'], msg: 'must be a finite number in the unit of the resource', type: 'finite_number' })
  }
  return issues
}

/** Collects items for one write, with samples grouped by series. */
class HeldItems {
  private readonly builders = new Map<string, SampleBatchBuilder>()
  private readonly summaries: SummaryRecord[] = []
  private readonly streams: StreamRecord[] = []
  private samples = 0
  private truncated = 0

  add(item: Item): void {
    if (item.kind === 'summary') this.summaries.push(item.summary)
    else if (item.kind === 'stream') this.streams.push(item.stream)
    else {
      const { series, sample } = item
      const key = JSON.stringify([series.resource, series.type, series.provider, series.sourceType])
      const builder = getOrInsert(this.builders, key, () => new SampleBatchBuilder(series))
      // an instantaneous sample has no end time, as in an import
      const end = resourceNamed(series.resource)?.kind === 'interval' ? (sample.end ?? sample.start) : sample.start
      builder.push({ ...sample, end })
      this.samples++
      if (item.truncated) this.truncated++
    }
  }

  take(): Push {
    const batches = [...this.builders.values()].map(builder => builder.take())
    return {
      data: { batches, summaries: this.summaries, streams: this.streams },
      samples: this.samples,
      truncated: this.truncated,
    }
  }
}

function listProviders({ batches, summaries, streams }: SpooledData): string[] {
  const named = (batch: SampleBatch): string[] => (batch.n > 0 ? [batch.series.provider] : [])
  return [...new Set([...batches.flatMap(named), ...[...summaries, ...streams].map(each => each.provider)])].sort()
}
