/** Writes slices to the target, each in one transaction together with the copy's position. */
import { ServiceError } from '../../core/errors.ts'
import { COUNTING } from '../logic/rows/counted-bytes.ts'
import { OUTBOX, type OutboxRow } from '../logic/rows/tables.ts'
import { type Command, command, exists, facts, query, run, type SqlValue, type Steps, send } from '../logic/steps.ts'
import { DROP_SETTING, putSetting, setting } from '../logic/teams/settings.ts'
import { UNFINISHED_COPY } from '../logic/unfinished-copy.ts'
import { COPIED_TABLES, type CopiedTable, type Row } from './tables.ts'

/**
 * Number of rows per INSERT statement. The remaining rows of a slice are added one by one, so that only a few statements need to be
 * prepared.
 */
const ROWS_AT_ONCE = 50
/** `arrival` of an event whose position is stored elsewhere. */
const SHOWN = 1

const ANY_ROW = COPIED_TABLES.map(({ table }) => query(`SELECT 1 FROM ${table} LIMIT 1`))
const LAST_POSITIONS = command(
  `INSERT INTO team_order (team_id, last) SELECT team_id, max(arrival) FROM team_event GROUP BY team_id
   ON CONFLICT (team_id) DO UPDATE SET last=excluded.last`,
)

/** INSERT statements by text, because a table's column order differs between kinds of stores. */
const insertions = new Map<string, Command>()

/** Returns whether the store contains no rows yet. */
export function* isEmptyStore(): Steps<boolean> {
  for (const any of ANY_ROW) if (yield* exists(any)) return false
  return true
}

/** Begins a copy into an empty store. */
export function* beginCopy(state: string): Steps<void> {
  yield* putSetting(UNFINISHED_COPY, state)
}

/** The copy's progress before and after a transaction, as text. */
export interface Advance {
  readonly before: string
  readonly after: string
}

/** Writes rows unchanged. Event positions are written where this store stores them. */
export function* writeSlice({ table, lease }: CopiedTable, rows: readonly Row[], advance: Advance): Steps<void> {
  if (!(yield* isNext(advance))) return
  if (table === OUTBOX.table)
    yield* insertEvents(rows as readonly (OutboxRow & Row)[]) // they were verified as outbox rows
  // the source's lease holder does not use this row
  else yield* insertRows(table, lease === null ? rows : rows.map(row => ({ ...row, [lease]: null })))
  yield* putSetting(UNFINISHED_COPY, advance.after)
}

/** Records the copy's progress without writing rows. */
export function* advanceTo(advance: Advance): Steps<void> {
  if (yield* isNext(advance)) yield* putSetting(UNFINISHED_COPY, advance.after)
}

/** A setting as it is stored. */
export interface Setting {
  readonly name: string
  readonly value: string | number
}

/** Writes the source's settings, except those that take effect only after all rows have been copied. */
export function* writeSettings(settings: readonly Setting[], advance: Advance): Steps<void> {
  if (!(yield* isNext(advance))) return
  for (const { name, value } of settings) if (name !== COUNTING) yield* putSetting(name, value)
  yield* putSetting(UNFINISHED_COPY, advance.after)
}

/** Finishes the copy. From then on, the store is like any other. */
export function* finishCopy(settings: readonly Setting[]): Steps<void> {
  // runs again after a commit whose result was lost
  if ((yield* setting(UNFINISHED_COPY)) === undefined) return
  const { eventPositions } = yield* facts()
  if (eventPositions === 'afterwards') yield* run(LAST_POSITIONS)
  const counting = settings.find(({ name }) => name === COUNTING)
  if (counting !== undefined) yield* putSetting(COUNTING, counting.value)
  yield* run(DROP_SETTING, [UNFINISHED_COPY])
}

/** Returns whether the slice must be written. If its commit succeeded but the result was lost, the target already contains it. */
function* isNext({ before, after }: Advance): Steps<boolean> {
  const found = yield* setting(UNFINISHED_COPY)
  if (found === before) return true
  if (found === after) return false
  throw new ServiceError('conflict', 'Another process is copying into the same target.', {
    suggestions: ['Wait until it has ended, or stop it and run this command again.'],
  })
}

function* insertEvents(events: readonly (OutboxRow & Row)[]): Steps<void> {
  const { eventPositions } = yield* facts()
  if (eventPositions === 'in the row') return yield* insertRows(OUTBOX.table, events.map(sealed))
  const rows = events.map(event => sealed({ ...event, arrival: Math.min(event.arrival, SHOWN) }))
  yield* insertRows(OUTBOX.table, rows)
  const shown = events.filter(({ arrival }) => arrival > 0)
  const positions = shown.map(({ team_id, arrival, sequence, user_id }) => ({ team_id, arrival, sequence, user_id }))
  yield* insertRows('team_event', positions)
}

/** Returns the event with its checksum at its position. */
function sealed(event: OutboxRow & Row): Row {
  return { ...event, [OUTBOX.checksum]: OUTBOX.seal(event) }
}

function* insertRows(table: string, rows: readonly Row[]): Steps<void> {
  for (let i = 0; i < rows.length; ) {
    const some = rows.slice(i, i + (i + ROWS_AT_ONCE <= rows.length ? ROWS_AT_ONCE : 1))
    yield* send(
      insertCommand(table, some),
      some.flatMap(row => Object.values<SqlValue>(row)),
    )
    i += some.length
  }
}

function insertCommand(table: string, rows: readonly Row[]): Command {
  const names = Object.keys(rows[0] ?? {})
  const row = `(${names.map(() => '?').join(',')})`
  const text = `INSERT INTO ${table} (${names.join(', ')}) VALUES ${rows.map(() => row).join(',')}`
  const insertion = insertions.get(text) ?? command(text)
  insertions.set(text, insertion)
  return insertion
}
