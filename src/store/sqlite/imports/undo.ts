/** Undoes an import: what it brought is removed, what it replaced is restored, and what has been changed since stays. */
import { dailyUpdated } from '../../../catalogue/event-types.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { UndoOutcome } from '../../data-write.ts'
import { damaged, storedJson } from '../checksums/damage.ts'
import {
  CONNECTIONS,
  IMPORTS,
  IMPORTS_BEFORE,
  type ImportBeforeRow,
  OUTBOX,
  SUMMARIES,
  USERS,
} from '../checksums/tables.ts'
import type { Connection, SqlValue } from '../connection.ts'
import { Touches } from '../continuous/touches.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { releaseEvents } from '../events/retention.ts'
import { WORKOUT_STREAM } from '../samples/data-writer.ts'
import { everySeries } from '../samples/series.ts'
import { putStreamRow, streamIds, streamRow } from '../samples/streams.ts'
import { putSummaryRow, type SummaryRow, summaryRow } from '../samples/summaries.ts'
import { beforeRows, type StreamBefore } from './imports.ts'
import { Successors } from './succession.ts'
import { undoSamples } from './undo-samples.ts'
import { type ImportRow, UndoCounts, type Undoing } from './undoing.ts'

/** Undoes an import. Events say what was restored; there is none for what was removed. */
export function undoImport(db: Connection, userId: UserId, importId: string, at: EpochMs): UndoOutcome {
  const row = IMPORTS.get(db, 'WHERE user_id=? AND import_id=?', userId, importId)
  const user = USERS.get(db, 'WHERE user_id=?', userId)
  if (!row || !user || user.deleted_at !== null) return { kind: 'unknown' }
  if (row.undone_at !== null) return { kind: 'undone_before', at: row.undone_at }
  const undoing: Undoing = {
    db,
    userId,
    counts: new UndoCounts(),
    outbox: new OutboxWriter(db, userId, user.team_id as TeamId, at),
    successors: new Successors(db, userId, row.last_sequence),
    touches: new Touches(),
  }
  undoSamples(undoing, row, importId)
  let shallow: ReturnType<typeof shallowEvents> | undefined
  for (const each of beforeRows(db, userId, importId)) {
    if (each.kind === 'summary') undoSummary(undoing, each)
    else if (each.kind === 'stream') {
      shallow ??= shallowEvents(undoing, row)
      undoStream(undoing, each, shallow.get(each.item) ?? {})
    }
  }
  undoing.touches.settle(db, user.team_id as TeamId, userId, at)
  undoing.outbox.finish()
  releaseEvents(db, userId, row.first_sequence, row.last_sequence)
  IMPORTS.update(db, { ...row, undone_at: at })
  // rows about connections stay: the last import to be undone removes the connection
  for (const each of beforeRows(db, userId, importId)) {
    if (each.kind !== 'connection') dropBefore(db, each)
  }
  disconnectEmpty(db, userId)
  const { removed, restored, kept } = undoing.counts
  return { kind: 'undone', report: { removed, restored, kept } }
}

function dropBefore(db: Connection, { user_id, import_id, ord }: ImportBeforeRow): void {
  db.run('DELETE FROM import_before WHERE user_id=? AND import_id=? AND ord=?', user_id, import_id, ord)
}

function undoSummary(undoing: Undoing, row: ImportBeforeRow): void {
  const { db, userId, counts, outbox, successors, touches } = undoing
  const { item, document } = row
  const [kind, id] = splitItem(row)
  const present = summaryRow(db, userId, kind, id)
  if (present?.updated_at !== row.rev) {
    if (present) counts.add('kept', kind, 1)
    successors.document('summary', item, row.rev, row)
  } else if (document === null) {
    touches.summary(kind, present)
    db.run('DELETE FROM summary WHERE user_id=? AND kind=? AND id=?', userId, kind, id)
    counts.add('removed', kind, 1)
  } else {
    const before = storedJson<SummaryRow>(document, () => IMPORTS_BEFORE.placeOf(row))
    touches.summary(kind, present)
    touches.summary(kind, before)
    putSummaryRow(db, userId, kind, before)
    counts.add('restored', kind, 1)
    const told = storedJson<Record<string, unknown>>(before.document, () => IMPORTS_BEFORE.placeOf(row))
    outbox.document(dailyUpdated(kind), { ...before, kind, document: told })
  }
}

