/** Lists a team's events in order of arrival, filtered by event fields and delivery state. */
import type { UserId } from '../../../core/ids.ts'
import { TimeSlice } from '../../../core/time-slice.ts'
import type { DeliveryCounts, EventPosition, EventQuery, ListedEvent } from '../../event.ts'
import type { Database } from '../database.ts'
import { requireProgress } from '../rows/damage.ts'
import { OUTBOX, type OutboxRow } from '../rows/tables.ts'
import { many, one, type Query, query, type SqlValue, type Steps } from '../steps.ts'
import { type ActiveUsers, isFiltered, isRare, matchesEventQuery, type RareQuery, STATES } from './filter.ts'
import { already, type TeamRows, teamRows, withPositions } from './positions.ts'
import { FIND_COUNTERS, FIND_EVENT, readEvent } from './row.ts'

/** Number of rows checked at a time, so that a filter that matches few rows does not block other calls. */
const SLICE = 200
/** Number of events read at a time, because each one may contain several thousand samples. */
const EVENTS_AT_ONCE = 20

/**
 * Returns the events of active users that have a position, in order of arrival or in reverse. The filter is only applied to verified rows,
 * because a filter in the database could exclude a damaged row without any error.
 */
export async function listEvents(db: Database, query: EventQuery): Promise<readonly ListedEvent[]> {
  const slice = new TimeSlice()
  const events = query.userId === null ? TEAM : ofUser(query.userId)
  const rows = await (isRare(query) ? rareRows(db, events, query, slice) : rowsInOrder(db, events, query, slice))
  const found: ListedEvent[] = []
  for (let i = 0; i < rows.length; i += EVENTS_AT_ONCE) {
    const some = rows.slice(i, i + EVENTS_AT_ONCE)
    found.push(...(await db.read(() => listed(some))))
    if (slice.isOver) await slice.rest()
  }
  return found
}

/** A team's or a user's events, in order. */
interface OrderedEvents {
  /** Returns a negative number if the first position comes before the second. */
  compare(a: EventPosition, b: EventPosition): number
  /** Returns the position after which a list continues, given the position of its last event. */
  continueAfter(order: EventQuery['order'], seen: EventPosition): Steps<EventPosition>
  /** Returns the next rows, at most `size` of them. */
  next(query: EventQuery, after: EventPosition | null, size: number): Steps<TeamRows>
}

/** A team's events, which are ordered by arrival. */
const TEAM: OrderedEvents = {
  compare: (a, b) => a.arrival - b.arrival || a.sequence - b.sequence,
  continueAfter: (_, seen) => already(seen),
  next: ({ teamId, order }, after, size) => teamRows(teamId, order, after, size),
}

/** Returns one user's events, which are ordered by number. */
function ofUser(userId: UserId): OrderedEvents {
  return {
    compare: (a, b) => a.sequence - b.sequence,
    *continueAfter(order, seen) {
      return { arrival: seen.arrival, sequence: yield* numberAfter(userId, order, seen) }
    },
    *next({ order }, after, size) {
      const { first, next } = OF_USER[order]
      const all =
        after === null ? yield* many(first, [userId, size]) : yield* many(next, [userId, after.sequence, size])
      const rows = yield* withPositions(all)
      // events after one without a position may get their positions first, and would be shown before it
      const isEnd = all.length < size || (order === 'asc' && rows.length < all.length)
      const end = isEnd ? undefined : all.at(-1)
      return { rows, last: end ? { arrival: end.arrival, sequence: end.sequence } : null }
    },
  }
}

async function rowsInOrder(
  db: Database,
  events: OrderedEvents,
  query: EventQuery,
  slice: TimeSlice,
): Promise<OutboxRow[]> {
  const way = query.order === 'asc' ? 1 : -1
  const found: OutboxRow[] = []
  let after: EventPosition | null = null
  for (;;) {
    const from: EventPosition | null = after
    const { fitting, last }: Slice = await db.read(() => readSlice(events, query, from))
    found.push(...fitting)
    if (last === null || found.length >= query.limit) return found.slice(0, query.limit)
    if (from !== null) requireProgress(way * events.compare(last, from) > 0, 'events')
    after = last
    if (slice.isOver) await slice.rest()
  }
}

/** Queries that traverse rows in one order, either from the beginning or from a position. */
interface PagedQuery {
  readonly first: Query<OutboxRow>
  readonly next: Query<OutboxRow>
}

function pagedQuery(beyond: '<' | '>', direction: 'ASC' | 'DESC'): PagedQuery {
  const order = `ORDER BY sequence ${direction} LIMIT ?`
  return {
    first: OUTBOX.query(`WHERE user_id=? ${order}`),
    next: OUTBOX.query(`WHERE user_id=? AND sequence ${beyond} ? ${order}`),
  }
}

const OF_USER = { asc: pagedQuery('>', 'ASC'), desc: pagedQuery('<', 'DESC') }

interface Slice {
  readonly fitting: readonly OutboxRow[]
  /** The last row that was checked, or null at the end. */
  readonly last: EventPosition | null
}

/** Returns the matching rows among the next rows, starting after a position or at the beginning. */
function* readSlice(events: OrderedEvents, wanted: EventQuery, after: EventPosition | null): Steps<Slice> {
  const size = isFiltered(wanted) ? SLICE : Math.min(SLICE, wanted.limit)
  const seen = wanted.after
  const from = after ?? (seen && (yield* events.continueAfter(wanted.order, seen)))
  const { rows, last } = yield* events.next(wanted, from, size)
  const active: ActiveUsers = new Map()
  const fitting: OutboxRow[] = []
  for (const row of rows) if (yield* matchesEventQuery(row, wanted, active)) fitting.push(row)
  return { fitting, last }
}

