/** Decides what a remap of imports writes, and removes what the imports wrote and the new mapping no longer makes. */
import { dailyUpdated } from '../../../catalogue/event-types.ts'
import { ServiceError } from '../../../core/errors.ts'
import type { UserId } from '../../../core/ids.ts'
import { type SampleColumns, SUMMARY_KINDS, type SummaryRecord, startAt } from '../../../core/sample.ts'
import type { StreamRecord } from '../../../core/stream.ts'
import type { EpochMs } from '../../../core/time.ts'
import { pickRows, rowAtOrAfter, sameRow } from '../../chunk/columns.ts'
import { eventResource } from '../events/outbox.ts'
import { IMPORTS_OF_USER, inOrder, type KeptReport, REMOVED, type StreamBefore } from '../imports/imports.ts'
import { ReplacedSamples } from '../imports/replaced-samples.ts'
import { storedJson } from '../rows/damage.ts'
import { IMPORTS, IMPORTS_BEFORE, type ImportTableRow } from '../rows/tables.ts'
import { type RemapChange, WORKOUT_STREAM, type WriteGuard } from '../samples/data-writer.ts'
import { restorable } from '../samples/mixed.ts'
import { restoreRows, type SampleRow } from '../samples/restore.ts'
import { seriesKey } from '../samples/series.ts'
import { isSameStream, putStreamRow, removeStream, streamRow } from '../samples/streams.ts'
import { isSameSummary, putSummaryRow, removeSummary, type SummaryRow, summaryRow } from '../samples/summaries.ts'
import { many, type Steps } from '../steps.ts'
import { DocumentClaims } from './document-claims.ts'
import { type Claim, type NearClaims, SampleClaims } from './sample-claims.ts'
import type { RemapTally } from './tally.ts'

/** The imports that are read again and their earlier remaps, earliest first, without those that were undone. */
function* coveredImports(userId: UserId, importIds: readonly string[]): Steps<ImportTableRow[]> {
  const rows = (yield* many(IMPORTS_OF_USER, [userId])).filter(row => row.undone_at === null)
  const found = new Set(rows.map(row => row.import_id))
  if (!importIds.every(id => found.has(id))) {
    throw new ServiceError('conflict', 'One of the imports was undone while its file was read again.', {
      suggestions: ['Run the remap again.'],
    })
  }
  const isCovered = (row: ImportTableRow): boolean => {
    if (importIds.includes(row.import_id)) return true
    const { remap } = storedJson<KeptReport>(row.report, () => IMPORTS.damageLocation(row))
    return remap?.kind === 'imports' && remap.importIds.some(id => importIds.includes(id))
  }
  return inOrder(rows.filter(isCovered))
}

export class ImportRemap implements WriteGuard {
  private readonly userId: UserId
  /** What each of the imports replaced, earliest import first. */
  private readonly replaced: readonly ReplacedSamples[]
  private readonly claims: SampleClaims
  private readonly documents: DocumentClaims
  private readonly tally: RemapTally

  private constructor(
    userId: UserId,
    read: {
      readonly imports: readonly ImportTableRow[]
      readonly claims: SampleClaims
      readonly documents: DocumentClaims
      readonly tally: RemapTally
    },
  ) {
    this.userId = userId
    this.replaced = read.imports.map(({ import_id }) => new ReplacedSamples(userId, import_id))
    this.claims = read.claims
    this.documents = read.documents
    this.tally = read.tally
  }

  /** Throws ServiceError `conflict` if one of the imports is no longer there. */
  static *open(userId: UserId, importIds: readonly string[], tally: RemapTally): Steps<ImportRemap> {
    const imports = yield* coveredImports(userId, importIds)
    const claims = yield* SampleClaims.read(userId, imports)
    const documents = yield* DocumentClaims.read(userId, imports)
    return new ImportRemap(userId, { imports, claims, documents, tally })
  }

