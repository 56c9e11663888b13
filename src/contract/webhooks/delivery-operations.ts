/** Operations: resending events. */

import { operation } from '../kernel/operation.ts'
import { none } from '../kernel/primitives.ts'
import * as delivery from './delivery.ts'

export const deliveryOperations = {
  'event.resend': operation({
    method: 'POST',
    path: '/svc/v1/events/{event_id}/resend',
    auth: 'api_key',
    audience: 'operator',
    tag: 'Events',
    summary: 'Resend an event under the same id',
    source: '',
    params: delivery.resentEventParams,
    query: none,
    body: delivery.resendOfEvent,
    bodyIsOptional: true,
    reply: delivery.resendReply,
    errors: [404, 409],
    idempotent: true,
  }),
  'events.resend': operation({
    method: 'POST',
    path: '/svc/v1/events/resend',
    auth: 'api_key',
    audience: 'operator',
    tag: 'Events',
    summary: 'Resend the events of a period',
    source: '',
    params: none,
    query: none,
    body: delivery.resendOfEvents,
    reply: delivery.resendReply,
    errors: [404, 409],
    takesLong: 'changes',
    idempotent: true,
  }),
} as const
