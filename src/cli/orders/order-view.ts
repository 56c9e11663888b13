/** Shows lab orders and their results in tables and csv. */
import type { ResponseOf } from '../../client/client.ts'
import { type Facts, facts, fields, ranked, type View, view } from '../../output/view.ts'

export type Order = ResponseOf<'order.get'>
type Result = ResponseOf<'order.result'>

/** Returns one row for each order. */
export function ordersView(orders: readonly Order[]): View<Order> {
  return ranked(
    ['status', 'lab_test', 'id', 'created_at', 'interpretation', 'user_id'],
    view(
      orders,
      {
        ...fields<Order>('id', 'user_id', 'created_at'),
        lab: order => order.lab_test.lab?.slug,
        lab_test: order => order.lab_test.name,
        status: order => order.last_event.status,
        interpretation: order => order.interpretation,
      },
      'No orders. Create one with `svc order create USER --lab-test TEST`.',
    ),
  )
}

/** Returns the main facts of an order; json contains all facts. */
export function orderFacts(order: Order): Facts {
  return {
    ...facts(order, 'id', 'user_id'),
    status: order.last_event.status,
    since: order.last_event.created_at,
    created_at: order.created_at,
    lab: order.lab_test.lab?.name,
    lab_test: order.lab_test.name,
    price: order.lab_test.price,
    collection_method: order.details.type,
    ...facts(order, 'sample_id', 'activate_by', 'expected_result_by_date', 'interpretation', 'has_missing_results'),
    requisition_form_url: order.requisition_form_url,
    events: order.events.map(each => `${each.created_at} ${each.status}`).join('; '),
  }
}

/** Returns one row for each result, with missing results last. */
export function resultView(result: Result): View<Line> {
  const missing = result.missing_results.map(each => ({
    name: each.name,
    result: '',
    flag: each.inferred_failure_type,
    loinc: each.loinc,
  }))
  const lines = result.results.map(each => ({
    name: each.name,
    result: each.result,
    flag: each.source_interpretation,
    unit: each.unit,
    range: each.reference_range,
    loinc: each.loinc,
  }))
  return view<Line>([...lines, ...missing], fields<Line>('name', 'result', 'flag', 'unit', 'range', 'loinc'))
}

interface Line {
  readonly name: string
  readonly result: string
  readonly flag: string | null
  readonly unit?: string | null
  readonly range?: string | null
  readonly loinc: string | null
}
