/**
 * Decides what a remap of a live provider writes, and removes what its records no longer contain. A record's state lists the data that came
 * from it, but not the values. So a sample counts as changed since if it was deleted, or if an import replaced it and that value still
 * stands.
 */
import { ServiceError } from '../../../core/errors.ts'
import type { UserId } from '../../../core/ids.ts'
import { type SampleColumns, SUMMARY_KINDS, type SummaryRecord, startAt } from '../../../core/sample.ts'
import type { StreamRecord } from '../../../core/stream.ts'
import type { EpochMs } from '../../../core/time.ts'
import { joinColumns, pickRows, rowAtOrAfter, sameRow } from '../../chunk/columns.ts'
import type { RemappedRecord } from '../../live/remapped-record.ts'
import { IMPORTS_OF_USER, inOrder, type KeptReport } from '../imports/imports.ts'
import { type Brought, broughtColumns, broughtIn, type StartsBySeries } from '../live/brought.ts'
import { addStarts, keptElsewhere, withoutStarts } from '../live/removal.ts'
import { storedJson } from '../rows/damage.ts'
import { IMPORTS, LIVE_RECORDS, type LiveRecordRow } from '../rows/tables.ts'
import { WholeChunks } from '../samples/chunks.ts'
import { type RemapChange, WORKOUT_STREAM, type WriteGuard } from '../samples/data-writer.ts'
import { restoreRows } from '../samples/restore.ts'
import { everySeries, internSeries, seriesKey } from '../samples/series.ts'
import { removeStream, streamRow } from '../samples/streams.ts'
import { removeSummary, summaryRow } from '../samples/summaries.ts'
import { many, type Steps } from '../steps.ts'
import { DocumentClaims } from './document-claims.ts'
import { SampleClaims } from './sample-claims.ts'
import type { RemapTally } from './tally.ts'

const FIND_RECORDS = LIVE_RECORDS.query(
  dialect => `WHERE user_id=? AND provider=? AND collection=? AND record_id IN (${dialect.listed})`,
)
/** Number of records whose state is read at once. */
const RECORDS_AT_ONCE = 500

/** A record's stored state, and what today's mapping makes of it. */
interface Remapped {
  readonly former: LiveRecordRow
  readonly before: Brought
  readonly now: Brought
}

interface Read {
  readonly records: readonly Remapped[]
  readonly claims: SampleClaims
  readonly documents: DocumentClaims
  readonly tally: RemapTally
}

export class LiveRemap implements WriteGuard {
  /** Starts that the records contained before. */
  private readonly before = new Map<number, Set<EpochMs>>()
  private readonly documentsBefore: ReadonlySet<string>
  private readonly userId: UserId
  private readonly provider: string
  private readonly read: Read

  private constructor(userId: UserId, provider: string, read: Read) {
    this.userId = userId
    this.provider = provider
    this.read = read
    for (const { before } of read.records) addStarts(this.before, before.samples)
    this.documentsBefore = new Set(read.records.flatMap(({ before }) => documentNames(before)))
  }

  /** Throws ServiceError `conflict` if one of the records has changed since it was read. */
  static *open(
    userId: UserId,
    { provider, records }: { readonly provider: string; readonly records: readonly RemappedRecord[] },
    tally: RemapTally,
  ): Steps<LiveRemap> {
    const remapped = yield* formerStates(userId, provider, records)
    const numbers = new Set(
      (yield* everySeries(userId)).filter(({ key }) => key.provider === provider).map(({ id }) => id),
    )
    const all = yield* many(IMPORTS_OF_USER, [userId])
    const others = all.filter(row => {
      if (row.undone_at !== null) return false
      const { remap } = storedJson<KeptReport>(row.report, () => IMPORTS.damageLocation(row))
      return remap?.kind !== 'provider' || remap.provider !== provider
    })
    const imports = inOrder(others)
    const claims = yield* SampleClaims.read(userId, imports, seriesId => numbers.has(seriesId))
    const documents = yield* DocumentClaims.read(userId, imports)
    return new LiveRemap(userId, provider, { records: remapped, claims, documents, tally })
  }

