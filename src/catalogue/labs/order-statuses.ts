/** A lab order's states and the transitions between them, by collection method. See docs/interface/orders.md#orders-5. */
import type { CollectionMethod } from './labs.ts'

export type OrderTopStatus = 'received' | 'collecting_sample' | 'sample_with_lab' | 'completed' | 'cancelled' | 'failed'

/** `received.testkit.ordered`: the top-level status, the collection method and the low-level status. */
export type OrderStatus = string

interface State {
  readonly top: OrderTopStatus
  /** Low-level statuses that may follow, with the usual one first; empty for a final state. */
  readonly next: readonly string[]
}
type Machine = Readonly<Record<string, State>>

const state = (top: OrderTopStatus, ...next: readonly string[]): State => ({ top, next })

const REQUISITION = ['requisition_created', 'requisition_bypassed'] as const
const APPOINTMENT = ['appointment_scheduled', 'appointment_pending'] as const
const OUTCOME = ['completed', 'partial_results', 'sample_error', 'lab_processing_blocked'] as const

/** Ways in which every order may end. A report can be corrected once. */
const REPORTED: Machine = {
  completed: state('completed', 'corrected'),
  corrected: state('completed'),
  sample_error: state('failed'),
  cancelled: state('cancelled'),
}

const WALK_IN: Machine = {
  ordered: state('received', ...REQUISITION, 'cancelled'),
  requisition_created: state('received', ...OUTCOME, ...APPOINTMENT, 'redraw_available', 'cancelled'),
  requisition_bypassed: state('received', ...OUTCOME, ...APPOINTMENT, 'redraw_available', 'cancelled'),
  appointment_pending: state('collecting_sample', 'appointment_scheduled', 'appointment_cancelled', 'cancelled'),
  appointment_scheduled: state(
    'collecting_sample',
    ...OUTCOME,
    'appointment_pending',
    'appointment_cancelled',
    'redraw_available',
    'cancelled',
  ),
  appointment_cancelled: state('collecting_sample', ...APPOINTMENT, 'cancelled'),
  redraw_available: state('collecting_sample', ...OUTCOME, ...APPOINTMENT),
  lab_processing_blocked: state('sample_with_lab', 'completed', 'partial_results', 'sample_error'),
  partial_results: state('sample_with_lab', 'completed', 'sample_error', 'redraw_available'),
  ...REPORTED,
}

const AT_HOME: Machine = {
  ordered: state('received', ...REQUISITION, 'cancelled'),
  requisition_created: state('received', ...APPOINTMENT, 'cancelled'),
  requisition_bypassed: state('received', ...APPOINTMENT, 'cancelled'),
  appointment_pending: state('collecting_sample', 'appointment_scheduled', 'appointment_cancelled', 'cancelled'),
  appointment_scheduled: state(
    'collecting_sample',
    'draw_completed',
    'appointment_pending',
    'appointment_cancelled',
    'cancelled',
  ),
  appointment_cancelled: state('collecting_sample', ...APPOINTMENT, 'cancelled'),
  draw_completed: state('collecting_sample', ...OUTCOME, 'cancelled'),
  lab_processing_blocked: state('sample_with_lab', 'completed', 'partial_results', 'sample_error'),
  partial_results: state('sample_with_lab', 'completed', 'sample_error'),
  ...REPORTED,
}

const ON_SITE: Machine = {
  ordered: state('received', ...REQUISITION, 'cancelled'),
  requisition_created: state('received', 'draw_completed', 'cancelled'),
  requisition_bypassed: state('received', 'draw_completed', 'cancelled'),
  draw_completed: state('sample_with_lab', ...OUTCOME, 'cancelled'),
  lab_processing_blocked: state('sample_with_lab', 'completed', 'partial_results', 'sample_error'),
  partial_results: state('sample_with_lab', 'completed', 'sample_error'),
  ...REPORTED,
}

const DELIVERY = ['problem_in_transit_customer', 'failure_to_deliver_to_customer', 'lost'] as const
const RETURN = ['problem_in_transit_lab', 'failure_to_deliver_to_lab', 'lost'] as const

