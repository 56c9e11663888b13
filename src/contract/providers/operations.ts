/** Operations: live providers. */
import { providerRemapBody, remapQuery, remapReport } from '../intake/remap.ts'
import { operation } from '../kernel/operation.ts'
import { connectionParams } from '../links/provider.ts'
import * as setup from './oauth-app.ts'
import * as raw from './raw-responses.ts'
import * as status from './status.ts'

export const providerOperations = {
  'provider.setup': operation({
    route: 'PUT /svc/v1/providers/{provider}/setup',
    managesAccess: true,
    tag: 'Providers',
    summary: "Make a provider live for the team, with the team's own OAuth app",
    params: setup.oauthAppParams,
    body: setup.newOAuthApp,
    reply: setup.oauthAppView,
    errors: [403],
    idempotent: true,
  }),
  'provider.setups': operation({
    route: 'GET /svc/v1/providers/setups',
    hasNoHealthData: true,
    tag: 'Providers',
    summary: "List the team's live providers",
    reply: setup.oauthAppList,
  }),
  'provider.teardown': operation({
    route: 'DELETE /svc/v1/providers/{provider}/setup',
    managesAccess: true,
    tag: 'Providers',
    summary: 'Make a live provider simulated again',
    params: setup.oauthAppParams,
    query: setup.teardownQuery,
    reply: setup.teardownReply,
    errors: [404, 409],
  }),
  'provider.status': operation({
    route: 'GET /svc/v1/providers/status',
    hasNoHealthData: true,
    tag: 'Providers',
    summary: 'Show pulls, limits and errors of live providers',
    query: status.statusQuery,
    reply: status.statusReply,
  }),
  'provider.remap': operation({
    route: 'POST /svc/v1/providers/{provider}/remap',
    tag: 'Providers',
    summary: "Read kept raw responses of a live provider again with today's mapping",
    params: setup.oauthAppParams,
    query: remapQuery,
    body: providerRemapBody,
    reply: remapReport,
    errors: [404, 409],
    takesLong: 'changes',
  }),
  'provider.raw_answers': operation({
    route: 'GET /svc/v1/users/{user_id}/providers/{provider}/raw',
    tag: 'Providers',
    summary: 'Show the raw responses of a live provider, if its OAuth app keeps them',
    params: connectionParams,
    query: raw.rawQuery,
    reply: raw.rawReply,
    errors: [404],
  }),
} as const
