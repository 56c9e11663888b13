/** Finds out how data came into the store: imports, pulls and pushes. See docs/interface/why.md#why-5. */
import type { Origin } from '../../../contract/aggregates/why.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { type EpochMs, formatInstant } from '../../../core/time.ts'
import { sameRow } from '../../../store/chunk/columns.ts'
import type { PastImport, PulledRecord, SampleArrival } from '../../../store/history.ts'
import type { Store } from '../../../store/port.ts'
import type { StoredSummary } from '../../../store/sample.ts'
import type { UsedSample } from './samples.ts'

/** What is asked of the store. */
export interface OriginsAsked {
  readonly store: Pick<Store, 'history' | 'audit' | 'connections'>
  readonly teamId: TeamId
  readonly userId: UserId
  readonly signal: AbortSignal | undefined
  /** Only what came until this time counts. */
  readonly until: EpochMs
}

/** Lists each origin once. */
export class OriginList {
  readonly list: Origin[] = []
  private readonly positions = new Map<string, number>()

  /** Returns the position of an origin. */
  at(origin: Origin): number {
    return getOrInsert(this.positions, JSON.stringify(Object.values(origin)), () => this.list.push(origin) - 1)
  }
}

/** What is known about a piece of data. */
interface Traces {
  readonly provider: string
  /** Name of the resource or summary in events. */
  readonly name: string
  /** When the version was received; null if it is not known. */
  readonly at: EpochMs | null
  readonly eventId: string | null
  readonly importId: string | null
  readonly record: Pick<PulledRecord, 'collection' | 'recordId'> | null
}

/** Most pushes that are looked up in the audit trail. */
const MOST_PUSHES = 10_000

/** Times of the user's pushes. Those before `readFrom` are not known. */
interface Pushed {
  readonly pushes: ReadonlySet<EpochMs>
  readonly readFrom: EpochMs
}

/** Decides on the origin of data by its traces. */
class Judge {
  private readonly imports: ReadonlyMap<string, PastImport>
  private readonly pulled: ReadonlySet<string>
  private readonly live: ReadonlySet<string>
  private readonly pushed: Pushed

  private constructor(
    imports: readonly PastImport[],
    pulled: ReadonlySet<string>,
    live: ReadonlySet<string>,
    pushed: Pushed,
  ) {
    this.imports = new Map(imports.map(each => [each.importId, each]))
    this.pulled = pulled
    this.live = live
    this.pushed = pushed
  }

  /** `times` are the times at which data may have been pushed. */
  static async open({ store, teamId, userId }: OriginsAsked, times: readonly EpochMs[]): Promise<Judge> {
    const [imports, pulls, connections] = await Promise.all([
      store.history.imports(userId),
      store.history.pulls(userId),
      store.connections.ofUsers([userId]),
    ])
    const live = (connections.get(userId) ?? []).filter(({ isLive }) => isLive).map(({ provider }) => provider)
    const pushes = new Set<EpochMs>()
    let readFrom = Number.NEGATIVE_INFINITY
    if (times.length > 0) {
      const [since, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))]
      const before = { at: last + 1, entryId: '' }
      const asked = { teamId, operation: 'samples.push', since, before, limit: MOST_PUSHES }
      const entries = await store.audit.list(asked)
      for (const { at, object } of entries) if (object['user_id'] === userId) pushes.add(at)
      if (entries.length === MOST_PUSHES) readFrom = entries.at(-1)?.at ?? readFrom
    }
    return new Judge(imports, new Set(pulls.map(each => `${each.provider} ${each.resource}`)), new Set(live), {
      pushes,
      readFrom,
    })
  }

  originOf({ provider, name, at, eventId, importId, record }: Traces): Origin {
    const by = importId === null ? undefined : this.imports.get(importId)
    const base = {
      at: at === null ? null : formatInstant(at),
      import_id: importId,
      format: by?.format ?? null,
      sha256: by?.sha256 ?? null,
      provider,
      collection: record?.collection ?? null,
      record_id: record?.recordId ?? null,
      event_id: eventId,
    }
    if (importId !== null) return { kind: 'import', ...base }
    if (record !== null) return { kind: 'pull', ...base }
    if (at !== null && this.pushed.pushes.has(at)) return { kind: 'push', ...base }
    if (at !== null && at < this.pushed.readFrom) return { kind: 'unknown', ...base }
    if (!this.pulled.has(`${provider} ${name}`)) return { kind: 'unknown', ...base }
    return { kind: this.live.has(provider) ? 'pull' : 'simulated', ...base }
  }
}

