/** Operations: events and their types. */

import { operation } from '../kernel/operation.ts'
import { none } from '../kernel/primitives.ts'
import * as event from './event.ts'

/** A page with more bodies than this is built on a separate thread. */
const MOST_BODIES = 100

export const eventOperations = {
  'event.list': operation({
    method: 'GET',
    path: '/svc/v1/events',
    auth: 'api_key',
    audience: 'operator',
    tag: 'Events',
    summary: 'List events and the state of their deliveries',
    source: '',
    params: none,
    query: event.eventQuery,
    reply: event.eventPage,
    errors: [404],
    isPolled: true,
    takesLong: ({ payload, limit }) => (`${payload}` === 'true' && Number(limit) > MOST_BODIES ? 'reads' : null),
    idempotent: true,
  }),
  'event.get': operation({
    method: 'GET',
    path: '/svc/v1/events/{event_id}',
    auth: 'api_key',
    audience: 'operator',
    tag: 'Events',
    summary: 'Get an event with its body and delivery attempts',
    source: '',
    params: event.eventParams,
    query: none,
    reply: event.eventView,
    errors: [404],
    idempotent: true,
  }),
  'event.types': operation({
    method: 'GET',
    path: '/svc/v1/event-types',
    auth: 'api_key',
    audience: 'operator',
    tag: 'Events',
    summary: 'List event types',
    source: '6.2',
    params: none,
    query: event.eventTypeQuery,
    reply: event.eventTypeList,
    errors: [],
    idempotent: true,
  }),
  'event.type': operation({
    method: 'GET',
    path: '/svc/v1/event-types/{type}',
    auth: 'api_key',
    audience: 'operator',
    tag: 'Events',
    summary: 'Get an event type with the schema of its body and an example',
    source: '6.2',
    params: event.eventTypeParams,
    query: none,
    reply: event.eventType,
    errors: [404],
    idempotent: true,
  }),
} as const
