/** Operations: labs, their markers, lab tests, and the accounts that orders go through. */

import { operation } from '../kernel/operation.ts'
import { none } from '../kernel/primitives.ts'
import { orderSet } from '../orders/order-request.ts'
import * as lab from './lab.ts'
import * as test from './lab-test.ts'

const common = { auth: 'api_key', audience: 'customer', tag: 'Labs', source: '4.12', idempotent: true } as const

export const labOperations = {
  'labs.list': operation({
    ...common,
    method: 'GET',
    path: '/v3/lab_tests/labs',
    summary: 'List labs',
    source: '4.11',
    params: none,
    query: none,
    reply: lab.labList,
    errors: [],
  }),
  'labs.markers': operation({
    ...common,
    method: 'GET',
    path: '/v3/lab_tests/markers',
    summary: 'List lab markers',
    source: '4.10',
    params: none,
    query: lab.markerQuery,
    reply: lab.markerPage,
    errors: [404],
  }),
  'labs.order_set_markers': operation({
    ...common,
    method: 'POST',
    path: '/v3/lab_tests/list_order_set_markers',
    readsOnly: true,
    summary: 'List the markers of an order set',
    params: none,
    query: lab.markerPaging,
    body: orderSet,
    reply: lab.markerPage,
    errors: [400, 404],
  }),
  'labs.test_markers': operation({
    ...common,
    method: 'GET',
    path: '/v3/lab_tests/{lab_test_id}/markers',
    summary: 'List the markers of a lab test',
    params: test.labTestParams,
    query: lab.testMarkerQuery,
    reply: lab.markerPage,
    errors: [404],
  }),
  'labs.marker_by_code': operation({
    ...common,
    method: 'GET',
    path: '/v3/lab_tests/{lab_id}/markers/{provider_id}',
    summary: 'Get a marker by lab and code of the lab',
    params: lab.markerByCodeParams,
    query: lab.markerByCodeQuery,
    reply: lab.marker,
    errors: [404],
  }),
  'labs.tests': operation({
    ...common,
    method: 'GET',
    path: '/v3/lab_test',
    summary: 'List lab tests, one page at a time',
    params: none,
    query: test.labTestQuery,
    reply: test.labTestPage,
    errors: [404],
  }),
  'labs.tests_legacy': operation({
    ...common,
    method: 'GET',
    path: '/v3/lab_tests',
    summary: 'List all lab tests in one answer',
    source: '9.4',
    params: none,
    query: test.labTestFilters,
    reply: test.labTestList,
    errors: [404],
    deprecation: 'lab_tests_legacy',
  }),
  'labs.test': operation({
    ...common,
    method: 'GET',
    path: '/v3/lab_tests/{lab_test_id}',
    summary: 'Get a lab test',
    params: test.labTestParams,
    query: test.oneLabTestQuery,
    reply: test.labTest,
    errors: [404],
  }),
  'labs.accounts': operation({
    ...common,
    method: 'GET',
    path: '/v3/lab_test/lab_account',
    summary: 'List lab accounts',
    params: none,
    query: test.labAccountQuery,
    reply: test.labAccountList,
    errors: [],
  }),
} as const