/** Returns the origin of each sample, in the same order. `name` is the resource's name in event types. */
export async function sampleOrigins(
  asked: OriginsAsked,
  resource: { readonly name: string; readonly queryName: string },
  samples: readonly UsedSample[],
): Promise<readonly Origin[]> {
  if (samples.length === 0) return []
  const { store, userId, until } = asked
  const byKey = new Map<string, UsedSample[]>()
  for (const sample of samples) getOrInsert(byKey, keyOf(sample.names, sample.start), () => []).push(sample)
  const [from, to] = [
    samples.reduce((a, b) => Math.min(a, b.start), Infinity),
    samples.reduce((a, b) => Math.max(a, b.start), -Infinity),
  ]
  const range = { resource: resource.name, provider: null, from, to }
  const arrivals = new Map<UsedSample, SampleArrival>()
  const undone = (await store.history.imports(userId)).filter(({ undoneAt }) => undoneAt !== null && undoneAt <= until)
  for (let after: number | null = 0; after !== null; ) {
    const page = await store.history.samples(userId, range, after)
    for (const arrival of page.arrivals) if (arrival.at <= until) noteArrival(arrival, byKey, arrivals, undone)
    asked.signal?.throwIfAborted()
    after = page.next
  }
  const records = new Map<string, PulledRecord>()
  for (const record of await store.history.recordsOfSamples(userId, range)) {
    for (const { series, starts } of record.samples)
      for (const start of starts) records.set(keyOf(series, start), record)
  }
  const judge = await Judge.open(asked, [...new Set([...arrivals.values()].map(({ at }) => at))])
  return samples.map(sample => {
    const arrival = arrivals.get(sample)
    return judge.originOf({
      provider: sample.names.provider,
      name: resource.queryName,
      at: arrival?.at ?? null,
      eventId: arrival?.eventId ?? null,
      importId: arrival?.importId ?? null,
      record: arrival?.importId == null ? (records.get(keyOf(sample.names, sample.start)) ?? null) : null,
    })
  })
}

/**
 * Notes which samples an event reported, unless they have changed since. Later events replace earlier ones, except for those of an undo,
 * which restores what an earlier event brought.
 */
function noteArrival(
  arrival: SampleArrival,
  byKey: ReadonlyMap<string, readonly UsedSample[]>,
  found: Map<UsedSample, SampleArrival>,
  undone: readonly PastImport[],
): void {
  const { columns, series, at, isNew, importId } = arrival
  if (undone.some(each => each.importId === importId)) return
  const isRestored = importId === null && !isNew && undone.some(({ undoneAt }) => undoneAt === at)
  for (let row = 0; row < columns.n; row++) {
    for (const sample of byKey.get(keyOf(series, columns.start[row] as number)) ?? []) {
      const { stored } = sample.block
      if (!stored || !sameRow(columns, row, stored, sample.row)) continue
      if (!isRestored || !found.has(sample)) found.set(sample, arrival)
    }
  }
}

interface Named {
  readonly provider: string
  readonly sourceType: string
  readonly type: string | null
}

const keyOf = ({ provider, sourceType, type }: Named, start: EpochMs): string =>
  `${start} ${provider} ${sourceType} ${type ?? ''}`

/** Returns the origin of each stored summary, by ID. */
export async function summaryOrigins(
  asked: OriginsAsked,
  summaries: readonly StoredSummary[],
): Promise<ReadonlyMap<string, Origin>> {
  const { store, userId } = asked
  const byKind = new Map<StoredSummary['kind'], StoredSummary[]>()
  for (const summary of summaries) getOrInsert(byKind, summary.kind, () => []).push(summary)
  const imported = new Map<string, string>()
  const records = new Map<string, PulledRecord>()
  for (const [kind, some] of byKind) {
    const ids = some.map(({ id }) => id)
    for (const { importId, id, version } of await store.history.importedSummaries(userId, kind, ids))
      imported.set(`${kind} ${id} ${version}`, importId)
    for (const provider of new Set(some.map(each => each.provider))) {
      for (const record of await store.history.recordsOfSummaries(userId, provider, kind, ids))
        for (const [, id] of record.summaries) records.set(`${kind} ${id}`, record)
    }
  }
  const judge = await Judge.open(asked, [...new Set(summaries.map(({ updatedAt }) => updatedAt))])
  return new Map(
    summaries.map(({ kind, id, provider, updatedAt: at }) => {
      const importId = imported.get(`${kind} ${id} ${at}`) ?? null
      const record = importId === null ? (records.get(`${kind} ${id}`) ?? null) : null
      return [id, judge.originOf({ provider, name: kind, at, eventId: null, importId, record })]
    }),
  )
}
