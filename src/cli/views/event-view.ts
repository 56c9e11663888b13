/** Shows events in tables, as a list or as one event with its deliveries. */
import type { ResponseOf } from '../../client/client.ts'
import { type Cell, type Facts, factSheet, fields, ranked, uncut, type View, view } from '../../output/view.ts'

type Listed = ResponseOf<'event.list'>['data'][number]
type EventDetails = ResponseOf<'event.get'>
type Attempt = EventDetails['deliveries'][number]['attempts'][number]

/** Shows the body of an event only if it was requested. */
export function eventsView(events: readonly Listed[]): View<Listed> {
  const columns: Record<string, (event: Listed) => Cell> = {
    ...fields<Listed>('at', 'event_type'),
    user: event => event.client_user_id,
    ...fields<Listed>('sequence', 'samples'),
    pending: event => event.deliveries.pending,
    delivered: event => event.deliveries.delivered,
    dead: event => event.deliveries.dead,
    event_id: event => event.event_id,
  }
  if (events.some(each => each.payload !== undefined)) columns['payload'] = event => JSON.stringify(event.payload)
  const order = ['event_type', 'at', 'user', 'event_id', 'payload', 'dead', 'pending', 'delivered', 'samples']
  return uncut(ranked(order, view(events, columns, 'No events.')), 'event_type')
}

/** Returns one line for each endpoint and each attempt; `--body` prints the body separately. */
export function eventView(event: EventDetails): View<Facts> {
  const { deliveries, payload: _, ...facts } = event
  const lines: Record<string, Cell> = { ...facts }
  for (const [i, each] of deliveries.entries()) {
    const name = deliveries.length === 1 ? 'delivery' : `delivery ${i + 1}`
    const next = each.next_attempt_at === null ? '' : `, next attempt ${each.next_attempt_at}`
    lines[name] = `${each.state}${next}: ${each.url} (${each.endpoint_id})`
    for (const attempt of each.attempts) lines[`${name}, attempt ${attempt.number}`] = attemptText(attempt)
  }
  if (deliveries.length === 0) lines['delivery'] = 'none: no endpoint subscribed to it'
  return factSheet(lines)
}

function attemptText({ at, status, error, ms }: Attempt): string {
  // The status is already shown, so drop it from the error.
  const why = error?.replace(/^responded with \d{3}(: )?/, '') ?? ''
  const outcome = [status === null ? '' : `HTTP ${status}`, why].filter(text => text !== '')
  return `${at}  ${outcome.join(': ') || 'delivered'}  ${ms} ms`
}