  *rows(seriesId: number, rows: SampleColumns, present: SampleColumns | null): Steps<Uint32Array> {
    const { claims, tally } = this.read
    const near = yield* claims.near(seriesId, startAt(rows, 0), startAt(rows, rows.n - 1))
    const allowed: number[] = []
    for (let row = 0; row < rows.n; row++) {
      const start = startAt(rows, row)
      const at = present ? rowAtOrAfter(present, start) : 0
      const claim = near.latest(start)
      const mayWrite =
        present && present.start[at] === start
          ? sameRow(present, at, rows, row) || !claim?.hasReplaced || !sameRow(claim.columns, claim.row, present, at)
          : this.before.get(seriesId)?.has(start) !== true
      if (mayWrite) allowed.push(row)
    }
    if (allowed.length < rows.n) tally.kept((yield* seriesKey(this.userId, seriesId)).resource, rows.n - allowed.length)
    return Uint32Array.from(allowed)
  }

  *summary({ kind, id }: SummaryRecord): Steps<boolean> {
    const mayWrite = this.mayWrite('summary', `${kind}/${id}`, yield* summaryRow(this.userId, kind, id))
    if (!mayWrite) this.read.tally.kept(kind)
    return mayWrite
  }

  *stream({ workoutId }: StreamRecord): Steps<boolean> {
    const mayWrite = this.mayWrite('stream', workoutId, yield* streamRow(this.userId, workoutId))
    if (!mayWrite) this.read.tally.kept(WORKOUT_STREAM)
    return mayWrite
  }

  *finish(change: RemapChange): Steps<void> {
    const { userId, provider } = this
    const { records } = this.read
    const gone = new Map<number, Set<EpochMs>>()
    addStarts(gone, this.before)
    for (const { now } of records) withoutStarts(gone, now.samples)
    const handled = new Set(records.map(({ former }) => recordName(former)))
    yield* keptElsewhere({ userId, provider }, gone, row => handled.has(recordName(row)))
    for (const [seriesId, starts] of gone) if (starts.size > 0) yield* this.removeSamples(seriesId, starts, change)
    const kept = new Set(records.flatMap(({ now }) => documentNames(now)))
    for (const name of this.documentsBefore) if (!kept.has(name)) yield* this.removeDocument(name, change)
    for (const { former, now } of records) {
      const { brought, ...times } = broughtColumns(now)
      if (brought === former.brought) continue
      yield* change.journal.record(former)
      yield* LIVE_RECORDS.replace({ ...former, ...times, brought })
    }
  }

  /** Returns whether a document was neither deleted nor replaced by an import since the records were pulled. */
  private mayWrite(
    kind: 'summary' | 'stream',
    item: string,
    present: { readonly updated_at: EpochMs } | undefined,
  ): boolean {
    if (!present) return !this.documentsBefore.has(`${kind} ${item}`)
    const { documents } = this.read
    return documents.latest(kind, item) !== present.updated_at || !documents.hasReplaced(kind, item)
  }

  private *removeSamples(seriesId: number, some: ReadonlySet<EpochMs>, change: RemapChange): Steps<void> {
    const { journal, touches, removals } = change
    const { userId } = this
    const { claims, tally } = this.read
    const series = yield* seriesKey(userId, seriesId)
    const present = yield* samplesAt(userId, seriesId, some)
    if (present.n === 0) return
    const near = yield* claims.near(seriesId, startAt(present, 0), startAt(present, present.n - 1))
    const rows = Uint32Array.from({ length: present.n }, (_, row) => row).filter(row => {
      const claim = near.latest(startAt(present, row))
      return !claim?.hasReplaced || !sameRow(claim.columns, claim.row, present, row)
    })
    tally.kept(series.resource, present.n - rows.length)
    if (rows.length === 0) return
    const removed = pickRows(present, rows)
    yield* restoreRows(userId, seriesId, removed, () => null)
    const [from, to] = [startAt(removed, 0), startAt(removed, removed.n - 1)]
    touches.samples(series.resource, from, to)
    removals.samples(seriesId, series, { n: removed.n, from, to })
    yield* journal.removedSamples(seriesId, removed)
    tally.samples(series, removed, null)
  }