  *rows(seriesId: number, rows: SampleColumns, present: SampleColumns | null): Steps<Uint32Array> {
    const near = yield* this.claims.near(seriesId, startAt(rows, 0), startAt(rows, rows.n - 1))
    const allowed: number[] = []
    for (let row = 0; row < rows.n; row++) {
      const start = startAt(rows, row)
      const claim = near.latest(start)
      near.made(start)
      const isOurs = claim !== null && !claim.isRemoval
      const at = present ? rowAtOrAfter(present, start) : 0
      // otherwise, someone has deleted it since
      const mayWrite =
        present && present.start[at] === start
          ? sameRow(present, at, rows, row) || isOurRow(isOurs ? claim : near.restored(start), present, at)
          : !isOurs
      if (mayWrite) allowed.push(row)
    }
    if (allowed.length < rows.n) {
      const { resource } = yield* seriesKey(this.userId, seriesId)
      this.tally.kept(resource, rows.n - allowed.length)
    }
    return Uint32Array.from(allowed)
  }

  *summary(summary: SummaryRecord): Steps<boolean> {
    const { kind, id } = summary
    const item = `${kind}/${id}`
    this.documents.noteMade('summary', item)
    const present = yield* summaryRow(this.userId, kind, id)
    const mayWrite = this.isOurs('summary', item, present) || (present && isSameSummary(present, summary)) || false
    if (!mayWrite) this.tally.kept(kind)
    return mayWrite
  }

  *stream(stream: StreamRecord): Steps<boolean> {
    const { workoutId } = stream
    this.documents.noteMade('stream', workoutId)
    const present = yield* streamRow(this.userId, workoutId)
    const mayWrite = this.isOurs('stream', workoutId, present) || (present && isSameStream(present, stream)) || false
    if (!mayWrite) this.tally.kept(WORKOUT_STREAM)
    return mayWrite
  }

  *finish(change: RemapChange): Steps<void> {
    for (const seriesId of this.claims.series) yield* this.removeSamples(seriesId, change)
    for (const { item, rev } of this.documents.unmade('summary')) yield* this.removeSummary(item, rev, change)
    for (const { item, rev } of this.documents.unmade('stream')) yield* this.removeStream(item, rev, change)
  }

  /** Returns whether a document is as the imports left it: still their version, or not there if they have not written it. */
  private isOurs(
    kind: 'summary' | 'stream',
    item: string,
    present: { readonly updated_at: EpochMs } | undefined,
  ): boolean {
    const written = this.documents.latest(kind, item)
    return present
      ? written === present.updated_at || this.documents.restored(kind, item) === present.updated_at
      : written === undefined || written === REMOVED
  }

  private *removeSamples(seriesId: number, { journal, outbox, touches, removals }: RemapChange): Steps<void> {
    const { userId, tally } = this
    const series = yield* seriesKey(userId, seriesId)
    const { resource } = series
    const formers: (SampleColumns | null)[] = []
    for (const each of this.replaced) formers.push(yield* restorable(userId, seriesId, yield* each.of(seriesId)))
    yield* this.claims.unmade(seriesId, function* (rows, near) {
      const outcome = yield* restoreRows(userId, seriesId, rows, start => findFormer(formers, near, start))
      tally.kept(resource, outcome.kept)
      const { restored } = outcome
      const back = new Set(restored.start)
      const since = new Set(outcome.superseded.start)
      const pick = (isWanted: (start: EpochMs) => boolean): SampleColumns =>
        pickRows(
          rows,
          Uint32Array.from({ length: rows.n }, (_, row) => row).filter(row => isWanted(startAt(rows, row))),
        )
      const removed = pick(start => !back.has(start) && !since.has(start))
      const changed = pick(start => back.has(start))
      if (removed.n + changed.n === 0) return
      touches.samples(resource, startAt(rows, 0), startAt(rows, rows.n - 1))
      yield* journal.removedSamples(seriesId, removed)
      if (removed.n > 0) {
        const [from, to] = [startAt(removed, 0), startAt(removed, removed.n - 1)]
        removals.samples(seriesId, series, { n: removed.n, from, to })
      }
      yield* journal.restoredSamples(seriesId, changed)
      tally.samples(series, removed, null)
      tally.samples(series, changed, restored)
      yield* outbox.samples(dailyUpdated(eventResource(resource)), { seriesId, resource }, restored)
    })
  }

