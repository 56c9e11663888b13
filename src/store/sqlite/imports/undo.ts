/** Takes an import back: what it brought goes, what it replaced returns, and what was changed since stays. */
import { dailyUpdated } from '../../../catalogue/event-types.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import { SUMMARY_KINDS, type SummaryKind } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { UndoOutcome } from '../../data-write.ts'
import type { Connection } from '../connection.ts'
import { Touches } from '../continuous/touches.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { releaseEvents } from '../events/retention.ts'
import { WORKOUT_STREAM } from '../samples/data-writer.ts'
import { putStreamRow, streamRow } from '../samples/streams.ts'
import { putSummaryRow, type SummaryRow, summaryRow } from '../samples/summaries.ts'
import type { StreamBefore } from './imports.ts'
import { Successors } from './succession.ts'
import { undoSamples } from './undo-samples.ts'
import { type BeforeRow, type ImportRow, UndoCounts, type Undoing } from './undoing.ts'

/** The events it causes say what is back; nothing says what is gone. */
export function undoImport(connection: Connection, userId: UserId, importId: string, at: EpochMs): UndoOutcome {
  const row = connection.get<ImportRow>(
    `SELECT team_id, first_sequence, last_sequence, undone_at FROM import JOIN user USING (user_id)
     WHERE import.user_id=? AND import_id=? AND deleted_at IS NULL`,
    userId,
    importId,
  )
  if (!row) return { kind: 'unknown' }
  if (row.undone_at !== null) return { kind: 'undone_before', at: row.undone_at }
  const undoing: Undoing = {
    connection,
    userId,
    counts: new UndoCounts(),
    outbox: new OutboxWriter(connection, userId, row.team_id as TeamId, at),
    successors: new Successors(connection, userId, row.last_sequence),
    touches: new Touches(),
  }
  undoSamples(undoing, row, importId)
  let shallow: ReturnType<typeof shallowEvents> | undefined
  for (const each of beforeRows(connection, userId, importId)) {
    if (each.kind === 'summary') undoSummary(undoing, each)
    else if (each.kind === 'stream') {
      shallow ??= shallowEvents(undoing, row)
      undoStream(undoing, each, shallow.get(each.item) ?? {})
    }
  }
  undoing.touches.settle(connection, row.team_id as TeamId, userId, at)
  undoing.outbox.finish()
  releaseEvents(connection, userId, row.first_sequence, row.last_sequence)
  connection.run('UPDATE import SET undone_at=? WHERE user_id=? AND import_id=?', at, userId, importId)
  // connections are kept in mind: the last import to be undone takes them away
  connection.run(`DELETE FROM import_before WHERE user_id=? AND import_id=? AND kind<>'connection'`, userId, importId)
  disconnectEmpty(connection, userId)
  const { removed, restored, kept } = undoing.counts
  return { kind: 'undone', report: { removed, restored, kept } }
}

function* beforeRows(connection: Connection, userId: UserId, importId: string): Generator<BeforeRow> {
  let ord = 0
  for (;;) {
    const rows = connection.all<BeforeRow & { ord: number }>(
      `SELECT ord, kind, item, rev, data, document FROM import_before
       WHERE user_id=? AND import_id=? AND ord>? AND kind<>'samples' ORDER BY ord LIMIT 200`,
      userId,
      importId,
      ord,
    )
    if (rows.length === 0) return
    ord = (rows.at(-1) as { ord: number }).ord
    yield* rows
  }
}

