/** The body of a webhook (interface.md 6.1): made of the event as it is kept, and the same bytes for ever. */
import type { OutboxEvent } from '../../store/event.ts'
import { payloadOf } from './payload.ts'
import { shrinkPayload } from './shrink-payload.ts'

/** The envelope; `data` is the payload of the event's type. */
export interface EventBody {
  readonly event_type: string
  readonly data: unknown
  readonly team_id: string
  readonly user_id: string
  readonly client_user_id: string
}

/** The body as it is sent, in JSON of at most 1 MiB. */
export function renderEvent(event: OutboxEvent): string {
  return rendered(event).text
}

/** The same as an object. */
export function renderedBody(event: OutboxEvent): EventBody {
  return rendered(event).body
}

/** Both. */
export function rendered(event: OutboxEvent): { readonly body: EventBody; readonly text: string } {
  const body = eventBody(event)
  const text = JSON.stringify(body)
  if (Buffer.byteLength(text) <= MOST_BODY_BYTES) return { body, text }
  const smaller = fittedBody(body)
  return { body: smaller, text: JSON.stringify(smaller) }
}

/** interface-gaps, webhook body size. */
export const MOST_BODY_BYTES = 1 << 20

function eventBody(event: OutboxEvent): EventBody {
  const { type, teamId, userId, clientUserId } = event
  return {
    event_type: type,
    data: payloadOf(event),
    team_id: teamId,
    user_id: userId,
    client_user_id: clientUserId,
  }
}

function fittedBody(body: EventBody): EventBody {
  const envelope = Buffer.byteLength(JSON.stringify({ ...body, data: null }))
  return { ...body, data: shrinkPayload(body.data, MOST_BODY_BYTES - envelope) }
}
