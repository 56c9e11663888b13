/** Lists the events of a team in the order in which they arrived, filtered by what they are and how their deliveries stand. */
import type { UserId } from '../../../core/ids.ts'
import { Stretch } from '../../../core/turns.ts'
import type { DeliveryCounts, EventPosition, EventQuery, ListedEvent } from '../../event.ts'
import type { Database } from '../database.ts'
import { requireProgress } from '../rows/damage.ts'
import { OUTBOX, type OutboxRow } from '../rows/tables.ts'
import { many, one, type Query, query, type SqlValue, type Steps } from '../steps.ts'
import { type ActiveUsers, fits, isFiltered, isRare, type RareQuery, STATES } from './filter.ts'
import { type TeamRows, teamRows, withPlaces } from './places.ts'
import { eventOf, FIND_COUNTERS, FIND_EVENT } from './row.ts'

/** Rows looked at in one go: a filter that few of them match must not hold up everybody else. */
const SLICE = 200
/** Events read in one go: each may hold some thousand samples. */
const EVENTS_AT_ONCE = 20

/**
 * Lists events. Only rows that have been verified are matched with the filter: a damaged row that the database matched itself could be left out
 * without any error.
 */
export async function listEvents(db: Database, query: EventQuery): Promise<ListedEvent[]> {
  const stretch = new Stretch()
  const rows = await (isRare(query) ? rareRows(db, query, stretch) : rowsInOrder(db, query, stretch))
  const found: ListedEvent[] = []
  for (let i = 0; i < rows.length; i += EVENTS_AT_ONCE) {
    const some = rows.slice(i, i + EVENTS_AT_ONCE)
    found.push(...(await db.read(() => listed(some))))
    if (stretch.isOver) await stretch.rest()
  }
  return found
}

async function rowsInOrder(db: Database, query: EventQuery, stretch: Stretch): Promise<OutboxRow[]> {
  const found: OutboxRow[] = []
  let after = query.after
  let isFirst = true
  for (;;) {
    const from = after
    const begins = isFirst
    const { fitting, last } = await db.read(() => sliceOf(query, from, begins))
    found.push(...fitting)
    if (last === null || found.length >= query.limit) return found.slice(0, query.limit)
    if (from !== null && !begins) requireProgress(isFurther(query, from, last), 'events')
    after = last
    isFirst = false
    if (stretch.isOver) await stretch.rest()
  }
}

function isFurther({ userId, order }: EventQuery, before: EventPosition, last: EventPosition): boolean {
  const steps = (userId === null ? last.arrival - before.arrival : 0) || last.sequence - before.sequence
  return order === 'asc' ? steps > 0 : steps < 0
}

/** A way through rows in one order: from its beginning, and from a place in it. */
interface Walk {
  readonly first: Query<OutboxRow>
  readonly next: Query<OutboxRow>
}

function walkOfUser(beyond: '<' | '>', direction: 'ASC' | 'DESC'): Walk {
  const order = `ORDER BY sequence ${direction} LIMIT ?`
  return {
    first: OUTBOX.query(`WHERE user_id=? ${order}`),
    next: OUTBOX.query(`WHERE user_id=? AND sequence ${beyond} ? ${order}`),
  }
}

const OF_USER = { asc: walkOfUser('>', 'ASC'), desc: walkOfUser('<', 'DESC') }

interface Slice {
  readonly fitting: readonly OutboxRow[]
  /** The last row that was looked at, or null at the end. */
  readonly last: EventPosition | null
}

/** Returns what matches among the next rows. */
function* sliceOf(wanted: EventQuery, after: EventPosition | null, isFirst: boolean): Steps<Slice> {
  const size = isFiltered(wanted) ? SLICE : Math.min(SLICE, wanted.limit)
  const { rows, last } = yield* rowsAfter(wanted, after, { isFirst, size })
  const active: ActiveUsers = new Map()
  const fitting: OutboxRow[] = []
  for (const row of rows) if (yield* fits(row, wanted, active)) fitting.push(row)
  return { fitting, last }
}