function splitItem(row: ImportBeforeRow): [SummaryKind, string] {
  const { item } = row
  const at = item.indexOf('/')
  const kind = SUMMARY_KINDS.find(each => each === item.slice(0, at))
  if (!kind) throw damaged(IMPORTS_BEFORE.placeOf(row))
  return [kind, item.slice(at + 1)]
}

/** `shallow` is the document of the event that announced the import's version. */
function undoStream(undoing: Undoing, row: ImportBeforeRow, shallow: Readonly<Record<string, unknown>>): void {
  const { db, userId, counts, outbox, successors } = undoing
  const present = streamRow(db, userId, row.item)
  if (present?.updated_at !== row.rev) {
    if (present) counts.add('kept', WORKOUT_STREAM, 1)
    successors.document('stream', row.item, row.rev, row)
  } else if (row.document === null || !row.data) {
    db.run('DELETE FROM stream WHERE user_id=? AND workout_id=?', userId, row.item)
    counts.add('removed', WORKOUT_STREAM, 1)
  } else {
    const before = storedJson<StreamBefore>(row.document, () => IMPORTS_BEFORE.placeOf(row))
    putStreamRow(db, userId, { ...before, rev: (present?.rev ?? 0) + 1, data: row.data })
    counts.add('restored', WORKOUT_STREAM, 1)
    const { provider, source_type } = before
    outbox.document(dailyUpdated(WORKOUT_STREAM), { workout_id: row.item, ...shallow, provider, source_type })
  }
}

/** Returns the events in which the import announced streams, by workout. */
function shallowEvents(
  { db, userId }: Undoing,
  row: ImportRow,
): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const told = new Map<string, Readonly<Record<string, unknown>>>()
  const tail = 'WHERE user_id=? AND sequence=?'
  for (let sequence = row.first_sequence + 1; sequence <= row.last_sequence; sequence++) {
    const event = OUTBOX.get(db, tail, userId, sequence)
    if (event?.type !== dailyUpdated(WORKOUT_STREAM)) continue
    const said = storedJson<Readonly<Record<string, unknown>>>(event.document ?? '{}', () => OUTBOX.placeOf(event))
    told.set(said['workout_id'] as string, said)
  }
  return told
}

/**
 * Removes a connection that an undone import created once its provider has no data left, unless an account has been linked to it since. If
 * another import has data of it, undoing that one removes the connection.
 */
function disconnectEmpty(db: Connection, userId: UserId): void {
  for (const { import_id, undone_at } of IMPORTS.all(db, 'WHERE user_id=?', userId)) {
    if (undone_at === null) continue
    for (const row of [...beforeRows(db, userId, import_id)]) {
      const provider = row.item
      if (row.kind !== 'connection' || holdsData(db, userId, provider)) continue
      const made = CONNECTIONS.get(db, 'WHERE user_id=? AND provider=?', userId, provider)
      if (made && made.external_user_id === null) {
        db.run('DELETE FROM connection WHERE user_id=? AND provider=?', userId, provider)
      }
      dropBefore(db, row)
    }
  }
}

function holdsData(db: Connection, userId: UserId, provider: string): boolean {
  const holds = (sql: string, ...key: readonly SqlValue[]): boolean => db.get(sql, userId, ...key) !== undefined
  return (
    everySeries(db, userId).some(
      ({ id, key }) =>
        key.provider === provider && holds('SELECT 1 FROM chunk WHERE user_id=? AND series_id=? LIMIT 1', id),
    ) ||
    SUMMARIES.all(db, 'WHERE user_id=?', userId).some(row => row.provider === provider) ||
    streamIds(db, userId).some(id => streamRow(db, userId, id)?.provider === provider)
  )
}
