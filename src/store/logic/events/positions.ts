/**
 * Stores the positions of events in their team's order. Most databases write an event's position to its row (`arrival`). If several
 * machines can commit at the same time, positions are assigned shortly after the commit, in separate tables. In that case, the row's
 * `arrival` only says whether the event is ever shown, and no event is shown before it has its position.
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
  type StoreFacts,
  send,
  together,
} from '../steps.ts'
import { FIND_COUNTERS, FIND_EVENT } from './row.ts'

/** Rows in the team's order, and the last position that was checked. After an event is removed, its position remains for a while. */
export interface TeamRows {
  readonly rows: readonly OutboxRow[]
  /** Null if there are no more rows. */
  readonly last: EventPosition | null
}

/** Defines where a store keeps the positions of events. */
interface EventPositions {
  /**
   * Returns the `arrival` of this transaction's events. This is the real time, but always later than in any earlier transaction of the
   * team, so that a client that follows the events does not miss any.
   */
  arrivalNow(facts: StoreFacts, teamId: TeamId): Steps<number>
  /** Makes a visible event wait for its position if it does not have one yet. */
  awaitPosition(facts: StoreFacts, teamId: TeamId, userId: UserId, sequence: number): Steps<unknown>
  /** Returns the next rows of visible events, at most `most` of them. */
  teamRows(
    facts: StoreFacts,
    teamId: TeamId,
    order: 'asc' | 'desc',
    after: EventPosition | null,
    most: number,
  ): Steps<TeamRows>
  /** Returns one user's rows with their positions in the team's order. Visible events without a position are omitted. */
  withPositions(facts: StoreFacts, rows: readonly OutboxRow[]): Steps<readonly OutboxRow[]>
  /** Returns the position of the team's last event, or all zeros if there is none. */
  lastPosition(facts: StoreFacts, teamId: TeamId): Steps<EventPosition>
  /** Returns the number of a user's last event that is not waiting for its position. */
  lastShown(facts: StoreFacts, userId: UserId): Steps<number>
  /** Removes the positions of all events. The order of each team continues. */
  freeAllPositions(facts: StoreFacts): Steps<unknown>
  /** Removes the positions of a user's removed events, which are those after one number, up to another. */
  freePositions(facts: StoreFacts, teamId: string, userId: UserId, after: number, to: number): Steps<unknown>
}

/** Queries that traverse a team's events in one order, either from the beginning or from a position. */
interface PagedQuery<Row> {
  readonly first: Query<Row>
  readonly next: Query<Row>
}

function pagedQuery<Row>(
  define: (tail: string) => Query<Row>,
  beyond: '<' | '>',
  direction: 'ASC' | 'DESC',
): PagedQuery<Row> {
  const order = `ORDER BY arrival ${direction}, sequence ${direction} LIMIT ?`
  return {
    first: define(`WHERE team_id=? AND arrival>0 ${order}`),
    next: define(`WHERE team_id=? AND arrival>0 AND (arrival, sequence) ${beyond} (?,?) ${order}`),
  }
}

/** Returns a function that reads up to N rows after a position in a team's order. */
function reader<Row>(define: (tail: string) => Query<Row>) {
  const queries = { asc: pagedQuery(define, '>', 'ASC'), desc: pagedQuery(define, '<', 'DESC') }
  return (teamId: TeamId, order: 'asc' | 'desc', after: EventPosition | null, most: number): Steps<Row[]> => {
    const { first, next } = queries[order]
    const values: SqlValue[] = after === null ? [teamId, most] : [teamId, after.arrival, after.sequence, most]
    return many(after === null ? first : next, values)
  }
}

/** Returns the last position, or null if there are no more. */
function endPosition(positions: readonly EventPosition[], most: number): EventPosition | null {
  const end = positions.length < most ? undefined : positions.at(-1)
  return end ? { arrival: end.arrival, sequence: end.sequence } : null
}

/** Returns a value that is already known. */
// biome-ignore lint/correctness/useYield: no statement is needed
export function* already<T>(value: T): Steps<T> {
  return value
}

function* lastSequence(userId: UserId): Steps<number> {
  return (yield* one(FIND_COUNTERS, [userId]))?.event_sequence ?? 0
}

const NO_POSITION: EventPosition = { arrival: 0, sequence: 0 }

const LAST_ARRIVAL = query<{ readonly last: number | null }>('SELECT max(arrival) AS last FROM outbox WHERE team_id=?')
const LAST_ROW = query<EventPosition>(
  'SELECT arrival, sequence FROM outbox WHERE team_id=? ORDER BY arrival DESC, sequence DESC LIMIT 1',
)
const nextRows = reader(tail => OUTBOX.query(tail))