function* rowsAfter(
  { teamId, userId, order }: EventQuery,
  after: EventPosition | null,
  { isFirst, size }: { readonly isFirst: boolean; readonly size: number },
): Steps<TeamRows> {
  if (userId === null) return yield* teamRows(teamId, order, after, size)
  const all = yield* rowsOfUser(userId, order, after, { isFirst, size })
  const rows = yield* withPlaces(all)
  // what follows an event without a place may have one a moment later, and would be shown before it
  const isEnd = all.length < size || (order === 'asc' && rows.length < all.length)
  const end = isEnd ? undefined : all.at(-1)
  return { rows, last: end ? { arrival: end.arrival, sequence: end.sequence } : null }
}

/** The events of one user are ordered by their numbers. */
function* rowsOfUser(
  userId: UserId,
  order: EventQuery['order'],
  after: EventPosition | null,
  { isFirst, size }: { readonly isFirst: boolean; readonly size: number },
): Steps<OutboxRow[]> {
  if (after === null) return yield* many(OF_USER[order].first, [userId, size])
  const place = isFirst ? yield* placeOf(userId, order, after) : after.sequence
  return yield* many(OF_USER[order].next, [userId, place, size])
}

/** Deliveries tell which events can match. Those are read a few at a time, and the first ones in the order of the list are kept. */
async function rareRows(db: Database, query: RareQuery, stretch: Stretch): Promise<OutboxRow[]> {
  const { userId, order, after, limit } = query
  const chosen = await db.read(() => rareKeys(query))
  const place = after && userId !== null ? await db.read(() => placeOf(userId, order, after)) : null
  const way = order === 'asc' ? 1 : -1
  const compare = (a: EventPosition, b: EventPosition): number =>
    way * ((userId === null ? a.arrival - b.arrival : 0) || a.sequence - b.sequence)
  const from = after && { arrival: after.arrival, sequence: place ?? after.sequence }
  let rows: OutboxRow[] = []
  for (let i = 0; i < chosen.length; i += SLICE) {
    const some = await db.read(() => fittingOf(query, chosen.slice(i, i + SLICE)))
    const beyond = some.filter(row => from === null || compare(row, from) > 0)
    rows = [...rows, ...beyond].sort(compare).slice(0, limit)
    if (stretch.isOver) await stretch.rest()
  }
  return rows
}

interface EventKey {
  readonly user_id: string
  readonly sequence: number
}

/** The events with deliveries in a rare state: of all users or of one, to all endpoints or to one. */
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

function* fittingOf(query: EventQuery, keys: readonly EventKey[]): Steps<OutboxRow[]> {
  const active: ActiveUsers = new Map()
  const fitting: OutboxRow[] = []
  for (const key of keys) {
    const row = yield* one(FIND_EVENT, [key.user_id, key.sequence])
    for (const placed of yield* withPlaces(row ? [row] : [])) {
      if (yield* fits(placed, query, active)) fitting.push(placed)
    }
  }
  return fitting
}

function* listed(rows: readonly OutboxRow[]): Steps<ListedEvent[]> {
  const events: ListedEvent[] = []
  for (const row of rows) {
    const deliveries = yield* deliveryCounts(row.user_id as UserId, row.sequence)
    events.push({ event: yield* eventOf(row), deliveries })
  }
  return events
}

/** Rows of a user looked at together to find the last event that was seen. Usually it is the first of them. */
const SEEN_AT_ONCE = 20
const SEEN = OUTBOX.query('WHERE user_id=? AND sequence<=? AND sequence>? ORDER BY sequence DESC LIMIT ?')

/**
 * Returns the number after which the list of one user continues. A restored store uses numbers again for what happens from then on; then
 * the time of arrival tells what was seen.
 */
function* placeOf(userId: UserId, order: EventQuery['order'], after: EventPosition): Steps<number> {
  if (order === 'desc') return after.sequence
  const floor = (yield* one(FIND_COUNTERS, [userId]))?.event_floor ?? 0
  for (let last = after.sequence; ; ) {
    const rows = yield* many(SEEN, [userId, last, floor, SEEN_AT_ONCE])
    const seen = (yield* withPlaces(rows)).find(row => row.arrival >= 1 && row.arrival <= after.arrival)
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

/** Counts the deliveries of an event. `pending` are those that wait, after a failure or before the first attempt. */
export function* deliveryCounts(userId: UserId, sequence: number): Steps<DeliveryCounts> {
  const rows = yield* many(COUNT_DELIVERIES, [userId, sequence])
  const count = (state: string): number => rows.find(row => row.state === state)?.count ?? 0
  return { pending: count('waiting'), delivered: count('delivered'), dead: count('dead') }
}
