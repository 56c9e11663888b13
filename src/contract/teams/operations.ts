/** Operations: teams, API keys, the audit trail and deprecations. */

import { operation } from '../kernel/operation.ts'
import * as audit from './audit.ts'
import * as signing from './signing-key.ts'
import * as team from './team.ts'

const common = { reach: 'service', tag: 'Teams' } as const

export const teamOperations = {
  'team.create': operation({
    route: 'POST /svc/v1/teams',
    managesAccess: true,
    ...common,
    summary: 'Create a team and its first API key',
    body: team.newTeam,
    reply: team.createdTeam,
    errors: [400, 409],
  }),
  'team.list': operation({
    route: 'GET /svc/v1/teams',
    ...common,
    summary: 'List teams with their settings, oldest first',
    reply: team.teamList,
  }),
  'team.update': operation({
    route: 'PATCH /svc/v1/teams/{team_id}',
    managesAccess: true,
    ...common,
    summary: 'Rename a team or change its settings',
    params: team.teamParams,
    body: team.teamChange,
    reply: team.teamView,
    errors: [404, 409],
    idempotent: true,
  }),
  'key.create': operation({
    route: 'POST /svc/v1/teams/{team_id}/keys',
    managesAccess: true,
    ...common,
    summary: 'Create an API key',
    params: team.teamParams,
    body: team.newKey,
    bodyIsOptional: true,
    reply: team.createdKey,
    errors: [400, 404],
  }),
  'key.list': operation({
    route: 'GET /svc/v1/keys',
    ...common,
    summary: 'List API keys, newest first',
    query: team.keyQuery,
    reply: team.keyList,
    errors: [404],
  }),
  'key.public': operation({
    route: 'GET /svc/v1/keys/public',
    hasNoHealthData: true,
    tag: 'Engine',
    summary: 'Get the public key that verifies signed documents',
    reply: signing.publicKeyReply,
  }),
  'key.revoke': operation({
    route: 'DELETE /svc/v1/keys/{key_id}',
    managesAccess: true,
    ...common,
    summary: 'Revoke an API key immediately',
    params: team.keyParams,
    reply: team.keyView,
    errors: [404],
    idempotent: true,
  }),
  'console.sign_in_token': operation({
    route: 'POST /svc/v1/console/sign-in-tokens',
    tag: 'Teams',
    summary: 'Create a one-time URL that signs a browser in to the console',
    reply: team.signInUrl,
    errors: [409],
  }),
  'audit.list': operation({
    route: 'GET /svc/v1/audit',
    reach: 'service',
    tag: 'Engine',
    summary: 'Read the audit trail, newest first',
    query: audit.auditQuery,
    reply: audit.auditPage,
    errors: [404],
  }),
  'deprecation.list': operation({
    route: 'GET /svc/v1/deprecations',
    hasNoHealthData: true,
    tag: 'Engine',
    summary: 'List deprecations with their removal dates and replacements',
    reply: audit.deprecationList,
  }),
} as const
