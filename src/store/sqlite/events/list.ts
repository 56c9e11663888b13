/** Lists events of a team in the order in which they arrived, by what they are and how their deliveries stand. */
import type { UserId } from '../../../core/ids.ts'
import { Stretch } from '../../../core/turns.ts'
import type { DeliveryCounts, DeliveryFilter, EventPosition, EventQuery, ListedEvent } from '../../event.ts'
import type { Connection, SqlValue } from '../connection.ts'
import { EVENT_COLUMNS, type EventRow, eventOf } from './row.ts'

/** What a row of `delivery` says in each state of the filter. */
const STATES: Readonly<Record<DeliveryFilter, string>> = {
  pending: `delivery.state='waiting'`,
  failing: `delivery.state='waiting' AND delivery.attempts>0 AND delivery.round>0`,
  delivered: `delivery.state='delivered'`,
  dead: `delivery.state='dead'`,
}
/** Few among many, and found by an index of their own: they are looked for first. */
const RARE: ReadonlySet<DeliveryFilter | null> = new Set(['failing', 'dead'])

/** Rows looked at in one go: a filter that few fit must not hold up everybody else. */
const SLICE = 10_000
/** Events taken in one go: each may hold some thousand samples. */
const EVENTS_AT_ONCE = 20

export async function listEvents(connection: Connection, query: EventQuery): Promise<ListedEvent[]> {
  const stretch = new Stretch()
  const found: ListedEvent[] = []
  let after = query.after
  for (;;) {
    const from = { ...query, after }
    // these few are found without a walk
    const edge = RARE.has(query.state) ? null : await connection.read(() => edgeOf(connection, from))
    for (let isMore = true; isMore && found.length < query.limit; ) {
      const some = { ...query, after, limit: Math.min(query.limit - found.length, EVENTS_AT_ONCE) }
      const events = await connection.read(() => fitting(connection, some, edge))
      found.push(...events)
      isMore = events.length === some.limit
      after = events.at(-1)?.event ?? after
      if (stretch.isOver) await stretch.rest()
    }
    if (edge === null || found.length >= query.limit) return found
    after = edge
  }
}

