/** Operations: events and their types. */

import { operation } from '../kernel/operation.ts'
import * as attempt from './attempt.ts'
import * as event from './event.ts'

/** Number of bodies above which a page is built on a separate thread. */
const MOST_BODIES = 100

export const eventOperations = {
  'event.list': operation({
    route: 'GET /svc/v1/events',
    hasNoHealthData: ({ payload = false }) => `${payload}` === 'false',
    tag: 'Events',
    summary: 'List events and the state of their deliveries',
    query: event.eventQuery,
    reply: event.eventPage,
    errors: [404],
    isPolled: true,
    takesLong: ({ payload, limit }) => (`${payload}` === 'true' && Number(limit) > MOST_BODIES ? 'reads' : null),
  }),
  'event.get': operation({
    route: 'GET /svc/v1/events/{event_id}',
    tag: 'Events',
    summary: 'Get an event with its body and delivery attempts',
    params: event.eventParams,
    reply: event.eventView,
    errors: [404],
  }),
  'event.attempts': operation({
    route: 'GET /svc/v1/events/{event_id}/attempts',
    tag: 'Events',
    summary: 'List the delivery attempts of an event with their requests and responses',
    params: event.eventParams,
    reply: attempt.attemptList,
    errors: [404],
  }),
  'event.types': operation({
    route: 'GET /svc/v1/event-types',
    hasNoHealthData: true,
    tag: 'Events',
    summary: 'List event types',
    query: event.eventTypeQuery,
    reply: event.eventTypeList,
  }),
  'event.type': operation({
    route: 'GET /svc/v1/event-types/{type}',
    hasNoHealthData: true,
    tag: 'Events',
    summary: 'Get an event type with its body schema and an example',
    params: event.eventTypeParams,
    reply: event.eventType,
    errors: [404],
  }),
} as const
