/** Our own operations that send events again: their schemas. */
import { z } from 'zod'
import { eventPattern } from '../events/event-pattern.ts'
import { dateOrDateTime, uuid } from '../kernel/primitives.ts'

const endpointId = () => uuid().transform(id => id.toLowerCase())

export const resentEventParams = () => z.object({ event_id: uuid().transform(id => id.toLowerCase()) })

/** Without an endpoint: all that are enabled and that the event is for. */
export const resendOfEvent = () =>
  z
    .strictObject({
      endpoint_id: endpointId().optional().meta({ description: 'Only this endpoint, whatever its event types' }),
    })
    .meta({ id: 'EventResend' })

/** Which events of the team are sent again. */
export const resendOfEvents = () =>
  z
    .strictObject({
      since: dateOrDateTime().meta({ description: "Time of the engine's clock; a date begins at 00:00 UTC" }),
      until: dateOrDateTime().optional().meta({ description: 'Exclusive; absent: to this moment' }),
      type: eventPattern().optional().meta({ description: 'Event type, with * for any characters' }),
      endpoint_id: endpointId().optional().meta({ description: 'To this one alone' }),
      dead_only: z.boolean().default(false).meta({ description: 'Only dead deliveries' }),
    })
    .meta({ id: 'EventsResend' })

export const resendReply = () =>
  z
    .object({ queued: z.number().int().meta({ description: 'Number of deliveries queued by the call' }) })
    .meta({ id: 'EventsQueued' })
