/**
 * Places of events in the order of their team. Most databases write an event's place in its row (`arrival`). Where several machines commit at
 * the same time, a place is given some time after the commit, in tables of its own; there `arrival` of the row says only whether the event is
 * shown, and nothing shows an event before it has its place.
 */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EventPosition } from '../../event.ts'
import { OUTBOX, type OutboxRow } from '../rows/tables.ts'
import {
  command,
  facts,
  many,
  one,
  type Query,
  query,
  run,
  type SqlValue,
  type Steps,
  send,
  together,
} from '../steps.ts'
import { FIND_COUNTERS, FIND_EVENT } from './row.ts'

/** `arrival` of an event that is shown once it has its place. */
const SHOWN = 1

const WAIT = command('INSERT INTO event_waiting (user_id, sequence, team_id, since) VALUES (?,?,?,?)')
const LAST_ARRIVAL = query<{ readonly last: number | null }>('SELECT max(arrival) AS last FROM outbox WHERE team_id=?')

function* areInRows(): Steps<boolean> {
  return (yield* facts()).placesEvents === 'in the row'
}

/**
 * Returns what to write as `arrival` of the events of this transaction: the real time, but later than that of any earlier transaction of the
 * team, so that a client that follows the events misses none.
 */
export function* arrivalNow(teamId: TeamId): Steps<number> {
  const { placesEvents, realNow } = yield* facts()
  if (placesEvents === 'afterwards') return SHOWN
  const last = (yield* one(LAST_ARRIVAL, [teamId]))?.last ?? 0
  return Math.max(realNow, last + 1)
}

/** Makes an event that is shown wait for its place, if it does not have one yet. */
export function* awaitPlace(teamId: TeamId, userId: UserId, sequence: number): Steps<void> {
  const { placesEvents, realNow } = yield* facts()
  if (placesEvents === 'afterwards') yield* send(WAIT, [userId, sequence, teamId, realNow])
}

interface PlaceRow extends EventPosition {
  readonly user_id: string
}

/** A way through the events of a team in one order: from its beginning, and from a place in it. */
interface Walk<Row> {
  readonly first: Query<Row>
  readonly next: Query<Row>
}

function walk<Row>(define: (tail: string) => Query<Row>, beyond: '<' | '>', direction: 'ASC' | 'DESC'): Walk<Row> {
  const order = `ORDER BY arrival ${direction}, sequence ${direction} LIMIT ?`
  return {
    first: define(`WHERE team_id=? AND arrival>0 ${order}`),
    next: define(`WHERE team_id=? AND arrival>0 AND (arrival, sequence) ${beyond} (?,?) ${order}`),
  }
}

function walks<Row>(define: (tail: string) => Query<Row>): Readonly<Record<'asc' | 'desc', Walk<Row>>> {
  return { asc: walk(define, '>', 'ASC'), desc: walk(define, '<', 'DESC') }
}

const ROWS = walks(tail => OUTBOX.query(tail))
const PLACES = walks(tail => query<PlaceRow>(`SELECT arrival, sequence, user_id FROM team_event ${tail}`))

/** Rows in the order of the team, and the last place that was looked at: an event that was removed leaves its place for a while. */
export interface TeamRows {
  readonly rows: readonly OutboxRow[]
  /** Null if there are no more. */
  readonly last: EventPosition | null
}

/** Returns the next rows of events that are shown, at most `most` of them. */
export function* teamRows(
  teamId: TeamId,
  order: 'asc' | 'desc',
  after: EventPosition | null,
  most: number,
): Steps<TeamRows> {
  const at: SqlValue[] = after === null ? [teamId, most] : [teamId, after.arrival, after.sequence, most]
  const way = after === null ? 'first' : 'next'
  const isInRows = yield* areInRows()
  const places: readonly EventPosition[] = isInRows
    ? yield* many(ROWS[order][way], at)
    : yield* many(PLACES[order][way], at)
  const end = places.length < most ? undefined : places.at(-1)
  const rows = isInRows ? (places as readonly OutboxRow[]) : yield* rowsAt(places as readonly PlaceRow[]) // as they were read
  return { rows, last: end ? { arrival: end.arrival, sequence: end.sequence } : null }
}

