/** Schemas of the operator operations that resend events. */
import * as z from 'zod'
import { eventPattern } from '../events/event-pattern.ts'
import { dateOrDateTime, lowerUuid, strictComponent } from '../kernel/primitives.ts'

export const resentEventParams = () => z.object({ event_id: lowerUuid() })

/** The endpoint to which one event is resent. If absent, the event is sent to all enabled endpoints that subscribe to its type. */
export const eventResend = () =>
  strictComponent('EventResend', {
    endpoint_id: lowerUuid()
      .optional()
      .meta({ description: 'Resend only to this endpoint, even if it does not subscribe to the event type' }),
  })

/** Selects which of the team's events to resend. */
export const eventsResend = () =>
  strictComponent('EventsResend', {
    since: dateOrDateTime().meta({
      description: "Start of the period, on the engine's clock; a date means 00:00 UTC",
    }),
    until: dateOrDateTime().optional().meta({ description: 'End of the period, exclusive; defaults to now' }),
    type: eventPattern().optional().meta({ description: 'Event type, or a pattern with * for any characters' }),
    endpoint_id: lowerUuid().optional().meta({ description: 'Resend only to this endpoint' }),
    dead_only: z.boolean().default(false).meta({ description: 'Resend only dead deliveries' }),
  })

export const resendReply = () =>
  z
    .object({ queued: z.int().meta({ description: 'Number of deliveries queued by the call' }) })
    .meta({ id: 'EventsQueued' })
