/** Operations: faults, which make the servers on a data folder fail on purpose. */

import { operation } from '../kernel/operation.ts'
import { none } from '../kernel/primitives.ts'
import * as fault from './fault.ts'

export const faultOperations = {
  'fault.add': operation({
    method: 'POST',
    path: '/svc/v1/faults',
    auth: 'api_key',
    audience: 'operator',
    reach: 'service',
    tag: 'Engine',
    summary: 'Make servers fail or wait on purpose',
    source: '',
    params: none,
    query: none,
    body: fault.newFault,
    reply: fault.faultView,
    errors: [403, 409],
    idempotent: false,
  }),
  'fault.list': operation({
    method: 'GET',
    path: '/svc/v1/faults',
    auth: 'api_key',
    audience: 'operator',
    reach: 'service',
    tag: 'Engine',
    summary: 'List the faults in the store',
    source: '',
    params: none,
    query: none,
    reply: fault.faultList,
    errors: [403],
    idempotent: true,
  }),
  'fault.clear': operation({
    method: 'DELETE',
    path: '/svc/v1/faults',
    auth: 'api_key',
    audience: 'operator',
    reach: 'service',
    tag: 'Engine',
    summary: 'Remove one fault, or all of them',
    source: '',
    params: none,
    query: fault.faultChoice,
    reply: fault.clearedFaults,
    errors: [403],
    idempotent: true,
  }),
} as const