  private *removeSummary(
    item: string,
    rev: number | null,
    { journal, outbox, touches, removals }: RemapChange,
  ): Steps<void> {
    const { userId, tally } = this
    const slash = item.indexOf('/')
    const [kind, id] = [SUMMARY_KINDS.find(each => each === item.slice(0, slash)), item.slice(slash + 1)]
    const present = kind && (yield* summaryRow(userId, kind, id))
    if (!kind || !present) return
    if (present.updated_at !== rev) return tally.kept(kind)
    touches.summary(kind, present)
    const former = yield* this.documents.former('summary', item)
    if (!former?.document) {
      yield* removeSummary(userId, kind, id)
      yield* journal.removedSummary(kind, present)
      removals.summary(kind, present)
      return tally.summary(kind, present, null)
    }
    const before = storedJson<SummaryRow>(former.document, () => IMPORTS_BEFORE.damageLocation(former))
    touches.summary(kind, before)
    yield* putSummaryRow(userId, kind, before)
    yield* journal.summary(kind, id, { kind: 'updated', before: present, row: before, version: before.updated_at })
    tally.summary(kind, present, before)
    const document = storedJson<Record<string, unknown>>(before.document, () => IMPORTS_BEFORE.damageLocation(former))
    yield* outbox.document(dailyUpdated(kind), { ...before, kind, document })
  }

  private *removeStream(
    workoutId: string,
    rev: number | null,
    { journal, outbox, removals }: RemapChange,
  ): Steps<void> {
    const { userId, tally } = this
    const present = yield* streamRow(userId, workoutId)
    if (!present) return
    if (present.updated_at !== rev) return tally.kept(WORKOUT_STREAM)
    const former = yield* this.documents.former('stream', workoutId)
    if (!former?.document || !former.data) {
      yield* removeStream(userId, workoutId)
      yield* journal.removedStream(present)
      removals.stream(workoutId, present)
      return tally.storedStream(present, null)
    }
    const before = storedJson<StreamBefore>(former.document, () => IMPORTS_BEFORE.damageLocation(former))
    const row = { ...before, rev: present.rev + 1, data: former.data }
    yield* putStreamRow(userId, row)
    yield* journal.stream(workoutId, { kind: 'updated', before: present, version: row.updated_at })
    tally.storedStream(present, row)
    const { provider, source_type } = row
    yield* outbox.document(dailyUpdated(WORKOUT_STREAM), { workout_id: workoutId, provider, source_type })
  }
}

/** Returns whether a stored sample is as the imports or their remaps left it. */
function isOurRow(left: Claim | null, present: SampleColumns, at: number): boolean {
  return left !== null && sameRow(left.columns, left.row, present, at)
}

/**
 * Returns the sample that the imports replaced at a start, unless one of them had written it. `formers` has what each of the imports
 * replaced, earliest import first.
 */
function findFormer(formers: readonly (SampleColumns | null)[], near: NearClaims, start: EpochMs): SampleRow | null {
  for (let claim = near.latest(start); claim; ) {
    const columns = formers[claim.order] ?? null
    const row = columns ? rowAtOrAfter(columns, start) : 0
    if (!columns || columns.start[row] !== start) return null
    const before = near.latest(start, claim.order)
    const isOwn = before && !before.isRemoval && sameRow(before.columns, before.row, columns, row)
    if (!isOwn) return { columns, row }
    claim = before
  }
  return null
}
