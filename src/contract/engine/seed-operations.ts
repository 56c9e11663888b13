/** Operations for tests and trials: synthetic people, and events on demand. */

import * as trigger from '../events/trigger.ts'
import { operation } from '../kernel/operation.ts'
import { none } from '../kernel/primitives.ts'
import * as seed from './seed.ts'

export const trialOperations = {
  'engine.seed': operation({
    method: 'POST',
    path: '/svc/v1/seed',
    auth: 'api_key',
    audience: 'operator',
    tag: 'Trials',
    summary: 'Add synthetic people with devices, habits, illness and travel',
    source: '',
    params: none,
    query: none,
    body: seed.seedRequest,
    bodyIsOptional: true,
    reply: seed.seedReport,
    errors: [400, 409],
    takesLong: 'changes',
    idempotent: true,
  }),
  'event.trigger': operation({
    method: 'POST',
    path: '/svc/v1/events/trigger',
    auth: 'api_key',
    audience: 'operator',
    tag: 'Trials',
    summary: 'Trigger an event by changing data',
    source: '',
    params: none,
    query: none,
    body: trigger.triggerRequest,
    reply: trigger.triggerReply,
    errors: [400, 404, 409],
    takesLong: 'changes',
    idempotent: false,
  }),
} as const
