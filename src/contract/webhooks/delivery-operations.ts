/** Operations: resending events. */

import { operation } from '../kernel/operation.ts'
import * as delivery from './delivery.ts'

export const deliveryOperations = {
  'event.resend': operation({
    route: 'POST /svc/v1/events/{event_id}/resend',
    tag: 'Events',
    summary: 'Resend an event under the same id',
    params: delivery.resentEventParams,
    body: delivery.eventResend,
    bodyIsOptional: true,
    reply: delivery.resendReply,
    errors: [404, 409],
    idempotent: true,
  }),
  'events.resend': operation({
    route: 'POST /svc/v1/events/resend',
    tag: 'Events',
    summary: 'Resend the events of a period',
    body: delivery.eventsResend,
    reply: delivery.resendReply,
    errors: [404, 409],
    takesLong: 'changes',
    idempotent: true,
  }),
} as const
