/** Stores what a pull of one window brings, a few pages at a time, while the provider is asked for the next page. */
import type { Collection, PulledPage, PullRequest } from '../../../connectors/connector.ts'
import { clockAt } from '../../../core/clock.ts'
import type { CollectionProgress } from '../../../store/live/connections.ts'
import type { LiveRecord, LiveWrite } from '../../../store/live/pulls.ts'
import { pullOf } from '../../connections/pulls.ts'
import type { EngineContext } from '../../context.ts'
import { withinBounds } from '../../intake/ingestion.ts'
import { GatheredPages } from './gathered-pages.ts'
import { LeaseLost } from './lease.ts'
import type { LivePerson } from './live-person.ts'
import type { CompletedResource, Step, WindowYield } from './progress.ts'

/** What is stored with the last page. */
export interface WindowEnd {
  readonly progress?: CollectionProgress | undefined
  readonly completed: readonly CompletedResource[]
}

export interface WindowPull {
  readonly collection: Collection
  readonly kind: Step['kind']
  readonly request: Pick<PullRequest, 'window' | 'recordId'>
  /** `none` while the history is pulled: its end is announced instead. */
  readonly events: LiveWrite['events']
  /** Returns what is stored with the last page. */
  readonly ended: (brought: WindowYield) => WindowEnd
}

const NOTHING: Pick<PulledPage, 'records' | 'batches'> = { records: [], batches: [] }

/** Pulls a window and stores it. Throws ProviderError, LeaseLost, the signal's reason, and what the store throws. */
export async function bringWindow(engine: EngineContext, person: LivePerson, pull: WindowPull): Promise<WindowYield> {
  const { collection, request } = pull
  const session = await person.session()
  person.working = collection.name
  const pages = person.connector
    .pull(session, {
      userId: person.user.userId,
      collection: collection.name,
      resources: person.resources,
      timeZone: person.user.fallbackTimeZone?.value ?? null,
      now: engine.wall.now(),
      ...request,
    })
    [Symbol.asyncIterator]()
  const sum = new PageSum(pull)
  const gathered = new GatheredPages()
  let coming = pages.next()
  try {
    for (;;) {
      const { done, value } = await coming
      if (done) break
      person.lease.signal.throwIfAborted()
      sum.add(value)
      coming = pages.next()
      // it is awaited in the next turn, also if storing fails
      coming.catch(() => {})
      if (gathered.isFull) await bring(engine, person, pull, gathered.take())
      gathered.add(value)
    }
  } catch (error) {
    await Promise.allSettled([coming, pages.return?.()])
    throw error
  }
  const brought = sum.total()
  await bring(engine, person, pull, gathered.take(), pull.ended(brought))
  return brought
}

/** Stores progress, or answers to keep, without data. */
export async function bringNothing(
  engine: EngineContext,
  person: LivePerson,
  pull: Omit<WindowPull, 'ended'>,
  end?: WindowEnd,
): Promise<void> {
  await bring(engine, person, pull, NOTHING, end)
}

/** Removes records that the provider no longer has. */
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
  { lease, user, resources, raw, progress, announced, connector }: LivePerson,
  { collection, kind, request, events }: Omit<WindowPull, 'ended'>,
  page: Pick<PulledPage, 'records' | 'batches'>,
  end?: WindowEnd,
): Promise<void> {
  const { provider } = connector
  const { from, to } = request.window
  const asked = collection.resources.filter(each => resources.includes(each))
  const { pull } = pullOf(engine, { user, provider, kind, from, to, resources: asked })
  const after = end?.progress && new Map(progress).set(collection.name, end.progress)
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
      ...(end?.progress && after ? { progress: end.progress, dueAt: nextDueOf(after) } : {}),
      events,
      completed: end?.completed ?? [],
      pull,
      raw: raw?.take() ?? [],
    },
  )
  if (outcome.kind === 'lost') throw new LeaseLost()
  if (end?.progress) progress.set(collection.name, end.progress)
  for (const { resource } of end?.completed ?? []) announced.add(resource)
}

/** Returns when something of a connection is due next; null: nothing is. */
export function nextDueOf(progress: ReadonlyMap<string, CollectionProgress>): number | null {
  const times = [...progress.values()].map(({ dueAt }) => dueAt)
  return times.length === 0 ? null : Math.min(...times)
}

/** Adds up what the pages of a window bring. */
class PageSum {
  private received = 0
  private readonly unmapped: Record<string, number> = {}
  private readonly pull: WindowPull

  constructor(pull: WindowPull) {
    this.pull = pull
  }

  add({ records, batches, unmapped }: PulledPage): void {
    this.received += records.length + batches.reduce((sum, { n }) => sum + n, 0)
    for (const [kind, count] of Object.entries(unmapped)) this.unmapped[kind] = (this.unmapped[kind] ?? 0) + count
  }

  total(): WindowYield {
    const { kind, request } = this.pull
    return { window: request.window, kind, received: this.received, unmapped: this.unmapped }
  }
}
