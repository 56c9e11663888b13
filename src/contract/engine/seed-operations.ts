/** Operations for tests and demos: synthetic people and triggered events. */

import * as trigger from '../events/trigger.ts'
import { operation } from '../kernel/operation.ts'
import * as seed from './seed.ts'

export const trialOperations = {
  'engine.seed': operation({
    route: 'POST /svc/v1/seed',
    tag: 'Trials',
    summary: 'Add synthetic people with devices, habits, illness and travel',
    body: seed.seedRequest,
    bodyIsOptional: true,
    reply: seed.seedReport,
    errors: [400, 409],
    takesLong: 'changes',
    idempotent: true,
  }),
  'event.trigger': operation({
    route: 'POST /svc/v1/events/trigger',
    tag: 'Trials',
    summary: 'Trigger an event by changing data',
    body: trigger.triggerRequest,
    reply: trigger.triggerReply,
    errors: [400, 404, 409],
    takesLong: 'changes',
  }),
} as const
