/** Reads figures about live connections and notifications, by team and provider. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { LiveFigures } from '../../live/pulls.ts'
import { many, query, type Steps, together } from '../steps.ts'

interface ConnectionFigures {
  readonly team_id: string
  readonly provider: string
  readonly connections: number
  readonly in_error: number
  readonly in_history: number
  readonly last_pull_at: number | null
  readonly next_pull_at: number | null
}

interface NotificationFigures {
  readonly team_id: string
  readonly provider: string
  readonly waiting: number
}

const connectionFigures = (where: string) =>
  query<ConnectionFigures>(
    `SELECT live_connection.team_id, live_connection.provider, count(*) AS connections,
      count(CASE WHEN connection.status='error' THEN 1 END) AS in_error,
      count(CASE WHEN live_connection.in_history=1 THEN 1 END) AS in_history,
      max(live_connection.last_pull_at) AS last_pull_at, min(live_connection.due_at) AS next_pull_at
    FROM live_connection JOIN connection
      ON connection.user_id=live_connection.user_id AND connection.provider=live_connection.provider
    ${where} GROUP BY live_connection.team_id, live_connection.provider`,
  )
const notificationFigures = (where: string) =>
  query<NotificationFigures>(
    `SELECT team_id, provider, count(*) AS waiting FROM provider_notification
    WHERE settled_at IS NULL ${where} GROUP BY team_id, provider`,
  )
const OF_ALL = { connections: connectionFigures(''), notifications: notificationFigures('') }
const OF_TEAM = {
  connections: connectionFigures('WHERE live_connection.team_id=?'),
  notifications: notificationFigures('AND team_id=?'),
}

/** Returns the figures for each provider with live connections or waiting notifications, for one team or all teams (null). */
export function* readFigures(teamId: TeamId | null, now: EpochMs): Steps<LiveFigures[]> {
  const statements = teamId === null ? OF_ALL : OF_TEAM
  const values = teamId === null ? [] : [teamId]
  const [connections, notifications] = yield* together(
    many(statements.connections, values),
    many(statements.notifications, values),
  )
  const figures = new Map<string, LiveFigures>()
  for (const row of connections) {
    figures.set(figureName(row), {
      ...noFigures(row),
      connections: row.connections,
      inError: row.in_error,
      inHistory: row.in_history,
      lastPullAt: row.last_pull_at,
      // overdue work is due now
      nextPullAt: row.next_pull_at === null ? null : Math.max(row.next_pull_at, now),
    })
  }
  for (const row of notifications) {
    const known = figures.get(figureName(row)) ?? noFigures(row)
    figures.set(figureName(row), { ...known, waitingNotifications: row.waiting })
  }
  return [...figures].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)
}

interface TeamProviderRow {
  readonly team_id: string
  readonly provider: string
}

function figureName({ team_id, provider }: TeamProviderRow): string {
  return `${team_id} ${provider}`
}

function noFigures({ team_id, provider }: TeamProviderRow): LiveFigures {
  return {
    teamId: team_id as TeamId,
    provider,
    connections: 0,
    inError: 0,
    inHistory: 0,
    lastPullAt: null,
    nextPullAt: null,
    waitingNotifications: 0,
  }
}
