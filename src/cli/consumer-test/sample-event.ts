/** The events that a handler is tested with: variations of one example. */
import { dailyUpdated, resourceEvent } from '../../catalogue/event-types.ts'
import { ServiceError } from '../../core/errors.ts'
import { isObject } from '../runtime/json-text.ts'

/** The body of a webhook. See docs/interface/events.md#events-1. */
export interface SampleEvent {
  readonly event_type: string
  readonly data: unknown
  readonly team_id: string
  readonly user_id: string
  readonly client_user_id: string
}

/** Maximum size of an event that is sent, in bytes. */
export const LARGEST_BYTES = 1024 * 1024
const UNKNOWN_RESOURCE = 'measure_of_tomorrow'

/** Throws a ServiceError `usage` that names the flag if the event type is unknown; otherwise throws the given error. */
export function refuseType(error: unknown): never {
  if (!(error instanceof ServiceError && error.code === 'not_found')) throw error
  throw new ServiceError('usage', `--event-type: ${error.message}`, { suggestions: error.suggestions })
}

/** Returns the example as an event of this user. */
export function ofUser(
  event: SampleEvent,
  user: { readonly team_id: string; readonly user_id: string; readonly client_user_id: string },
): SampleEvent {
  const { team_id, user_id, client_user_id } = user
  const { data } = event
  const own = isObject(data) && 'user_id' in data ? { ...data, user_id } : data
  return { ...event, data: own, team_id, user_id, client_user_id }
}

/** Returns the event that follows when the same data is updated. Returns the event itself if its type has no update. */
export function asUpdate(event: SampleEvent): SampleEvent {
  const about = resourceEvent(event.event_type)
  return about?.change === 'created' ? { ...event, event_type: dailyUpdated(about.resource) } : event
}

/** Returns the event with a type that a later version of the service may send. */
export function ofUnknownType(event: SampleEvent): SampleEvent {
  return { ...event, event_type: `daily.data.${UNKNOWN_RESOURCE}.created` }
}

/** Returns the event with fields that a later version may add, next to the data and inside it. */
export function withUnknownFields(event: SampleEvent): SampleEvent {
  const added = { added_later: { by: 'a newer version', level: 1 } }
  const data = isObject(event.data) ? { ...event.data, ...added } : event.data
  return { ...event, data, ...added }
}

/** Returns the same JSON, padded with whitespace to 1 MiB. */
export function asLargestBody(event: SampleEvent): string {
  const text = JSON.stringify(event)
  return `${text.slice(0, -1)}${' '.repeat(Math.max(0, LARGEST_BYTES - Buffer.byteLength(text)))}}`
}