/**
 * Returns the rows for a rare state. Deliveries show which events can match. These events are read a few at a time, and the first ones in
 * list order are kept.
 */
async function rareRows(db: Database, events: OrderedEvents, query: RareQuery, slice: TimeSlice): Promise<OutboxRow[]> {
  const { order, after, limit } = query
  const { chosen, from } = await db.read(function* () {
    return { chosen: yield* rareKeys(query), from: after && (yield* events.continueAfter(order, after)) }
  })
  const way = order === 'asc' ? 1 : -1
  const compare = (a: EventPosition, b: EventPosition): number => way * events.compare(a, b)
  let rows: OutboxRow[] = []
  for (let i = 0; i < chosen.length; i += SLICE) {
    const some = await db.read(() => findFitting(query, chosen.slice(i, i + SLICE)))
    const beyond = some.filter(row => from === null || compare(row, from) > 0)
    rows = [...rows, ...beyond].sort(compare).slice(0, limit)
    if (slice.isOver) await slice.rest()
  }
  return rows
}

interface EventKey {
  readonly user_id: string
  readonly sequence: number
}

/** Returns queries for events with deliveries in a rare state, for all users or one user, and for all endpoints or one endpoint. */
function rareQueries(state: string) {
  const select = (endpoint: string, isOfUser: boolean): Query<EventKey> =>
    query(
      dialect => `SELECT DISTINCT user_id, sequence FROM delivery WHERE team_id=? AND ${state}
         AND endpoint_id IN (SELECT endpoint_id FROM endpoint WHERE team_id=?${endpoint})
         ${isOfUser ? `AND ${dialect.aside('user_id')}=?` : ''}`,
    )
  const ofEndpoint = ' AND endpoint_id=?'
  return {
    ofTeam: { all: select('', false), one: select(ofEndpoint, false) },
    ofUser: { all: select('', true), one: select(ofEndpoint, true) },
  }
}

const RARE_EVENTS = { failing: rareQueries(STATES.failing), dead: rareQueries(STATES.dead) }

function* rareKeys({ teamId, userId, state, endpointId }: RareQuery): Steps<EventKey[]> {
  const { ofTeam, ofUser } = RARE_EVENTS[state]
  const statements = userId === null ? ofTeam : ofUser
  const values: SqlValue[] = [teamId, teamId]
  if (endpointId !== null) values.push(endpointId)
  if (userId !== null) values.push(userId)
  return yield* many(endpointId === null ? statements.all : statements.one, values)
}

function* findFitting(query: EventQuery, keys: readonly EventKey[]): Steps<OutboxRow[]> {
  const active: ActiveUsers = new Map()
  const fitting: OutboxRow[] = []
  for (const key of keys) {
    const row = yield* one(FIND_EVENT, [key.user_id, key.sequence])
    for (const positioned of yield* withPositions(row ? [row] : [])) {
      if (yield* matchesEventQuery(positioned, query, active)) fitting.push(positioned)
    }
  }
  return fitting
}

function* listed(rows: readonly OutboxRow[]): Steps<ListedEvent[]> {
  const events: ListedEvent[] = []
  for (const row of rows) {
    const deliveries = yield* deliveryCounts(row.user_id as UserId, row.sequence)
    events.push({ event: yield* readEvent(row), deliveries })
  }
  return events
}

/** Number of a user's rows that are read together to find the last event that was seen. Usually, it is the first of them. */
const SEEN_AT_ONCE = 20
const SEEN = OUTBOX.query('WHERE user_id=? AND sequence<=? AND sequence>? ORDER BY sequence DESC LIMIT ?')

/**
 * Returns the number after which one user's list continues. A restored store reuses numbers for later events. In that case, the arrival
 * time shows which events were seen.
 */
function* numberAfter(userId: UserId, order: EventQuery['order'], after: EventPosition): Steps<number> {
  if (order === 'desc') return after.sequence
  const floor = (yield* one(FIND_COUNTERS, [userId]))?.event_floor ?? 0
  for (let last = after.sequence; ; ) {
    const rows = yield* many(SEEN, [userId, last, floor, SEEN_AT_ONCE])
    const seen = (yield* withPositions(rows)).find(row => row.arrival >= 1 && row.arrival <= after.arrival)
    if (seen) return seen.sequence
    if (rows.length < SEEN_AT_ONCE) return floor
    const next = (rows.at(-1) as OutboxRow).sequence - 1
    requireProgress(next < last, 'events')
    last = next
  }
}

const COUNT_DELIVERIES = query<{ readonly state: string; readonly count: number }>(
  'SELECT state, count(*) AS count FROM delivery WHERE user_id=? AND sequence=? GROUP BY state',
)

/** Counts an event's deliveries. `pending` counts waiting deliveries, both after a failure and before the first attempt. */
export function* deliveryCounts(userId: UserId, sequence: number): Steps<DeliveryCounts> {
  const rows = yield* many(COUNT_DELIVERIES, [userId, sequence])
  const count = (state: string): number => rows.find(row => row.state === state)?.count ?? 0
  return { pending: count('waiting'), delivered: count('delivered'), dead: count('dead') }
}
