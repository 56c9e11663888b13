/** Lists the events of a team in the order in which they arrived, filtered by what they are and how their deliveries stand. */
import { matchesType } from '../../../catalogue/event-types.ts'
import type { UserId } from '../../../core/ids.ts'
import { Stretch } from '../../../core/turns.ts'
import type { DeliveryCounts, DeliveryFilter, EventPosition, EventQuery, ListedEvent } from '../../event.ts'
import { requireProgress } from '../checksums/damage.ts'
import { COUNTERS, OUTBOX, type OutboxRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { isActive } from '../users/users.ts'
import { eventOf } from './row.ts'

/** The condition on a row of `delivery` for each state of the filter. */
const STATES: Readonly<Record<DeliveryFilter, string>> = {
  pending: `delivery.state='waiting'`,
  failing: `delivery.state='waiting' AND delivery.attempts>0 AND delivery.round>0`,
  delivered: `delivery.state='delivered'`,
  dead: `delivery.state='dead'`,
}
/** These are few among many and have an index of their own, so they are looked up first. */
const RARE: ReadonlySet<DeliveryFilter | null> = new Set(['failing', 'dead'])

/** Rows looked at in one go: a filter that few of them match must not hold up everybody else. */
const SLICE = 200
/** Events read in one go: each may hold some thousand samples. */
const EVENTS_AT_ONCE = 20

/**
 * Lists events. Only rows that have been verified are matched with the filter: a damaged row that SQLite matched itself could be left out
 * without any error.
 */
export async function listEvents(db: Connection, query: EventQuery): Promise<ListedEvent[]> {
  const stretch = new Stretch()
  const rows = await (RARE.has(query.state) ? rareRows(db, query, stretch) : rowsInOrder(db, query, stretch))
  const found: ListedEvent[] = []
  for (let i = 0; i < rows.length; i += EVENTS_AT_ONCE) {
    const some = rows.slice(i, i + EVENTS_AT_ONCE)
    found.push(...(await db.read(() => some.map(row => listed(db, row)))))
    if (stretch.isOver) await stretch.rest()
  }
  return found
}

async function rowsInOrder(db: Connection, query: EventQuery, stretch: Stretch): Promise<OutboxRow[]> {
  const found: OutboxRow[] = []
  let after = query.after
  let isFirst = true
  for (;;) {
    const from = after
    const begins = isFirst
    const { fitting, last } = await db.read(() => sliceOf(db, query, from, begins))
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

/** Returns what matches among the next rows. `last` is the last row that was looked at, or null at the end. */
function sliceOf(
  db: Connection,
  query: EventQuery,
  after: EventPosition | null,
  isFirst: boolean,
): { readonly fitting: readonly OutboxRow[]; readonly last: EventPosition | null } {
  const { teamId, userId, order, limit } = query
  const [sign, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC']
  const size = isFiltered(query) ? SLICE : Math.min(SLICE, limit)
  let rows: OutboxRow[]
  if (userId === null) {
    const beyond = after === null ? '' : `AND (arrival, sequence) ${sign} (?,?)`
    const tail = `WHERE team_id=? AND arrival>0 ${beyond} ORDER BY arrival ${direction}, sequence ${direction} LIMIT ?`
    rows = OUTBOX.all(db, tail, teamId, ...(after === null ? [] : [after.arrival, after.sequence]), size)
  } else {
    // the events of one user are ordered by their numbers
    const place = after && (isFirst ? placeOf(db, userId, order, after) : after.sequence)
    const beyond = place === null ? '' : `AND sequence ${sign} ?`
    const tail = `WHERE user_id=? ${beyond} ORDER BY sequence ${direction} LIMIT ?`
    rows = OUTBOX.all(db, tail, userId, ...(place === null ? [] : [place]), size)
  }
  const last = rows.length < size ? undefined : rows.at(-1)
  return {
    fitting: rows.filter(fits(db, query)),
    last: last ? { arrival: last.arrival, sequence: last.sequence } : null,
  }
}

/** Deliveries tell which events can match. Those are read a few at a time, and the first ones in the order of the list are kept. */
async function rareRows(db: Connection, query: EventQuery, stretch: Stretch): Promise<OutboxRow[]> {
  const { teamId, userId, state, endpointId, order, after, limit } = query
  const chosen = await db.read(() =>
    db.all<{ user_id: string; sequence: number }>(
      `SELECT DISTINCT user_id, sequence FROM delivery WHERE team_id=? AND ${STATES[state as DeliveryFilter]}
       AND endpoint_id IN (SELECT endpoint_id FROM endpoint WHERE team_id=? AND (? IS NULL OR endpoint_id=?))
       AND (? IS NULL OR user_id=?)`,
      teamId,
      teamId,
      endpointId,
      endpointId,
      userId,
      userId,
    ),
  )
  const place = after && userId !== null ? await db.read(() => placeOf(db, userId, order, after)) : null
  const way = order === 'asc' ? 1 : -1
  const compare = (a: EventPosition, b: EventPosition): number =>
    way * ((userId === null ? a.arrival - b.arrival : 0) || a.sequence - b.sequence)
  const from = after && { arrival: after.arrival, sequence: place ?? after.sequence }
  let rows: OutboxRow[] = []
  for (let i = 0; i < chosen.length; i += SLICE) {
    const some = await db.read(() => {
      const isWanted = fits(db, query)
      return chosen.slice(i, i + SLICE).flatMap(key => {
        const row = OUTBOX.get(db, 'WHERE user_id=? AND sequence=?', key.user_id, key.sequence)
        return row && isWanted(row) && (from === null || compare(row, from) > 0) ? [row] : []
      })
    })
    rows = [...rows, ...some].sort(compare).slice(0, limit)
    if (stretch.isOver) await stretch.rest()
  }
  return rows
}

function isFiltered({ types, since, until, state, endpointId }: EventQuery): boolean {
  return [types, since, until, state, endpointId].some(each => each !== null)
}

function fits(db: Connection, query: EventQuery): (row: OutboxRow) => boolean {
  const { teamId, types, since, until, state, endpointId } = query
  const active = new Map<string, boolean>()
  const isShown = (userId: string): boolean => {
    const known = active.get(userId) ?? isActive(db, teamId, userId)
    active.set(userId, known)
    return known
  }
  const delivery = `SELECT 1 FROM delivery WHERE user_id=? AND sequence=? AND (? IS NULL OR endpoint_id=?)
    ${state === null ? '' : `AND ${STATES[state]}`}`
  return row =>
    row.team_id === teamId &&
    row.arrival > 0 &&
    (types === null || types.some(pattern => matchesType(pattern, row.type))) &&
    (since === null || row.at >= since) &&
    (until === null || row.at <= until) &&
    isShown(row.user_id) &&
    ((state === null && endpointId === null) ||
      db.get(delivery, row.user_id, row.sequence, endpointId, endpointId) !== undefined)
}

function listed(db: Connection, row: OutboxRow): ListedEvent {
  const deliveries = deliveryCounts(db, row.user_id as UserId, row.sequence)
  return { event: eventOf(db, row), deliveries }
}

/** Rows of a user looked at together to find the last event that was seen. Usually it is the first of them. */
const SEEN_AT_ONCE = 20

/**
 * Returns the number after which the list of one user continues. A restored store uses numbers again for what happens from then on; then
 * the time of arrival tells what was seen.
 */
function placeOf(db: Connection, userId: UserId, order: EventQuery['order'], after: EventPosition): number {
  if (order === 'desc') return after.sequence
  const floor = COUNTERS.get(db, 'WHERE user_id=?', userId)?.event_floor ?? 0
  const tail = 'WHERE user_id=? AND sequence<=? AND sequence>? ORDER BY sequence DESC LIMIT ?'
  for (let last = after.sequence; ; ) {
    const rows = OUTBOX.all(db, tail, userId, last, floor, SEEN_AT_ONCE)
    const seen = rows.find(row => row.arrival >= 1 && row.arrival <= after.arrival)
    if (seen) return seen.sequence
    if (rows.length < SEEN_AT_ONCE) return floor
    const next = (rows.at(-1) as OutboxRow).sequence - 1
    requireProgress(next < last, 'events')
    last = next
  }
}

/** Counts the deliveries of an event. `pending` are those that wait, after a failure or before the first attempt. */
export function deliveryCounts(db: Connection, userId: UserId, sequence: number): DeliveryCounts {
  const rows = db.all<{ state: string; count: number }>(
    'SELECT state, count(*) AS count FROM delivery WHERE user_id=? AND sequence=? GROUP BY state',
    userId,
    sequence,
  )
  const count = (state: string): number => rows.find(row => row.state === state)?.count ?? 0
  return { pending: count('waiting'), delivered: count('delivered'), dead: count('dead') }
}