  private *removeDocument(name: string, { journal, touches, removals }: RemapChange): Steps<void> {
    const { userId } = this
    const { tally } = this.read
    const space = name.indexOf(' ')
    const [of, item] = [name.slice(0, space), name.slice(space + 1)]
    if (of === 'stream') {
      const stream = yield* streamRow(userId, item)
      if (!stream) return
      if (!this.mayWrite('stream', item, stream)) return tally.kept(WORKOUT_STREAM)
      yield* removeStream(userId, item)
      yield* journal.removedStream(stream)
      removals.stream(item, stream)
      return tally.storedStream(stream, null)
    }
    const slash = item.indexOf('/')
    const kind = SUMMARY_KINDS.find(each => each === item.slice(0, slash))
    const summary = kind && (yield* summaryRow(userId, kind, item.slice(slash + 1)))
    if (!kind || !summary) return
    if (!this.mayWrite('summary', item, summary)) return tally.kept(kind)
    touches.summary(kind, summary)
    yield* removeSummary(userId, kind, summary.id)
    yield* journal.removedSummary(kind, summary)
    removals.summary(kind, summary)
    tally.summary(kind, summary, null)
  }
}

/** Returns the stored states of records, with what the new mapping makes of each. */
function* formerStates(userId: UserId, provider: string, records: readonly RemappedRecord[]): Steps<Remapped[]> {
  const found: Remapped[] = []
  const numbers = new Map<string, number>()
  for (const collection of new Set(records.map(each => each.collection))) {
    const some = records.filter(each => each.collection === collection)
    for (let from = 0; from < some.length; from += RECORDS_AT_ONCE) {
      const part = some.slice(from, from + RECORDS_AT_ONCE)
      const ids = JSON.stringify(part.map(({ id }) => id))
      const rows = yield* many(FIND_RECORDS, [userId, provider, collection, ids])
      const known = new Map(rows.map(row => [row.record_id, row]))
      for (const record of part) {
        const former = known.get(record.id)
        if (!former || former.version !== record.version) throw changedMeanwhile()
        found.push({ former, before: broughtIn(former), now: yield* broughtNow(userId, record, numbers) })
      }
    }
  }
  return found
}

function* broughtNow(userId: UserId, record: RemappedRecord, numbers: Map<string, number>): Steps<Brought> {
  const samples = new Map<number, EpochMs[]>()
  for (const { series, origin, starts } of record.samples) {
    const name = JSON.stringify([series, origin])
    const number = numbers.get(name) ?? (yield* internSeries(userId, series, origin))
    numbers.set(name, number)
    const known = new Set(samples.get(number))
    for (const start of starts) known.add(start)
    samples.set(
      number,
      [...known].sort((a, b) => a - b),
    )
  }
  return { samples: samples satisfies StartsBySeries, summaries: record.summaries, streams: record.streams }
}

/** Returns the samples of a series that have one of these starts, in ascending order. */
function* samplesAt(userId: UserId, seriesId: number, some: ReadonlySet<EpochMs>): Steps<SampleColumns> {
  const starts = Float64Array.from(some).sort()
  const chunks = new WholeChunks(userId, seriesId)
  const parts: SampleColumns[] = []
  for (const at of yield* chunks.starts(starts[0] ?? 0, starts.at(-1) ?? 0)) {
    const { columns } = yield* chunks.listed(at)
    const rows = Uint32Array.from({ length: columns.n }, (_, row) => row).filter(row => some.has(startAt(columns, row)))
    if (rows.length > 0) parts.push(pickRows(columns, rows))
  }
  return joinColumns(parts)
}

function documentNames({ summaries, streams }: Brought): string[] {
  return [...summaries.map(([kind, id]) => `summary ${kind}/${id}`), ...streams.map(id => `stream ${id}`)]
}

function recordName({ collection, record_id }: Pick<LiveRecordRow, 'collection' | 'record_id'>): string {
  return JSON.stringify([collection, record_id])
}

function changedMeanwhile(): ServiceError {
  return new ServiceError('conflict', 'A record of the provider changed while it was read again.', {
    suggestions: ['Run the remap again.'],
  })
}