function undoSummary(undoing: Undoing, row: BeforeRow): void {
  const { connection, userId, counts, outbox, successors, touches } = undoing
  const { item, document } = row
  const [kind, id] = splitItem(item)
  const present = summaryRow(connection, userId, kind, id)
  if (present?.updated_at !== row.rev) {
    if (present) counts.add('kept', kind, 1)
    successors.document('summary', item, row.rev, row)
  } else if (document === null) {
    touches.summary(kind, present)
    connection.run('DELETE FROM summary WHERE user_id=? AND kind=? AND id=?', userId, kind, id)
    counts.add('removed', kind, 1)
  } else {
    const before = JSON.parse(document) as SummaryRow
    touches.summary(kind, present)
    touches.summary(kind, before)
    putSummaryRow(connection, userId, kind, before)
    counts.add('restored', kind, 1)
    const told = JSON.parse(before.document) as Record<string, unknown>
    outbox.document(dailyUpdated(kind), { ...before, kind, document: told })
  }
}

function splitItem(item: string): [SummaryKind, string] {
  const at = item.indexOf('/')
  const kind = SUMMARY_KINDS.find(each => each === item.slice(0, at))
  if (!kind) throw new Error('what an import found is of an unknown kind')
  return [kind, item.slice(at + 1)]
}

/** `shallow` is what the event said that told of the import's version. */
function undoStream(undoing: Undoing, row: BeforeRow, shallow: Readonly<Record<string, unknown>>): void {
  const { connection, userId, counts, outbox, successors } = undoing
  const present = streamRow(connection, userId, row.item)
  if (present?.updated_at !== row.rev) {
    if (present) counts.add('kept', WORKOUT_STREAM, 1)
    successors.document('stream', row.item, row.rev, row)
  } else if (row.document === null || !row.data) {
    connection.run('DELETE FROM stream WHERE user_id=? AND workout_id=?', userId, row.item)
    counts.add('removed', WORKOUT_STREAM, 1)
  } else {
    const before = JSON.parse(row.document) as StreamBefore
    putStreamRow(connection, userId, { ...before, rev: (present?.rev ?? 0) + 1, data: row.data })
    counts.add('restored', WORKOUT_STREAM, 1)
    const { provider, source_type } = before
    outbox.document(dailyUpdated(WORKOUT_STREAM), { workout_id: row.item, ...shallow, provider, source_type })
  }
}

/** The events in which the import told of streams, by workout. */
function shallowEvents(
  { connection, userId }: Undoing,
  row: ImportRow,
): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const events = connection.all<{ document: string }>(
    'SELECT document FROM outbox WHERE user_id=? AND sequence>? AND sequence<=? AND type=?',
    userId,
    row.first_sequence,
    row.last_sequence,
    dailyUpdated(WORKOUT_STREAM),
  )
  return new Map(
    events.map(({ document }) => {
      const said = JSON.parse(document) as Readonly<Record<string, unknown>>
      return [said['workout_id'] as string, said]
    }),
  )
}

/**
 * A connection that an undone import made goes with the last data of its provider, unless an account was linked to it
 * since. Another import may hold data of it: then that one's undoing takes it away.
 */
function disconnectEmpty(connection: Connection, userId: UserId): void {
  const made = connection.all<{ provider: string }>(
    `SELECT DISTINCT item AS provider FROM import_before JOIN import USING (user_id, import_id)
     WHERE user_id=? AND kind='connection' AND undone_at IS NOT NULL`,
    userId,
  )
  for (const { provider } of made) {
    if (holdsData(connection, userId, provider)) continue
    connection.run(
      'DELETE FROM connection WHERE user_id=? AND provider=? AND external_user_id IS NULL',
      userId,
      provider,
    )
    connection.run(`DELETE FROM import_before WHERE user_id=? AND kind='connection' AND item=?`, userId, provider)
  }
}

function holdsData(connection: Connection, userId: UserId, provider: string): boolean {
  const holds = (sql: string): boolean => connection.get(sql, userId, provider) !== undefined
  return (
    holds('SELECT 1 FROM chunk JOIN series USING (user_id, series_id) WHERE user_id=? AND provider=? LIMIT 1') ||
    holds('SELECT 1 FROM summary WHERE user_id=? AND provider=? LIMIT 1') ||
    holds('SELECT 1 FROM stream WHERE user_id=? AND provider=? LIMIT 1')
  )
}