function* rowsAt(places: readonly PlaceRow[]): Steps<OutboxRow[]> {
  const found = yield* together(...places.map(({ user_id, sequence }) => one(FIND_EVENT, [user_id, sequence])))
  return places.flatMap(({ arrival }, i) => {
    const row = found[i]
    return row && row.arrival > 0 ? [{ ...row, arrival }] : []
  })
}

const PLACES_OF_USER = query<EventPosition>(
  'SELECT arrival, sequence FROM team_event WHERE team_id=? AND user_id=? AND sequence>=? AND sequence<=?',
)

/** Returns rows of one user with their places in the order of the team. Rows that are shown but have no place yet are left out. */
export function* withPlaces(rows: readonly OutboxRow[]): Steps<readonly OutboxRow[]> {
  const [first] = rows
  if (first === undefined || (yield* areInRows())) return rows
  const numbers = rows.map(row => row.sequence)
  const range = [first.team_id, first.user_id, Math.min(...numbers), Math.max(...numbers)]
  const places = new Map<number, number>()
  for (const { sequence, arrival } of yield* many(PLACES_OF_USER, range)) places.set(sequence, arrival)
  return rows.flatMap(row => {
    const arrival = row.arrival > 0 ? places.get(row.sequence) : row.arrival
    return arrival === undefined ? [] : [{ ...row, arrival }]
  })
}

const LAST_ROW = query<EventPosition>(
  'SELECT arrival, sequence FROM outbox WHERE team_id=? ORDER BY arrival DESC, sequence DESC LIMIT 1',
)
const LAST_PLACE = query<EventPosition>(
  'SELECT arrival, sequence FROM team_event WHERE team_id=? ORDER BY arrival DESC, sequence DESC LIMIT 1',
)
const FIRST_WAITING = query<{ readonly first: number | null }>(
  'SELECT min(sequence) AS first FROM event_waiting WHERE user_id=?',
)

/** Returns the place of the last event of the team; all zero if there is none. */
export function* lastPlace(teamId: TeamId): Steps<EventPosition> {
  const statement = (yield* areInRows()) ? LAST_ROW : LAST_PLACE
  return (yield* one(statement, [teamId])) ?? { arrival: 0, sequence: 0 }
}

/** Returns the number of the last event of a user that lists show, or that is not waiting to be shown. */
export function* lastShown(userId: UserId): Steps<number> {
  const last = (yield* one(FIND_COUNTERS, [userId]))?.event_sequence ?? 0
  if (yield* areInRows()) return last
  const waiting = (yield* one(FIRST_WAITING, [userId]))?.first ?? null
  return waiting === null ? last : waiting - 1
}

const FREE_PLACES = command('DELETE FROM team_event WHERE team_id=? AND user_id=? AND sequence>? AND sequence<=?')
const STOP_WAITING = command('DELETE FROM event_waiting WHERE user_id=? AND sequence>? AND sequence<=?')

const FORGET_PLACES = ['event_waiting', 'team_event'].map(table => command(`DELETE FROM ${table}`))

/** Removes the places of all events. The order of each team goes on. */
export function* freeAllPlaces(): Steps<void> {
  if (yield* areInRows()) return
  for (const each of FORGET_PLACES) yield* run(each)
}

/** Removes the places of events of a user that are removed: those after a number, up to another one. */
export function* freePlaces(teamId: string, userId: UserId, after: number, to: number): Steps<void> {
  if (yield* areInRows()) return
  yield* run(STOP_WAITING, [userId, after, to])
  yield* run(FREE_PLACES, [teamId, userId, after, to])
}
