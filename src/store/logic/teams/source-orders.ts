/** Stores the orders of sources in merges as rows, one for each group of metrics. */
import { METRIC_GROUPS, type MetricGroup } from '../../../catalogue/metric-groups.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { SourceOrder, SourceOrders, SourcePattern } from '../../source-order.ts'
import { part, read, write, writeAbout } from '../part.ts'
import { storedJson } from '../rows/damage.ts'
import { USER_SOURCE_ORDERS } from '../rows/tables.ts'
import { command, many, query, run, type Steps } from '../steps.ts'
import { requireActive } from '../users/users.ts'

interface TeamRow {
  readonly metric_group: string
  readonly sources: string
}

const OF_TEAM = query<TeamRow>('SELECT metric_group, sources FROM source_order WHERE team_id=?')
const OF_USER = USER_SOURCE_ORDERS.query('WHERE user_id=?')
const PUT_OF_TEAM = command(
  `INSERT INTO source_order (team_id, metric_group, sources) VALUES (?,?,?)
   ON CONFLICT (team_id, metric_group) DO UPDATE SET sources=excluded.sources`,
)
const DROP_OF_TEAM = command('DELETE FROM source_order WHERE team_id=? AND metric_group=?')
const DROP_OF_USER = command('DELETE FROM user_source_order WHERE user_id=? AND metric_group=?')

export class SourceOrderStore extends part({
  ofTeam: read(listOfTeam),
  /** Returns the orders that apply to a user of the team. */
  ofUser: read(function* (teamId: TeamId, userId: UserId): Steps<SourceOrders> {
    return { user: yield* listOfUser(userId), team: yield* listOfTeam(teamId) }
  }),
  replaceOfTeam: write(replaceOfTeam),
  replaceOfUser: writeAbout(replaceOfUser),
}) {}

/** Returns the team's orders, sorted by group in catalogue order. */
function* listOfTeam(teamId: TeamId): Steps<SourceOrder[]> {
  const rows = yield* many(OF_TEAM, [teamId])
  return sorted(rows.map(row => fromRow(row, `the order of sources for ${row.metric_group}`, null)))
}

function* listOfUser(userId: UserId): Steps<SourceOrder[]> {
  const rows = yield* many(OF_USER, [userId])
  return sorted(rows.map(row => fromRow(row, USER_SOURCE_ORDERS.damageLocation(row).what, userId)))
}

/** Replaces the team's order for a group. An empty one is removed. */
function* replaceOfTeam(teamId: TeamId, { metricGroup, sources }: SourceOrder): Steps<void> {
  if (sources.length === 0) yield* run(DROP_OF_TEAM, [teamId, metricGroup])
  else yield* run(PUT_OF_TEAM, [teamId, metricGroup, JSON.stringify(sources)])
}

/** Replaces the user's order for a group. An empty one is removed. Throws ServiceError `user_not_found`. */
function* replaceOfUser(userId: UserId, { metricGroup, sources }: SourceOrder): Steps<void> {
  yield* requireActive(userId)
  if (sources.length === 0) yield* run(DROP_OF_USER, [userId, metricGroup])
  else
    yield* USER_SOURCE_ORDERS.put({
      user_id: userId,
      metric_group: metricGroup,
      sources: JSON.stringify(sources),
    })
}

function fromRow({ metric_group, sources }: TeamRow, what: string, userId: UserId | null): SourceOrder {
  return {
    metricGroup: metric_group as MetricGroup, // only catalogue names are written
    sources: storedJson<SourcePattern[]>(sources, () => ({ what, userId })),
  }
}

function sorted(orders: SourceOrder[]): SourceOrder[] {
  const at = ({ metricGroup }: SourceOrder): number => METRIC_GROUPS.indexOf(metricGroup)
  return orders.sort((a, b) => at(a) - at(b))
}
