/** Undoes the removals of a remap: puts data back where there is nothing else, and records' states that are still those of the remap. */
import { dailyUpdated } from '../../../catalogue/event-types.ts'
import { type SampleColumns, startAt } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { pickRows, rowAtOrAfter } from '../../chunk/columns.ts'
import { eventResource } from '../events/outbox.ts'
import { type Brought, broughtColumns, broughtIn } from '../live/brought.ts'
import { addStarts, withoutStarts } from '../live/removal.ts'
import { storedJson, unpackSamples } from '../rows/damage.ts'
import { IMPORTS_BEFORE, type ImportBeforeRow, LIVE_RECORDS } from '../rows/tables.ts'
import { WORKOUT_STREAM } from '../samples/data-writer.ts'
import { restorable } from '../samples/mixed.ts'
import { seriesByNumber } from '../samples/series.ts'
import { putStreamRow, streamRow } from '../samples/streams.ts'
import { putSummaryRow, type SummaryRow, summaryRow } from '../samples/summaries.ts'
import { type RowGuard, writeSeries } from '../samples/writer.ts'
import { one, type Steps } from '../steps.ts'
import { beforeRows, REMOVED, type RecordBefore, type StreamBefore } from './imports.ts'
import { splitItem } from './items.ts'
import type { Undoing } from './undoing.ts'

const FIND_RECORD = LIVE_RECORDS.query('WHERE user_id=? AND provider=? AND collection=? AND record_id=?')

/** Data of records that have changed or disappeared since the remap. It must not come back, because no record contains it. */
interface Lost {
  readonly starts: Map<number, Set<EpochMs>>
  readonly documents: Set<string>
}

/** Puts back what the remap removed. Nothing happens for other imports, which remove nothing. */
export function* undoRemovals(undoing: Undoing, importId: string): Steps<void> {
  const lost = yield* restoreRecords(undoing, importId)
  for (let rows = yield* beforeRows(undoing.userId, importId); rows.length > 0; ) {
    for (const row of rows) {
      if (row.rev !== REMOVED) continue
      if (row.kind === 'samples') yield* putBackSamples(undoing, row, lost)
      else if (!lost.documents.has(`${row.kind} ${row.item}`)) {
        if (row.kind === 'summary') yield* putBackSummary(undoing, row)
        if (row.kind === 'stream') yield* putBackStream(undoing, row)
      }
    }
    rows = yield* beforeRows(undoing.userId, importId, rows.at(-1))
  }
}

/** Restores the states of a provider's records. Returns the data of those that have changed since. */
function* restoreRecords({ userId }: Undoing, importId: string): Steps<Lost> {
  const lost: Lost = { starts: new Map(), documents: new Set() }
  const held: Brought[] = []
  for (let rows = yield* beforeRows(userId, importId); rows.length > 0; ) {
    for (const row of rows) {
      if (row.kind !== 'record' || row.document === null) continue
      const was = storedJson<RecordBefore>(row.document, () => IMPORTS_BEFORE.damageLocation(row))
      const present = yield* one(FIND_RECORD, [userId, was.provider, was.collection, was.record_id])
      const former = { user_id: userId, first_at: null, last_at: null, ...was }
      const brought = broughtIn(former)
      if (present?.version === was.version) {
        held.push(brought)
        yield* LIVE_RECORDS.replace({ ...former, ...broughtColumns(brought) })
      } else {
        addStarts(lost.starts, brought.samples)
        for (const name of documentNames(brought)) lost.documents.add(name)
      }
    }
    rows = yield* beforeRows(userId, importId, rows.at(-1))
  }
  for (const brought of held) {
    withoutStarts(lost.starts, brought.samples)
    for (const name of documentNames(brought)) lost.documents.delete(name)
  }
  return lost
}

function documentNames({ summaries, streams }: Brought): string[] {
  return [...summaries.map(([kind, id]) => `summary ${kind}/${id}`), ...streams.map(id => `stream ${id}`)]
}

/** Writes only samples whose start is free. */
const WHERE_FREE: RowGuard = {
  *rows(_seriesId: number, rows: SampleColumns, present: SampleColumns | null) {
    const all = Uint32Array.from({ length: rows.n }, (_, row) => row)
    if (!present) return all
    return all.filter(row => {
      const start = startAt(rows, row)
      return present.start[rowAtOrAfter(present, start)] !== start
    })
  },
}

function* putBackSamples(undoing: Undoing, row: ImportBeforeRow, lost: Lost): Steps<void> {
  const { userId, counts, outbox, touches, successors } = undoing
  if (!row.data) return
  const seriesId = Number(row.item)
  const gone = lost.starts.get(seriesId)
  const removed = unpackSamples(row.data, () => IMPORTS_BEFORE.damageLocation(row))
  const wanted = Uint32Array.from({ length: removed.n }, (_, at) => at).filter(at => !gone?.has(startAt(removed, at)))
  const rows = wanted.length === 0 ? null : yield* restorable(userId, seriesId, pickRows(removed, wanted))
  if (!rows) return
  const { key: series, origin } = yield* seriesByNumber(userId, seriesId)
  const { created } = yield* writeSeries(userId, { seriesId, isNew: false }, { ...rows, series, origin }, WHERE_FREE)
  counts.add('restored', series.resource, created.n)
  counts.add('kept', series.resource, rows.n - created.n)
  const back = new Set(created.start)
  const taken = Uint32Array.from({ length: rows.n }, (_, at) => at).filter(at => !back.has(startAt(rows, at)))
  if (taken.length > 0) yield* successors.removedSamples(seriesId, pickRows(rows, taken))
  if (created.n === 0) return
  touches.samples(series.resource, startAt(created, 0), startAt(created, created.n - 1))
  yield* outbox.samples(dailyUpdated(eventResource(series.resource)), { seriesId, resource: series.resource }, created)
}

function* putBackSummary({ userId, counts, outbox, touches, successors }: Undoing, row: ImportBeforeRow): Steps<void> {
  if (row.document === null) return
  const [kind, id] = splitItem(row)
  if (yield* summaryRow(userId, kind, id)) {
    counts.add('kept', kind, 1)
    return yield* successors.removedDocument('summary', row.item, row)
  }
  const before = storedJson<SummaryRow>(row.document, () => IMPORTS_BEFORE.damageLocation(row))
  touches.summary(kind, before)
  yield* putSummaryRow(userId, kind, before)
  counts.add('restored', kind, 1)
  const document = storedJson<Record<string, unknown>>(before.document, () => IMPORTS_BEFORE.damageLocation(row))
  yield* outbox.document(dailyUpdated(kind), { ...before, kind, document })
}

function* putBackStream({ userId, counts, outbox, successors }: Undoing, row: ImportBeforeRow): Steps<void> {
  if (row.document === null || !row.data) return
  if (yield* streamRow(userId, row.item)) {
    counts.add('kept', WORKOUT_STREAM, 1)
    return yield* successors.removedDocument('stream', row.item, row)
  }
  const before = storedJson<StreamBefore>(row.document, () => IMPORTS_BEFORE.damageLocation(row))
  yield* putStreamRow(userId, { ...before, rev: before.rev + 1, data: row.data })
  counts.add('restored', WORKOUT_STREAM, 1)
  const { provider, source_type } = before
  yield* outbox.document(dailyUpdated(WORKOUT_STREAM), { workout_id: row.item, provider, source_type })
}
