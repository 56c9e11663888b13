/** Operations on faults, which make the servers on a data folder fail on purpose. */

import { operation } from '../kernel/operation.ts'
import * as fault from './fault.ts'

const common = { reach: 'service', tag: 'Engine' } as const

export const faultOperations = {
  'fault.add': operation({
    route: 'POST /svc/v1/faults',
    ...common,
    summary: 'Add a fault, which makes servers fail or wait on purpose',
    body: fault.newFault,
    reply: fault.faultView,
    errors: [409],
  }),
  'fault.list': operation({
    route: 'GET /svc/v1/faults',
    ...common,
    summary: 'List the faults in the store',
    reply: fault.faultList,
  }),
  'fault.clear': operation({
    route: 'DELETE /svc/v1/faults',
    ...common,
    summary: 'Remove one fault or all faults',
    query: fault.faultChoice,
    reply: fault.clearedFaults,
    idempotent: true,
  }),
} as const