const TESTKIT: Machine = {
  ordered: state('received', ...REQUISITION, 'awaiting_registration', 'cancelled', 'do_not_process'),
  awaiting_registration: state('received', 'registered', 'cancelled', 'do_not_process'),
  registered: state('received', ...REQUISITION),
  requisition_created: state('received', 'transit_customer', 'cancelled', 'do_not_process'),
  requisition_bypassed: state('received', 'transit_customer', 'cancelled', 'do_not_process'),
  transit_customer: state('collecting_sample', 'out_for_delivery', 'with_customer', ...DELIVERY),
  out_for_delivery: state('collecting_sample', 'with_customer', ...DELIVERY),
  problem_in_transit_customer: state(
    'collecting_sample',
    'out_for_delivery',
    'with_customer',
    'failure_to_deliver_to_customer',
    'lost',
  ),
  with_customer: state('collecting_sample', 'transit_lab', 'lost'),
  transit_lab: state('collecting_sample', 'delivered_to_lab', ...RETURN),
  problem_in_transit_lab: state('collecting_sample', 'delivered_to_lab', 'failure_to_deliver_to_lab', 'lost'),
  delivered_to_lab: state('sample_with_lab', ...OUTCOME),
  lab_processing_blocked: state('sample_with_lab', 'completed', 'partial_results', 'sample_error'),
  partial_results: state('sample_with_lab', 'completed', 'sample_error'),
  failure_to_deliver_to_customer: state('failed'),
  failure_to_deliver_to_lab: state('failed'),
  lost: state('failed'),
  do_not_process: state('cancelled'),
  ...REPORTED,
}

/** State machines by collection method and low-level status. */
export const ORDER_MACHINES: Readonly<Record<CollectionMethod, Machine>> = {
  testkit: TESTKIT,
  walk_in_test: WALK_IN,
  at_home_phlebotomy: AT_HOME,
  on_site_collection: ON_SITE,
}

/** The first status of every order. */
export const FIRST_STATUS = 'ordered'
/** Statuses in which the lab has reported results. */
export const REPORTED_STATUSES: readonly string[] = ['partial_results', 'completed', 'corrected']
/** Statuses in which the patient no longer has the sample. The days until a result are counted from the first of these statuses. */
export const COLLECTED_STATUSES: readonly string[] = [
  'transit_lab',
  'delivered_to_lab',
  'draw_completed',
  'lab_processing_blocked',
  ...REPORTED_STATUSES,
]
/** Final statuses of orders without a result. */
export const CANCELLED_STATUSES: readonly string[] = ['cancelled', 'do_not_process']

/** Returns a status's full name. Throws an Error if the method has no such status, which is a bug. */
export function statusName(method: CollectionMethod, low: string): OrderStatus {
  const known = ORDER_MACHINES[method][low]
  if (!known) throw new Error(`Orders by ${method} have no status ${low}.`)
  return `${known.top}.${method}.${low}`
}

/** Returns a status's last part: `ordered`. */
export function lowStatus(status: OrderStatus): string {
  return status.slice(status.lastIndexOf('.') + 1)
}

/** Returns a status's first part: `received`. */
export function topStatus(status: OrderStatus): OrderTopStatus {
  return status.slice(0, status.indexOf('.')) as OrderTopStatus
}

/** Returns the statuses that may follow this one, with the usual one first. */
export function nextStatuses(method: CollectionMethod, low: string): readonly string[] {
  return ORDER_MACHINES[method][low]?.next ?? []
}

/**
 * Returns the shortest path from one status to another, without the starting status, or null if there is no path. If there are several
 * shortest paths, returns the usual one.
 */
export function wayBetween(method: CollectionMethod, from: string, to: string): readonly string[] | null {
  const ways: string[][] = nextStatuses(method, from).map(next => [next])
  const seen = new Set([from])
  // breadth-first: the loop appends to `ways` while iterating over it
  for (const way of ways) {
    const last = way.at(-1) as string
    if (last === to) return way
    if (seen.has(last)) continue
    seen.add(last)
    for (const next of nextStatuses(method, last)) ways.push([...way, next])
  }
  return null
}

/** Returns the statuses that `wayBetween` finds a path to, nearest first. */
export function reachableStatuses(method: CollectionMethod, from: string): readonly string[] {
  const found = new Set(nextStatuses(method, from))
  // iterating over a set also visits elements added during the iteration
  for (const low of found) for (const next of nextStatuses(method, low)) found.add(next)
  return [...found]
}

/** All statuses of all methods. */
export const ORDER_STATUSES: readonly OrderStatus[] = Object.entries(ORDER_MACHINES).flatMap(([method, machine]) =>
  Object.keys(machine).map(low => statusName(method as CollectionMethod, low)),
)

/** All low-level statuses, without duplicates. */
export const LOW_STATUSES: readonly string[] = [...new Set(Object.values(ORDER_MACHINES).flatMap(Object.keys))]
