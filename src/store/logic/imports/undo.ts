/** Undoes an import: removes its data, restores the data that it replaced, and keeps later changes. */
import { dailyUpdated } from '../../../catalogue/event-types.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { UndoOutcome } from '../../data-write.ts'
import { Touches } from '../continuous/touches.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { Removals } from '../events/removals.ts'
import { releaseEvents } from '../events/retention.ts'
import { storedJson } from '../rows/damage.ts'
import { CONNECTIONS, IMPORTS, IMPORTS_BEFORE, type ImportBeforeRow, OUTBOX, SUMMARIES, USERS } from '../rows/tables.ts'
import { WORKOUT_STREAM } from '../samples/data-writer.ts'
import { everySeries } from '../samples/series.ts'
import { putStreamRow, removeStream, streamIds, streamRow } from '../samples/streams.ts'
import { putSummaryRow, removeSummary, type SummaryRow, summaryRow } from '../samples/summaries.ts'
import { command, exists, many, one, query, run, type Steps } from '../steps.ts'
import { removeFile } from './import-files.ts'
import { beforeRows, IMPORTS_OF_USER, REMOVED, removeBefore, type StreamBefore } from './imports.ts'
import { splitItem } from './items.ts'
import { Successors } from './succession.ts'
import { undoRemovals } from './undo-removals.ts'
import { undoSamples } from './undo-samples.ts'
import { type ImportRow, UndoCounts, type Undoing } from './undoing.ts'

const FIND_IMPORT = IMPORTS.query('WHERE user_id=? AND import_id=?')
const OWNER = USERS.query('WHERE user_id=?')
const FIND_EVENT = OUTBOX.query('WHERE user_id=? AND sequence=?')
const FIND_CONNECTION = CONNECTIONS.query('WHERE user_id=? AND provider=?')
const REMOVE_CONNECTION = command('DELETE FROM connection WHERE user_id=? AND provider=?')
const ANY_CHUNK = query('SELECT 1 FROM chunk WHERE user_id=? AND series_id=? LIMIT 1')
const SUMMARIES_OF_USER = SUMMARIES.query('WHERE user_id=?')

/** The documents of events that announced streams, by workout. */
type Announced = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/**
 * Undoes an import: removes its data, restores the data that it replaced, and keeps later changes. Events report restored and removed
 * data.
 */
export function* undoImport(userId: UserId, importId: string, at: EpochMs): Steps<UndoOutcome> {
  const row = yield* one(FIND_IMPORT, [userId, importId])
  const user = yield* one(OWNER, [userId])
  if (!row || !user || user.deleted_at !== null) return { kind: 'unknown' }
  if (row.undone_at !== null) return { kind: 'undone_before', at: row.undone_at }
  const undoing: Undoing = {
    userId,
    counts: new UndoCounts(),
    outbox: yield* OutboxWriter.open(userId, user.team_id as TeamId, at),
    successors: new Successors(userId, importId),
    touches: new Touches(),
    removals: new Removals(),
  }
  yield* undoSamples(undoing, row, importId)
  yield* undoDocuments(undoing, row, importId)
  yield* undoRemovals(undoing, importId)
  yield* undoing.touches.settle(user.team_id as TeamId, userId, at)
  yield* undoing.removals.announce(undoing.outbox, 'import_undone')
  yield* undoing.outbox.finish()
  yield* releaseEvents(userId, row.first_sequence, row.last_sequence)
  yield* IMPORTS.update({ ...row, undone_at: at })
  yield* dropBefore(userId, importId)
  yield* removeFile(userId, importId)
  yield* disconnectEmpty(userId)
  const { removed, restored, kept } = undoing.counts
  return { kind: 'undone', report: { removed, restored, kept } }
}

function* undoDocuments(undoing: Undoing, row: ImportRow, importId: string): Steps<void> {
  const { userId } = undoing
  let shallow: Announced | undefined
  for (let rows = yield* beforeRows(userId, importId); rows.length > 0; ) {
    for (const each of rows) {
      if (each.rev === REMOVED) continue
      if (each.kind === 'summary') yield* undoSummary(undoing, each)
      else if (each.kind === 'stream') {
        shallow ??= yield* shallowEvents(undoing, row)
        yield* undoStream(undoing, each, shallow.get(each.item) ?? {})
      }
    }
    rows = yield* beforeRows(userId, importId, rows.at(-1))
  }
}

/** Removes the rows of replaced data. Rows about connections stay, because the connection is removed when the last import is undone. */
function* dropBefore(userId: UserId, importId: string): Steps<void> {
  for (let rows = yield* beforeRows(userId, importId); rows.length > 0; ) {
    for (const { kind, ord } of rows) if (kind !== 'connection') yield* removeBefore(userId, importId, ord)
    rows = yield* beforeRows(userId, importId, rows.at(-1))
  }
}

