/** Filters event lists by event fields and delivery state. */
import { matchesType } from '../../../catalogue/event-types.ts'
import type { DeliveryFilter, EventQuery } from '../../event.ts'
import type { OutboxRow } from '../rows/tables.ts'
import { exists, query, type Steps } from '../steps.ts'
import { isActive } from '../users/users.ts'

/** Condition on a `delivery` row for each delivery state in the filter. */
export const STATES: Readonly<Record<DeliveryFilter, string>> = {
  pending: `delivery.state='waiting'`,
  failing: `delivery.state='waiting' AND delivery.attempts>0 AND delivery.round>0`,
  delivered: `delivery.state='delivered'`,
  dead: `delivery.state='dead'`,
}

/** A list of events with deliveries in a rare state. These deliveries have their own index, so they are looked up first. */
export interface RareQuery extends EventQuery {
  readonly state: 'failing' | 'dead'
}

export function isRare(query: EventQuery): query is RareQuery {
  return query.state === 'failing' || query.state === 'dead'
}

/** Returns whether the list omits any events. */
export function isFiltered({ types, since, until, state, endpointId }: EventQuery): boolean {
  return [types, since, until, state, endpointId].some(each => each !== null)
}

/** Returns queries for whether an event has a delivery that meets a condition, either to any endpoint or to a given one. */
function deliveryQueries(condition: string) {
  const select = `SELECT 1 FROM delivery WHERE user_id=? AND sequence=? ${condition}`
  return { any: query(select), one: query(`${select} AND endpoint_id=?`) }
}

const HAS_DELIVERY = {
  any: deliveryQueries(''),
  pending: deliveryQueries(`AND ${STATES.pending}`),
  failing: deliveryQueries(`AND ${STATES.failing}`),
  delivered: deliveryQueries(`AND ${STATES.delivered}`),
  dead: deliveryQueries(`AND ${STATES.dead}`),
}

/** The users that were looked up, and whether each one is active. */
export type ActiveUsers = Map<string, boolean>

/** Returns whether the list includes an event. */
export function* matchesEventQuery(row: OutboxRow, query: EventQuery, active: ActiveUsers): Steps<boolean> {
  const { teamId, types, since, until } = query
  if (row.team_id !== teamId || row.arrival <= 0) return false
  if (types !== null && !types.some(pattern => matchesType(pattern, row.type))) return false
  if ((since !== null && row.at < since) || (until !== null && row.at > until)) return false
  return (yield* isShown(row, active)) && (yield* hasDelivery(row, query))
}

function* isShown({ team_id: teamId, user_id: userId }: OutboxRow, active: ActiveUsers): Steps<boolean> {
  const known = active.get(userId) ?? (yield* isActive(teamId, userId))
  active.set(userId, known)
  return known
}

function* hasDelivery({ user_id, sequence }: OutboxRow, { state, endpointId }: EventQuery): Steps<boolean> {
  if (state === null && endpointId === null) return true
  const statements = HAS_DELIVERY[state ?? 'any']
  if (endpointId === null) return yield* exists(statements.any, [user_id, sequence])
  return yield* exists(statements.one, [user_id, sequence, endpointId])
}
