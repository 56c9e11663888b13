/** Stores the data pulled for one window, a few pages at a time, while the next page is being requested from the provider. */
import type { Collection, PulledPage, PullRequest } from '../../../connectors/connector.ts'
import { countKind } from '../../../connectors/live/kind-counts.ts'
import { clockAt } from '../../../core/clock.ts'
import type { CollectionProgress, LiveConnectionRecord } from '../../../store/live/connections.ts'
import type { LiveConsequence, LiveRecord, LiveWrite } from '../../../store/live/pulls.ts'
import { describePull } from '../../connections/pulls.ts'
import type { EngineContext } from '../../context.ts'
import { withinBounds } from '../../intake/ingestion.ts'
import { mappedPages } from '../mapping/mapping.ts'
import { countedSession } from './counted-session.ts'
import { GatheredPages } from './gathered-pages.ts'
import { LeaseLost } from './lease.ts'
import type { LivePerson } from './live-person.ts'
import { completedResources, type PullStep, type WindowYield } from './progress.ts'

export interface WindowPull {
  readonly collection: Collection
  readonly kind: PullStep['kind']
  readonly request: Pick<PullRequest, 'window' | 'recordId'>
  /** `none` during the history, because only its completion is announced. */
  readonly events: LiveWrite['events']
  /** Returns the progress to store with the last page, or undefined to leave the progress unchanged. */
  readonly ended: (brought: WindowYield) => CollectionProgress | undefined
  /** Ends the pull between two pages. The window is pulled again later. */
  readonly signal?: AbortSignal
}

type Progress = LiveConnectionRecord['progress']

const NOTHING: Pick<PulledPage, 'records' | 'batches'> = { records: [], batches: [] }

/** Pulls a window and stores it. Throws ProviderError, LeaseLost, the signal's reason, and any store error. */
export async function bringWindow(engine: EngineContext, person: LivePerson, pull: WindowPull): Promise<WindowYield> {
  const { collection, request } = pull
  const opened = await person.session()
  const session = countedSession(opened, person, collection.name)
  const asked = {
    userId: person.user.userId,
    collection: collection.name,
    resources: person.resources,
    timeZone: person.user.fallbackTimeZone?.value ?? null,
    now: engine.wall.now(),
    ...request,
  }
  person.raw?.begin(asked, opened.tokenSet.scopes)
  const of = { connector: person.connector, teamId: person.user.teamId }
  const pages = mappedPages(engine.mapping, of, session, asked)[Symbol.asyncIterator]()
  const sum = new PageSum(pull)
  const gathered = new GatheredPages()
  let coming = pages.next()
  try {
    for (;;) {
      const { done, value } = await coming
      if (done) break
      person.lease.signal.throwIfAborted()
      pull.signal?.throwIfAborted()
      sum.add(value)
      const isCrowded = GatheredPages.isCrowded
      if (!isCrowded) coming = pages.next()
      // the next page is awaited in the next iteration, even if storing fails
      coming.catch(() => {})
      if (gathered.isFull) await bring(engine, person, pull, gathered.take())
      gathered.add(value)
      if (!isCrowded) continue
      await bring(engine, person, pull, gathered.take())
      gathered.release()
      coming = pages.next()
      coming.catch(() => {})
    }
    const brought = sum.total()
    await bring(engine, person, pull, gathered.take(), pull.ended(brought))
    return brought
  } catch (error) {
    await Promise.allSettled([coming, pages.return?.()])
    throw error
  } finally {
    person.raw?.end()
    gathered.release()
  }
}

/** Stores progress or raw responses without any data. */
export async function bringNothing(
  engine: EngineContext,
  person: LivePerson,
  pull: Omit<WindowPull, 'ended'>,
  progress?: CollectionProgress,
): Promise<void> {
  await bring(engine, person, pull, NOTHING, progress)
}

/** Removes records that no longer exist at the provider. */
export async function bringDeleted(
  engine: EngineContext,
  person: LivePerson,
  pull: Omit<WindowPull, 'ended'>,
  ids: readonly string[],
): Promise<void> {
  const records = ids.map(id => ({ id, version: '', batches: [], summaries: [], streams: [], isDeleted: true }))
  await bring(engine, person, pull, { ...NOTHING, records })
}

async function bring(
  engine: EngineContext,
  person: LivePerson,
  { collection, kind, request, events }: Omit<WindowPull, 'ended'>,
  page: Pick<PulledPage, 'records' | 'batches'>,
  progress?: CollectionProgress,
): Promise<void> {
  const { lease, user, resources, raw } = person
  const { provider } = person.connector
  const { from, to } = request.window
  const asked = collection.resources.filter(each => resources.includes(each))
  const { pull } = describePull(engine, { user, provider, kind, from, to, resources: asked })
  const outcome = await engine.store.live.pulls.bring(
    { userId: user.userId, provider },
    {
      holder: lease.holder,
      teamId: user.teamId,
      at: clockAt(await engine.store.clock.read(), engine.time.now()),
      realNow: engine.wall.now(),
      collection: collection.name,
      records: page.records.map((record): LiveRecord => ({ ...record, ...withinBounds(user, record).data })),
      batches: withinBounds(user, { batches: page.batches, summaries: [], streams: [] }).data.batches,
      ...(progress ? { progress, follows: stored => followsFrom(person, stored) } : {}),
      events,
      pull,
      raw: raw?.take() ?? [],
    },
  )
  if (outcome.kind === 'lost') throw new LeaseLost()
  if (progress) person.progress.set(collection.name, progress)
}

/** Returns the consequences of stored progress. A collection from a newer connector may not be stored yet. */
function followsFrom({ progress, collections, resources }: LivePerson, stored: Progress): LiveConsequence {
  const states = new Map([...progress].map(([name, state]) => [name, stored[name] ?? state]))
  const completed = completedResources(collections, Object.fromEntries(states), resources)
  return { dueAt: earliestDue(states), completed }
}

/** Returns when the connection is next due, or null if it never is. */
export function earliestDue(progress: ReadonlyMap<string, CollectionProgress>): number | null {
  const times = [...progress.values()].map(({ dueAt }) => dueAt)
  return times.length === 0 ? null : Math.min(...times)
}

/** Adds up the contents of a window's pages. */
class PageSum {
  private received = 0
  private readonly unmapped = new Map<string, number>()
  private readonly pull: WindowPull

  constructor(pull: WindowPull) {
    this.pull = pull
  }

  add({ records, batches, unmapped }: PulledPage): void {
    this.received += records.length + batches.reduce((sum, { n }) => sum + n, 0)
    for (const [kind, count] of Object.entries(unmapped)) countKind(this.unmapped, kind, count)
  }

  total(): WindowYield {
    const { kind, request } = this.pull
    return { window: request.window, kind, received: this.received, unmapped: Object.fromEntries(this.unmapped) }
  }
}
