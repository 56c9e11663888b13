/** Counts a team's users and connections, using counters and indexes only. */
import type { TeamId } from '../../../core/ids.ts'
import type { TeamCounts } from '../../user.ts'
import { exists, many, one, query, type Steps } from '../steps.ts'
import { USER_COUNT } from './users.ts'

interface ProviderRow {
  readonly provider: string
  readonly status: string
  readonly n: number
}

const OTHER_TEAM = query('SELECT 1 FROM team WHERE team_id<>? AND user_count>0 LIMIT 1')
const COUNTED = 'SELECT provider, status, count(*) AS n FROM connection'
const BY_STATUS = 'GROUP BY status, provider'
const OF_ALL = query<ProviderRow>(dialect => `${COUNTED} ${dialect.index('connection_by_status')} ${BY_STATUS}`)
const OF_TEAM = query<ProviderRow>(
  dialect => `${COUNTED} ${dialect.index('connection_by_status')} CROSS JOIN user ${dialect.index('user_by_id')}
    WHERE user.user_id=connection.user_id AND team_id=? AND deleted_at IS NULL ${BY_STATUS}`,
)

/** Returns the number of active users, and of their connections by provider, the most common one first. */
export function* teamCounts(teamId: TeamId): Steps<TeamCounts> {
  const users = (yield* one(USER_COUNT, [teamId]))?.user_count ?? 0
  // if no other team has users, looking up the team of every connection would be a waste
  const rows = (yield* exists(OTHER_TEAM, [teamId])) ? yield* many(OF_TEAM, [teamId]) : yield* many(OF_ALL)
  const counts = new Map<string, { readonly count: number; readonly inError: number }>()
  for (const { provider, status, n } of rows) {
    const { count, inError } = counts.get(provider) ?? { count: 0, inError: 0 }
    counts.set(provider, { count: count + n, inError: inError + (status === 'error' ? n : 0) })
  }
  const connections = [...counts].map(([provider, each]) => ({ provider, ...each }))
  return { users, connections: connections.sort((a, b) => b.count - a.count || (a.provider < b.provider ? -1 : 1)) }
}