/** Positions in the rows. Each row contains its position from the start. */
const IN_ROWS: EventPositions = {
  *arrivalNow({ realNow }, teamId) {
    const last = (yield* one(LAST_ARRIVAL, [teamId]))?.last ?? 0
    return Math.max(realNow, last + 1)
  },
  awaitPosition: () => already(undefined),
  *teamRows(_, teamId, order, after, most) {
    const rows = yield* nextRows(teamId, order, after, most)
    return { rows, last: endPosition(rows, most) }
  },
  withPositions: (_, rows) => already(rows),
  *lastPosition(_, teamId) {
    return (yield* one(LAST_ROW, [teamId])) ?? NO_POSITION
  },
  lastShown: (_, userId) => lastSequence(userId),
  freeAllPositions: () => already(undefined),
  freePositions: () => already(undefined),
}

/** `arrival` of a visible event, which is shown once it has its position. */
const SHOWN = 1

interface PositionRow extends EventPosition {
  readonly user_id: string
}

const WAIT = command('INSERT INTO event_waiting (user_id, sequence, team_id, since) VALUES (?,?,?,?)')
const POSITIONS_OF_USER = query<EventPosition>(
  'SELECT arrival, sequence FROM team_event WHERE team_id=? AND user_id=? AND sequence>=? AND sequence<=?',
)
const LAST_POSITION = query<EventPosition>(
  'SELECT arrival, sequence FROM team_event WHERE team_id=? ORDER BY arrival DESC, sequence DESC LIMIT 1',
)
const FIRST_WAITING = query<{ readonly first: number | null }>(
  'SELECT min(sequence) AS first FROM event_waiting WHERE user_id=?',
)
const FREE_POSITIONS = command('DELETE FROM team_event WHERE team_id=? AND user_id=? AND sequence>? AND sequence<=?')
const STOP_WAITING = command('DELETE FROM event_waiting WHERE user_id=? AND sequence>? AND sequence<=?')
const FORGET_POSITIONS = ['event_waiting', 'team_event'].map(table => command(`DELETE FROM ${table}`))
const nextPositions = reader(tail => query<PositionRow>(`SELECT arrival, sequence, user_id FROM team_event ${tail}`))

/** Positions in separate tables, assigned shortly after the commit. */
const AFTERWARDS: EventPositions = {
  arrivalNow: () => already(SHOWN),
  awaitPosition: ({ realNow }, teamId, userId, sequence) => send(WAIT, [userId, sequence, teamId, realNow]),
  *teamRows(_, teamId, order, after, most) {
    const positions = yield* nextPositions(teamId, order, after, most)
    return { rows: yield* rowsAt(positions), last: endPosition(positions, most) }
  },
  *withPositions(_, rows) {
    const [first] = rows
    if (first === undefined) return rows
    const numbers = rows.map(row => row.sequence)
    const range = [first.team_id, first.user_id, Math.min(...numbers), Math.max(...numbers)]
    const positions = new Map<number, number>()
    for (const { sequence, arrival } of yield* many(POSITIONS_OF_USER, range)) positions.set(sequence, arrival)
    return rows.flatMap(row => {
      const arrival = row.arrival > 0 ? positions.get(row.sequence) : row.arrival
      return arrival === undefined ? [] : [{ ...row, arrival }]
    })
  },
  *lastPosition(_, teamId) {
    return (yield* one(LAST_POSITION, [teamId])) ?? NO_POSITION
  },
  *lastShown(_, userId) {
    const last = yield* lastSequence(userId)
    const waiting = (yield* one(FIRST_WAITING, [userId]))?.first ?? null
    return waiting === null ? last : waiting - 1
  },
  *freeAllPositions() {
    for (const each of FORGET_POSITIONS) yield* run(each)
  },
  *freePositions(_, teamId, userId, after, to) {
    yield* run(STOP_WAITING, [userId, after, to])
    yield* run(FREE_POSITIONS, [teamId, userId, after, to])
  },
}

function* rowsAt(positions: readonly PositionRow[]): Steps<OutboxRow[]> {
  const found = yield* together(...positions.map(({ user_id, sequence }) => one(FIND_EVENT, [user_id, sequence])))
  return positions.flatMap(({ arrival }, i) => {
    const row = found[i]
    return row && row.arrival > 0 ? [{ ...row, arrival }] : []
  })
}

const STRATEGIES = { 'in the row': IN_ROWS, afterwards: AFTERWARDS }

/** Returns a function that uses the positions of the store on which it runs. */
function ofStore<Args extends unknown[], T>(
  choose: (positions: EventPositions) => (facts: StoreFacts, ...args: Args) => Steps<T>,
) {
  return function* (...args: Args): Steps<T> {
    const known = yield* facts()
    return yield* choose(STRATEGIES[known.eventPositions])(known, ...args)
  }
}

export const arrivalNow = ofStore(positions => positions.arrivalNow)
export const awaitPosition = ofStore(positions => positions.awaitPosition)
export const teamRows = ofStore(positions => positions.teamRows)
export const withPositions = ofStore(positions => positions.withPositions)
export const lastPosition = ofStore(positions => positions.lastPosition)
export const lastShown = ofStore(positions => positions.lastShown)
export const freeAllPositions = ofStore(positions => positions.freeAllPositions)
export const freePositions = ofStore(positions => positions.freePositions)
