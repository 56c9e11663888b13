/** Operations: laboratories and their markers. */

import * as lab from '../lab.ts'
import { operation } from '../operation.ts'
import { none } from '../primitives.ts'

export const labOperations = {
  'labs.list': operation({
    method: 'GET',
    path: '/v3/lab_tests/labs',
    auth: 'api_key',
    audience: 'customer',
    tag: 'Labs',
    summary: 'List labs',
    source: '4.11',
    params: none,
    query: none,
    reply: lab.labList,
    errors: [],
    idempotent: true,
  }),
  'labs.markers': operation({
    method: 'GET',
    path: '/v3/lab_tests/markers',
    auth: 'api_key',
    audience: 'customer',
    tag: 'Labs',
    summary: 'List lab markers',
    source: '4.10',
    params: none,
    query: lab.markerQuery,
    reply: lab.markerPage,
    errors: [],
    idempotent: true,
  }),
} as const