/** The place of the last row of a slice, whether it fits or not; null at the end. */
function edgeOf(connection: Connection, query: EventQuery): EventPosition | null {
  const { teamId, userId, order, after } = query
  const [sign, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC']
  const [owner, key] =
    userId === null ? (['team_id', ['arrival', 'sequence']] as const) : (['user_id', ['sequence']] as const)
  const place = after === null ? [] : placesOf(connection, query, after)
  const beyond = place.length === 0 ? '' : `AND (${key.join(', ')}) ${sign} (${place.map(() => '?').join(', ')})`
  return (
    connection.get<EventPosition>(
      `SELECT arrival, sequence FROM outbox WHERE ${owner}=? ${beyond}
       ORDER BY ${key.map(column => `${column} ${direction}`).join(', ')} LIMIT 1 OFFSET ${SLICE - 1}`,
      userId ?? teamId,
      ...place,
    ) ?? null
  )
}

function placesOf(connection: Connection, { userId, order }: EventQuery, after: EventPosition): number[] {
  return userId === null ? [after.arrival, after.sequence] : [placeOf(connection, userId, order, after)]
}

/** Inside a read: the next up to the edge. */
function fitting(connection: Connection, query: EventQuery, edge: EventPosition | null): ListedEvent[] {
  const { sql, values } = statementOf(connection, query, edge)
  return connection.all<EventRow>(sql, ...values).map(row => ({
    event: eventOf(connection, row),
    deliveries: deliveryCounts(connection, row.user_id as UserId, row.sequence),
  }))
}

function statementOf(
  connection: Connection,
  query: EventQuery,
  edge: EventPosition | null,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const { teamId, types, userId, since, until, state, endpointId, order, after, limit } = query
  const values: SqlValue[] = []
  const conditions: string[] = []
  const where = (condition: string, ...given: readonly SqlValue[]): void => {
    conditions.push(condition)
    values.push(...given)
  }
  const isRare = RARE.has(state)
  let from = 'outbox'
  if (isRare && state !== null) {
    from = `(SELECT DISTINCT user_id, sequence FROM delivery WHERE delivery.team_id=? AND ${STATES[state]}
      AND delivery.endpoint_id IN (SELECT endpoint_id FROM endpoint WHERE team_id=? AND (? IS NULL OR endpoint_id=?))) AS chosen
      CROSS JOIN outbox ON outbox.user_id=chosen.user_id AND outbox.sequence=chosen.sequence`
    values.push(teamId, teamId, endpointId, endpointId)
  }
  // the plus keeps the planner from the index of the whole team where one user is asked for
  where(`${userId === null && !isRare ? '' : '+'}outbox.team_id=?`, teamId)
  where('outbox.arrival>0')
  where('user.deleted_at IS NULL')
  if (userId !== null) where('outbox.user_id=?', userId)
  if (types !== null) where(`(${types.map(() => 'outbox.type GLOB ?').join(' OR ')})`, ...types)
  if (since !== null) where('outbox.at>=?', since)
  if (until !== null) where('outbox.at<=?', until)
  if (!isRare && (state !== null || endpointId !== null)) {
    where(
      `EXISTS (SELECT 1 FROM delivery WHERE delivery.user_id=outbox.user_id AND delivery.sequence=outbox.sequence
        AND (? IS NULL OR delivery.endpoint_id=?)${state === null ? '' : ` AND ${STATES[state]}`})`,
      endpointId,
      endpointId,
    )
  }
  const [sign, direction] = order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC']
  // the events of one user are in the order of their numbers
  const key = userId === null ? ['outbox.arrival', 'outbox.sequence'] : ['outbox.sequence']
  if (after !== null) {
    const place = placesOf(connection, query, after)
    where(`(${key.join(', ')}) ${sign} (${place.map(() => '?').join(', ')})`, ...place)
  }
  if (edge !== null) {
    const place = userId === null ? [edge.arrival, edge.sequence] : [edge.sequence]
    where(`(${key.join(', ')}) ${order === 'asc' ? '<=' : '>='} (${place.map(() => '?').join(', ')})`, ...place)
  }
  const sorted = key.map(column => `${column} ${direction}`).join(', ')
  return {
    sql: `SELECT ${EVENT_COLUMNS} FROM ${from} CROSS JOIN user ON user.user_id=outbox.user_id
      WHERE ${conditions.join(' AND ')} ORDER BY ${sorted} LIMIT ?`,
    values: [...values, limit],
  }
}

/**
 * The number after which the list of one user goes on. A store that was put back numbers what happens from then on anew: then it
 * is the time of arrival that tells what was seen.
 */
function placeOf(connection: Connection, userId: UserId, order: EventQuery['order'], after: EventPosition): number {
  if (order === 'desc') return after.sequence
  const floor = connection.get<{ event_floor: number }>(
    'SELECT event_floor FROM user WHERE user_id=?',
    userId,
  )?.event_floor
  const seen = connection.get<{ sequence: number }>(
    `SELECT sequence FROM outbox WHERE user_id=? AND sequence<=? AND sequence>? AND arrival BETWEEN 1 AND ?
     ORDER BY sequence DESC LIMIT 1`,
    userId,
    after.sequence,
    floor ?? 0,
    after.arrival,
  )
  return seen?.sequence ?? floor ?? 0
}

/** `pending` are those that wait, after a failure or before the first attempt. */
export function deliveryCounts(connection: Connection, userId: UserId, sequence: number): DeliveryCounts {
  const rows = connection.all<{ state: string; count: number }>(
    'SELECT state, count(*) AS count FROM delivery WHERE user_id=? AND sequence=? GROUP BY state',
    userId,
    sequence,
  )
  const count = (state: string): number => rows.find(row => row.state === state)?.count ?? 0
  return { pending: count('waiting'), delivered: count('delivered'), dead: count('dead') }
}
