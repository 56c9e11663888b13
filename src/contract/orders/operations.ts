/** Operations: lab orders, their results and documents. */

import { operation } from '../kernel/operation.ts'
import { nothing } from '../kernel/primitives.ts'
import * as order from './order.ts'
import * as request from './order-request.ts'
import * as result from './order-result.ts'

const PDF = 'application/pdf'

export const orderOperations = {
  'order.create': operation({
    route: 'POST /v3/order',
    tag: 'Orders',
    summary: 'Place a lab order',
    body: request.orderRequest,
    reply: order.orderReply,
    errors: [400, 404],
  }),
  'order.list': operation({
    route: 'GET /v3/orders',
    tag: 'Orders',
    summary: 'List lab orders',
    query: request.orderQuery,
    reply: order.orderPage,
  }),
  'order.get': operation({
    route: 'GET /v3/order/{order_id}',
    tag: 'Orders',
    summary: 'Get a lab order',
    params: request.orderParams,
    reply: order.order,
    errors: [404],
  }),
  'order.cancel': operation({
    route: 'POST /v3/order/{order_id}/cancel',
    tag: 'Orders',
    summary: 'Cancel a lab order',
    params: request.orderParams,
    reply: order.orderReply,
    errors: [400, 404],
  }),
  'order.simulate': operation({
    route: 'POST /v3/order/{order_id}/test',
    tag: 'Orders',
    summary: 'Simulate the progress of a lab order',
    params: request.orderParams,
    query: request.simulationQuery,
    body: request.simulationFlags,
    bodyIsOptional: true,
    reply: order.simulationReply,
    errors: [400, 404],
  }),
  'order.next_states': operation({
    route: 'GET /svc/v1/orders/{order_id}/next_states',
    tag: 'Orders',
    summary: 'List the states that a simulated lab order can reach',
    params: request.orderParams,
    reply: order.nextStates,
    errors: [404],
  }),
  'order.result': operation({
    route: 'GET /v3/order/{order_id}/result',
    tag: 'Orders',
    summary: 'Get the results of a lab order',
    params: request.orderParams,
    reply: result.orderResult,
    errors: [404],
  }),
  'order.result_metadata': operation({
    route: 'GET /v3/order/{order_id}/result/metadata',
    tag: 'Orders',
    summary: "Get a lab order's result metadata, without the results",
    params: request.orderParams,
    reply: result.resultMetadata,
    errors: [404],
  }),
  'order.result_pdf': operation({
    route: 'GET /v3/order/{order_id}/result/pdf',
    tag: 'Orders',
    summary: 'Download the results of a lab order as PDF',
    params: request.orderParams,
    reply: nothing,
    repliesBytes: PDF,
    errors: [404],
    takesLong: 'reads',
  }),
  'order.requisition_pdf': operation({
    route: 'GET /v3/order/{order_id}/requisition/pdf',
    tag: 'Orders',
    summary: 'Download the requisition of a lab order as PDF',
    params: request.orderParams,
    reply: nothing,
    repliesBytes: PDF,
    errors: [404],
    takesLong: 'reads',
  }),
  'order.requisition_form': operation({
    route: 'GET /svc/v1/requisition_forms/{order_id}',
    auth: 'none',
    tag: 'Orders',
    summary: 'Download a requisition from its signed URL',
    params: request.orderParams,
    query: request.requisitionFormQuery,
    reply: nothing,
    repliesBytes: PDF,
    errors: [404, 410],
    guessable: 'requisition',
    takesLong: 'reads',
  }),
} as const
