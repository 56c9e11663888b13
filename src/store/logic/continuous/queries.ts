/** Stores the definitions of continuous queries as rows. They belong to a team, not to a user. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import { type ContinuousQuery, WHOLE_TIME } from '../../continuous-query.ts'
import { CONTINUOUS_QUERY } from '../../tables/data.ts'
import { shownName } from '../../tables/table.ts'
import { queryJob, requestQueryJob } from '../jobs.ts'
import { damaged, storedJson } from '../rows/damage.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { asRecord, asRow } from '../rows/record-names.ts'
import { command, type Expected, exists, many, one, query, run, type Steps } from '../steps.ts'
import { lockUsers } from '../users/lock.ts'
import { touchState } from './state.ts'

type Definition = Pick<ContinuousQuery, 'query' | 'providerOverrides' | 'dataEvents' | 'reads' | 'columns'>

interface QueryRow {
  readonly team_id: TeamId
  readonly query_id: string
  readonly slug: string
  readonly title: string
  readonly definition: string
  readonly minimum_gap: number
  readonly created_at: number
}

const QUERIES = new PlainRows<QueryRow>(CONTINUOUS_QUERY)
const QUERIES_OF_TEAM = QUERIES.query('WHERE team_id=?')
const QUERY_BY_ID = QUERIES.query('WHERE team_id=? AND query_id=?')
const QUERY_BY_SLUG = QUERIES.query('WHERE team_id=? AND slug=?')
const SLUG_IS_TAKEN = query('SELECT 1 FROM continuous_query WHERE team_id=? AND slug=?')
const RENAME_QUERY = command('UPDATE continuous_query SET title=? WHERE team_id=? AND query_id=?')
const REMOVE_QUERY = command('DELETE FROM continuous_query WHERE team_id=? AND query_id=?')

interface Holder {
  readonly user_id: UserId
}
const ACTIVE_USERS = query<Holder>(
  dialect => `SELECT user_id FROM user ${dialect.index('user_by_id')} WHERE team_id=? AND deleted_at IS NULL`,
)
const USERS_WITH_STATE = query<Holder>('SELECT user_id FROM continuous_state WHERE query_id=?')
const DUE_USERS = query<Holder>(`SELECT user_id FROM continuous_state JOIN job USING (user_id)
  WHERE query_id=? AND kind=? AND due_at<=? ORDER BY due_at, user_id LIMIT ?`)

/** Returns the statements that a write that touches samples runs. */
export function expectedQueries(teamId: TeamId): Expected {
  return { statement: QUERIES_OF_TEAM, values: [teamId] }
}

/** Stores a new query and makes it due immediately for every active user of the team. Returns `taken` if another query has the slug. */
export function* insertQuery(wanted: ContinuousQuery): Steps<'created' | 'taken'> {
  const { teamId, queryId, slug, title, minimumGapMs, createdAt, ...rest } = wanted
  if (yield* exists(SLUG_IS_TAKEN, [teamId, slug])) return 'taken'
  const definition = JSON.stringify(rest satisfies Definition)
  const row = asRow({ teamId, queryId, slug, title, definition, minimumGap: minimumGapMs, createdAt })
  if ((yield* QUERIES.add(row)) === 0) return 'taken'
  yield* touchEverybody(teamId, [wanted], createdAt)
  return 'created'
}

/** Makes the queries due for all of time, for every active user of the team. */
export function* touchEverybody(
  teamId: TeamId,
  queries: readonly Pick<ContinuousQuery, 'queryId' | 'minimumGapMs'>[],
  at: EpochMs,
): Steps<void> {
  if (queries.length === 0) return
  const users = yield* many(ACTIVE_USERS, [teamId])
  yield* lockUsers(users.map(each => each.user_id))
  for (const { user_id: userId } of users) yield* touchUser(userId, queries, at)
}

/** Makes the queries due for all of time, for one user. */
export function* touchUser(
  userId: UserId,
  queries: readonly Pick<ContinuousQuery, 'queryId' | 'minimumGapMs'>[],
  at: EpochMs,
): Steps<void> {
  for (const { queryId, minimumGapMs } of queries) {
    yield* touchState({ userId, queryId, minimumGapMs }, WHOLE_TIME, at)
  }
}

/** Returns a team's queries, oldest first. Takes only one index lookup if the team has none. */
export function* listTeamQueries(teamId: TeamId): Steps<ContinuousQuery[]> {
  return (yield* many(QUERIES_OF_TEAM, [teamId]))
    .map(fromRow)
    .sort((a, b) => a.createdAt - b.createdAt || (a.slug < b.slug ? -1 : 1))
}

/** Finds a query by its ID, or otherwise by its slug. Returns null if there is no such query. */
export function* findQuery(teamId: TeamId, idOrSlug: string): Steps<ContinuousQuery | null> {
  const row =
    (yield* one(QUERY_BY_ID, [teamId, idOrSlug.toLowerCase()])) ?? (yield* one(QUERY_BY_SLUG, [teamId, idOrSlug]))
  return row ? fromRow(row) : null
}

/** Changes the title of a query. Returns false if there is no such query. */
export function* renameQuery(teamId: TeamId, queryId: string, title: string): Steps<boolean> {
  return (yield* run(RENAME_QUERY, [title, teamId, queryId])) > 0
}

/**
 * Removes the definition, and schedules a job to remove the rows of every user who has any, so that no rows remain after a crash. Returns
 * false if there is no such query.
 */
export function* removeQuery(teamId: TeamId, queryId: string, at: EpochMs): Steps<boolean> {
  if ((yield* run(REMOVE_QUERY, [teamId, queryId])) === 0) return false
  const holders = yield* many(USERS_WITH_STATE, [queryId])
  yield* lockUsers(holders.map(each => each.user_id))
  for (const { user_id: userId } of holders) yield* requestQueryJob(userId, queryId, at)
  return true
}

/** Returns the users for whom a run of the query or the removal of its rows is due, earliest first. */
export function* listDueUsers(queryId: string, now: EpochMs, limit: number): Steps<UserId[]> {
  return (yield* many(DUE_USERS, [queryId, queryJob(queryId), now, limit])).map(row => row.user_id)
}

function readDefinition(row: QueryRow): Definition {
  const location = () => ({ what: `continuous query ${shownName(row.query_id)}`, userId: null })
  const definition = storedJson<Definition>(row.definition, location)
  const lists = [definition.columns, definition.reads, definition.providerOverrides ?? []]
  if (lists.every(Array.isArray) && typeof definition.query === 'object') return definition
  throw damaged(location())
}

function fromRow(row: QueryRow): ContinuousQuery {
  const { definition, minimumGap, ...rest } = asRecord(row)
  return { ...rest, minimumGapMs: minimumGap, ...readDefinition(row) }
}
