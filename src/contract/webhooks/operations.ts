/** Operations: webhook endpoints. */

import { operation } from '../kernel/operation.ts'
import { success } from '../kernel/primitives.ts'
import * as webhook from './webhook.ts'

export const webhookOperations = {
  'webhook.create': operation({
    route: 'POST /svc/v1/webhooks',
    tag: 'Webhooks',
    summary: 'Create a webhook endpoint and return its secret, which is shown only once',
    body: webhook.newEndpoint,
    reply: webhook.endpointWithSecret,
    errors: [400],
  }),
  'webhook.list': operation({
    route: 'GET /svc/v1/webhooks',
    tag: 'Webhooks',
    summary: "List the team's endpoints, oldest first",
    reply: webhook.endpointList,
  }),
  'webhook.get': operation({
    route: 'GET /svc/v1/webhooks/{endpoint_id}',
    tag: 'Webhooks',
    summary: 'Get an endpoint',
    params: webhook.endpointParams,
    reply: webhook.endpointView,
    errors: [404],
  }),
  'webhook.update': operation({
    route: 'PATCH /svc/v1/webhooks/{endpoint_id}',
    tag: 'Webhooks',
    summary: 'Change an endpoint',
    params: webhook.endpointParams,
    body: webhook.endpointChange,
    reply: webhook.endpointView,
    errors: [404],
    idempotent: true,
  }),
  'webhook.disable': operation({
    route: 'POST /svc/v1/webhooks/{endpoint_id}/disable',
    tag: 'Webhooks',
    summary: 'Disable an endpoint; waiting deliveries become dead and can be resent',
    params: webhook.endpointParams,
    reply: webhook.endpointView,
    errors: [404],
    idempotent: true,
  }),
  'webhook.enable': operation({
    route: 'POST /svc/v1/webhooks/{endpoint_id}/enable',
    tag: 'Webhooks',
    summary: 'Enable an endpoint for events from now on',
    params: webhook.endpointParams,
    reply: webhook.endpointView,
    errors: [404],
    idempotent: true,
  }),
  'webhook.delete': operation({
    route: 'DELETE /svc/v1/webhooks/{endpoint_id}',
    tag: 'Webhooks',
    summary: 'Delete an endpoint and the record of its deliveries',
    params: webhook.endpointParams,
    reply: success,
    errors: [404],
  }),
  'webhook.rotate_secret': operation({
    route: 'POST /svc/v1/webhooks/{endpoint_id}/rotate-secret',
    tag: 'Webhooks',
    summary: "Rotate an endpoint's secret; the previous secret also signs during the overlap",
    params: webhook.endpointParams,
    body: webhook.secretRotation,
    bodyIsOptional: true,
    reply: webhook.endpointWithSecret,
    errors: [404],
  }),
  'webhook.test': operation({
    route: 'POST /svc/v1/webhooks/{endpoint_id}/test',
    tag: 'Webhooks',
    summary: 'Send an example event to one endpoint',
    params: webhook.endpointParams,
    body: webhook.endpointTest,
    bodyIsOptional: true,
    reply: webhook.endpointTestReply,
    errors: [404, 409],
  }),
} as const
