/** Operations: faults, which make the servers on a data folder fail on purpose. */

import { operation } from '../kernel/operation.ts'
import * as fault from './fault.ts'

export const faultOperations = {
  'fault.add': operation({
    route: 'POST /svc/v1/faults',
    reach: 'service',
    tag: 'Engine',
    summary: 'Make servers fail or wait on purpose',
    body: fault.newFault,
    reply: fault.faultView,
    errors: [403, 409],
  }),
  'fault.list': operation({
    route: 'GET /svc/v1/faults',
    reach: 'service',
    tag: 'Engine',
    summary: 'List the faults in the store',
    reply: fault.faultList,
    errors: [403],
  }),
  'fault.clear': operation({
    route: 'DELETE /svc/v1/faults',
    reach: 'service',
    tag: 'Engine',
    summary: 'Remove one fault, or all of them',
    query: fault.faultChoice,
    reply: fault.clearedFaults,
    errors: [403],
    idempotent: true,
  }),
} as const
