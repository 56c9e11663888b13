/** Operations on the engine: clock, maintenance, and the caller's team. */

import { operation } from '../kernel/operation.ts'
import * as engine from './engine.ts'
import * as job from './job.ts'
import * as operator from './operator.ts'
import * as overview from './overview.ts'

/** Returns whether the check also rewrites rows. The query is not parsed yet, so its values are text over HTTP. */
const isRewrite = ({ rewrite }: Readonly<Record<string, unknown>>): boolean => `${rewrite}` === 'true'

export const engineOperations = {
  'clock.get': operation({
    route: 'GET /svc/v1/clock',
    hasNoHealthData: true,
    tag: 'Engine',
    summary: "Show the engine's clock",
    reply: operator.clockReply,
  }),
  'clock.set': operation({
    route: 'POST /svc/v1/clock',
    reach: 'service',
    tag: 'Engine',
    summary: "Move, freeze or release the engine's clock",
    body: operator.clockChange,
    reply: operator.clockReply,
  }),
  'engine.status': operation({
    route: 'GET /svc/v1/status',
    reach: 'service',
    tag: 'Engine',
    summary: 'Show the contents and size of the store',
    reply: engine.engineStatus,
  }),
  'engine.overview': operation({
    route: 'GET /svc/v1/overview',
    hasNoHealthData: true,
    tag: 'Engine',
    summary: "Show what needs attention, the team's figures of 14 days, and the latest activity",
    reply: overview.overview,
  }),
  'engine.check': operation({
    route: 'POST /svc/v1/check',
    reach: 'service',
    tag: 'Engine',
    summary: 'Check every row of user data against its checksum, and every chunk against its stored figures',
    query: engine.checkQuery,
    reply: engine.checkReport,
    readsOnly: query => !isRewrite(query),
    takesLong: query => (isRewrite(query) ? 'changes' : 'reads'),
    needs: query => (isRewrite(query) ? 'checksum_rewrite' : null),
    idempotent: true,
  }),
  'engine.run_due': operation({
    route: 'POST /svc/v1/run-due',
    reach: 'service',
    tag: 'Engine',
    summary: 'Run the jobs that are due',
    reply: engine.dueReport,
    idempotent: true,
  }),
  'job.list': operation({
    route: 'GET /svc/v1/jobs',
    hasNoHealthData: true,
    tag: 'Engine',
    summary: "List due and waiting jobs of the team's users, earliest first",
    query: job.jobQuery,
    reply: job.jobPage,
  }),
  'team.whoami': operation({
    route: 'GET /svc/v1/whoami',
    hasNoHealthData: true,
    tag: 'Engine',
    summary: 'Show the team of the API key',
    reply: operator.teamReply,
  }),
} as const
