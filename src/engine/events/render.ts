/** Renders a webhook body from a stored event: the same bytes every time. See docs/interface/events.md#events-9. */
import type { ProviderRegistry } from '../../catalogue/providers.ts'
import type { OutboxEvent } from '../../store/event.ts'
import { buildPayload } from './payload.ts'
import { shrinkPayload } from './shrink-payload.ts'

/** The envelope of an event. `data` is the payload for the event's type. */
export interface EventBody {
  readonly event_type: string
  readonly data: unknown
  readonly team_id: string
  readonly user_id: string
  readonly client_user_id: string
}

/** Returns the body that is sent: JSON of at most 1 MiB. */
export function renderEvent(event: OutboxEvent, providers: ProviderRegistry): string {
  return rendered(event, providers).text
}

/** Returns the body as an object. */
export function renderedBody(event: OutboxEvent, providers: ProviderRegistry): EventBody {
  return rendered(event, providers).body
}

/** Returns the body both as an object and as text. */
export function rendered(
  event: OutboxEvent,
  providers: ProviderRegistry,
): { readonly body: EventBody; readonly text: string } {
  const body = eventBody(event, providers)
  const text = JSON.stringify(body)
  if (Buffer.byteLength(text) <= MOST_BODY_BYTES) return { body, text }
  const smaller = fittedBody(body)
  return { body: smaller, text: JSON.stringify(smaller) }
}

/** See docs/interface/limits.md#limits-7. */
export const MOST_BODY_BYTES = 1 << 20

function eventBody(event: OutboxEvent, providers: ProviderRegistry): EventBody {
  const { type, teamId, userId, clientUserId } = event
  return {
    event_type: type,
    data: buildPayload(event, providers),
    team_id: teamId,
    user_id: userId,
    client_user_id: clientUserId,
  }
}

function fittedBody(body: EventBody): EventBody {
  const envelope = Buffer.byteLength(JSON.stringify({ ...body, data: null }))
  return { ...body, data: shrinkPayload(body.data, MOST_BODY_BYTES - envelope) }
}