function* undoSummary(undoing: Undoing, row: ImportBeforeRow): Steps<void> {
  const { userId, counts, outbox, successors, touches, removals } = undoing
  const { item, document } = row
  const [kind, id] = splitItem(row)
  const present = yield* summaryRow(userId, kind, id)
  if (present?.updated_at !== row.rev) {
    if (present) counts.add('kept', kind, 1)
    yield* successors.document('summary', item, row.rev, row)
  } else if (document === null) {
    touches.summary(kind, present)
    yield* removeSummary(userId, kind, id)
    removals.summary(kind, present)
    counts.add('removed', kind, 1)
  } else {
    const before = storedJson<SummaryRow>(document, () => IMPORTS_BEFORE.damageLocation(row))
    touches.summary(kind, present)
    touches.summary(kind, before)
    yield* putSummaryRow(userId, kind, before)
    counts.add('restored', kind, 1)
    const told = storedJson<Record<string, unknown>>(before.document, () => IMPORTS_BEFORE.damageLocation(row))
    yield* outbox.document(dailyUpdated(kind), { ...before, kind, document: told })
  }
}

/** Undoes a stream. `shallow` is the document of the event that announced the import's version. */
function* undoStream(undoing: Undoing, row: ImportBeforeRow, shallow: Readonly<Record<string, unknown>>): Steps<void> {
  const { userId, counts, outbox, successors, removals } = undoing
  const present = yield* streamRow(userId, row.item)
  if (present?.updated_at !== row.rev) {
    if (present) counts.add('kept', WORKOUT_STREAM, 1)
    yield* successors.document('stream', row.item, row.rev, row)
  } else if (row.document === null || !row.data) {
    yield* removeStream(userId, row.item)
    removals.stream(row.item, present)
    counts.add('removed', WORKOUT_STREAM, 1)
  } else {
    const before = storedJson<StreamBefore>(row.document, () => IMPORTS_BEFORE.damageLocation(row))
    yield* putStreamRow(userId, { ...before, rev: (present?.rev ?? 0) + 1, data: row.data })
    counts.add('restored', WORKOUT_STREAM, 1)
    const { provider, source_type } = before
    yield* outbox.document(dailyUpdated(WORKOUT_STREAM), { workout_id: row.item, ...shallow, provider, source_type })
  }
}

/** Returns the events in which the import announced streams, by workout. */
function* shallowEvents({ userId }: Undoing, row: ImportRow): Steps<Announced> {
  const told = new Map<string, Readonly<Record<string, unknown>>>()
  for (let sequence = row.first_sequence + 1; sequence <= row.last_sequence; sequence++) {
    const event = yield* one(FIND_EVENT, [userId, sequence])
    if (event?.type !== dailyUpdated(WORKOUT_STREAM)) continue
    const said = storedJson<Readonly<Record<string, unknown>>>(event.document ?? '{}', () =>
      OUTBOX.damageLocation(event),
    )
    told.set(said['workout_id'] as string, said)
  }
  return told
}

/**
 * Removes a connection that an undone import created, once its provider has no data left and unless an account has since been linked to it.
 * If another import has data from the provider, undoing that import removes the connection.
 */
function* disconnectEmpty(userId: UserId): Steps<void> {
  for (const { import_id, undone_at } of yield* many(IMPORTS_OF_USER, [userId])) {
    if (undone_at === null) continue
    for (let rows = yield* beforeRows(userId, import_id); rows.length > 0; ) {
      for (const row of rows) if (row.kind === 'connection') yield* disconnectIfEmpty(userId, row)
      rows = yield* beforeRows(userId, import_id, rows.at(-1))
    }
  }
}

function* disconnectIfEmpty(userId: UserId, { import_id, ord, item: provider }: ImportBeforeRow): Steps<void> {
  if (yield* holdsData(userId, provider)) return
  const made = yield* one(FIND_CONNECTION, [userId, provider])
  if (made && made.external_user_id === null) yield* run(REMOVE_CONNECTION, [userId, provider])
  yield* removeBefore(userId, import_id, ord)
}

function* holdsData(userId: UserId, provider: string): Steps<boolean> {
  for (const { id, key } of yield* everySeries(userId)) {
    if (key.provider === provider && (yield* exists(ANY_CHUNK, [userId, id]))) return true
  }
  const summaries = yield* many(SUMMARIES_OF_USER, [userId])
  if (summaries.some(row => row.provider === provider)) return true
  for (const id of yield* streamIds(userId)) {
    if ((yield* streamRow(userId, id))?.provider === provider) return true
  }
  return false
}
