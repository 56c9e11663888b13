/** Searches and counts a team's users. See docs/interface/users.md#users-9. */
import { DAY_MS, type EpochMs, formatInstant } from '../../core/time.ts'
import { type Handler, ok } from '../context.ts'
import { userView } from './users.ts'

/** Maximum number of users that a search returns. */
const MOST_FOUND = 100
/** Maximum number of names of each kind. Nobody would read more. */
const MOST_NAMES = 200
const WEEKS = 12
const WEEK_MS = 7 * DAY_MS
/** A Monday. */
const FIRST_MONDAY = Date.UTC(1970, 0, 5)

export const searchUsers: Handler<'user.search'> = async (engine, { query }, call) => {
  const users = await engine.store.users.search(call.team.teamId, query.query_id, MOST_FOUND)
  const connections = await engine.store.connections.ofUsers(users.map(user => user.userId))
  return ok(users.map(user => userView(engine, user, connections.get(user.userId) ?? [])))
}

export const userNames: Handler<'user.names'> = async (engine, { query }, call) => {
  const names = await engine.store.users.names(call.team.teamId, query.starts_with ?? '', MOST_NAMES)
  return ok({ client_user_ids: [...names.clientUserIds], user_ids: [...names.userIds] })
}

export const teamMetrics: Handler<'user.metrics'> = async (engine, _input, call) => {
  const { teamId } = call.team
  const figures = await engine.store.users.figures(teamId, mondays(call.now))
  return ok({
    team_id: teamId,
    number_of_users: figures.users,
    number_of_connected_sources: figures.connections,
    number_of_errored_connected_sources: figures.erroredConnections,
    number_of_connected_sources_by_week: figures.weeks.map(({ start, made, all }) => ({
      date: formatInstant(start),
      value: made,
      all,
    })),
    number_of_ordered_tests: figures.orderedTests,
  })
}

/** Returns the Mondays of recent weeks in UTC, ending with the Monday of the current week. */
function mondays(now: EpochMs): EpochMs[] {
  const current = FIRST_MONDAY + Math.floor((now - FIRST_MONDAY) / WEEK_MS) * WEEK_MS
  return Array.from({ length: WEEKS }, (_, i) => current - (WEEKS - 1 - i) * WEEK_MS)
}
