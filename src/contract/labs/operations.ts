/** Operations: labs, their markers, lab tests, and the accounts that orders go through. */

import { operation } from '../kernel/operation.ts'
import { orderSet } from '../orders/order-request.ts'
import * as lab from './lab.ts'
import * as test from './lab-test.ts'

export const labOperations = {
  'labs.list': operation({
    route: 'GET /v3/lab_tests/labs',
    hasNoHealthData: true,
    tag: 'Labs',
    summary: 'List labs',
    reply: lab.labList,
  }),
  'labs.markers': operation({
    route: 'GET /v3/lab_tests/markers',
    hasNoHealthData: true,
    tag: 'Labs',
    summary: 'List lab markers',
    query: lab.markerQuery,
    reply: lab.markerPage,
    errors: [404],
  }),
  'labs.order_set_markers': operation({
    route: 'POST /v3/lab_tests/list_order_set_markers',
    hasNoHealthData: true,
    tag: 'Labs',
    readsOnly: true,
    summary: 'List the markers of an order set',
    query: lab.markerPaging,
    body: orderSet,
    reply: lab.markerPage,
    errors: [400, 404],
    idempotent: true,
  }),
  'labs.test_markers': operation({
    route: 'GET /v3/lab_tests/{lab_test_id}/markers',
    hasNoHealthData: true,
    tag: 'Labs',
    summary: 'List the markers of a lab test',
    params: test.labTestParams,
    query: lab.testMarkerQuery,
    reply: lab.markerPage,
    errors: [404],
  }),
  'labs.marker_by_code': operation({
    route: 'GET /v3/lab_tests/{lab_id}/markers/{provider_id}',
    hasNoHealthData: true,
    tag: 'Labs',
    summary: 'Get a marker by lab and lab code',
    params: lab.markerByCodeParams,
    query: lab.markerByCodeQuery,
    reply: lab.marker,
    errors: [404],
  }),
  'labs.tests': operation({
    route: 'GET /v3/lab_test',
    hasNoHealthData: true,
    tag: 'Labs',
    summary: 'List lab tests, one page at a time',
    query: test.labTestQuery,
    reply: test.labTestPage,
    errors: [404],
  }),
  'labs.tests_legacy': operation({
    route: 'GET /v3/lab_tests',
    hasNoHealthData: true,
    tag: 'Labs',
    summary: 'List all lab tests in one response',
    query: test.labTestFilters,
    reply: test.labTestList,
    errors: [404],
    deprecation: 'lab_tests_legacy',
  }),
  'labs.test': operation({
    route: 'GET /v3/lab_tests/{lab_test_id}',
    hasNoHealthData: true,
    tag: 'Labs',
    summary: 'Get a lab test',
    params: test.labTestParams,
    query: test.oneLabTestQuery,
    reply: test.labTest,
    errors: [404],
  }),
  'labs.accounts': operation({
    route: 'GET /v3/lab_test/lab_account',
    hasNoHealthData: true,
    tag: 'Labs',
    summary: 'List lab accounts',
    query: test.labAccountQuery,
    reply: test.labAccountList,
  }),
} as const
