/** The definitions of continuous queries as rows. They belong to a team, not to a user. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import { type ContinuousQuery, WHOLE_TIME } from '../../continuous-query.ts'
import { named } from '../checksums/checked-rows.ts'
import { damaged, storedJson } from '../checksums/damage.ts'
import type { Connection } from '../connection.ts'
import { queryJob, requestQueryJob } from '../jobs.ts'
import { PlainRows } from '../plain-rows.ts'
import { asRecord, asRow } from '../record-names.ts'
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
const QUERIES = new PlainRows<QueryRow>('continuous_query', [
  'team_id',
  'query_id',
  'slug',
  'title',
  'definition',
  'minimum_gap',
  'created_at',
])

export function insertQuery(db: Connection, query: ContinuousQuery): 'created' | 'taken' {
  const { teamId, queryId, slug, title, minimumGapMs, createdAt, ...rest } = query
  const taken = db.get('SELECT 1 FROM continuous_query WHERE team_id=? AND slug=?', teamId, slug)
  if (taken !== undefined) return 'taken'
  const definition = JSON.stringify(rest satisfies Definition)
  QUERIES.insert(db, asRow({ teamId, queryId, slug, title, definition, minimumGap: minimumGapMs, createdAt }))
  touchEverybody(db, teamId, [query], createdAt)
  return 'created'
}

/** Makes the queries due for all of time, for every active user of the team. */
export function touchEverybody(
  db: Connection,
  teamId: TeamId,
  queries: readonly Pick<ContinuousQuery, 'queryId' | 'minimumGapMs'>[],
  at: EpochMs,
): void {
  if (queries.length === 0) return
  const users = db.all<{ user_id: string }>(
    'SELECT user_id FROM user INDEXED BY user_by_id WHERE team_id=? AND deleted_at IS NULL',
    teamId,
  )
  for (const user of users) touchUser(db, user.user_id as UserId, queries, at)
}

/** Makes the queries due for all of time, for one user. */
export function touchUser(
  db: Connection,
  userId: UserId,
  queries: readonly Pick<ContinuousQuery, 'queryId' | 'minimumGapMs'>[],
  at: EpochMs,
): void {
  for (const { queryId, minimumGapMs } of queries) {
    touchState(db, { userId, queryId, minimumGapMs }, WHOLE_TIME, at)
  }
}

/** Returns the queries of a team, oldest first. Costs one step in an index if the team has none. */
export function queriesOf(db: Connection, teamId: TeamId): ContinuousQuery[] {
  return QUERIES.all(db, 'WHERE team_id=?', teamId)
    .map(fromRow)
    .sort((a, b) => a.createdAt - b.createdAt || (a.slug < b.slug ? -1 : 1))
}

export function findQuery(db: Connection, teamId: TeamId, idOrSlug: string): ContinuousQuery | null {
  const row =
    QUERIES.get(db, 'WHERE team_id=? AND query_id=?', teamId, idOrSlug.toLowerCase()) ??
    QUERIES.get(db, 'WHERE team_id=? AND slug=?', teamId, idOrSlug)
  return row ? fromRow(row) : null
}

/**
 * Removes a query. The rows of each user are removed by a job of that user, which is due at once, so that a crash in between forgets none.
 */
export function removeQuery(db: Connection, teamId: TeamId, queryId: string, at: EpochMs): boolean {
  if (db.run('DELETE FROM continuous_query WHERE team_id=? AND query_id=?', teamId, queryId) === 0) return false
  const holders = db.all<{ user_id: string }>('SELECT user_id FROM continuous_state WHERE query_id=?', queryId)
  for (const { user_id } of holders) requestQueryJob(db, user_id as UserId, queryId, at)
  return true
}

export function dueUsersOf(db: Connection, queryId: string, now: EpochMs, limit: number): UserId[] {
  return db
    .all<{ user_id: string }>(
      `SELECT user_id FROM continuous_state JOIN job USING (user_id)
       WHERE query_id=? AND kind=? AND due_at<=? ORDER BY due_at, user_id LIMIT ?`,
      queryId,
      queryJob(queryId),
      now,
      limit,
    )
    .map(row => row.user_id as UserId)
}

function definitionOf(row: QueryRow): Definition {
  const place = () => ({ what: `continuous query ${named(row.query_id)}`, userId: null })
  const definition = storedJson<Definition>(row.definition, place)
  const lists = [definition.columns, definition.reads, definition.providerOverrides ?? []]
  if (lists.every(Array.isArray) && typeof definition.query === 'object') return definition
  throw damaged(place())
}

function fromRow(row: QueryRow): ContinuousQuery {
  const { definition, minimumGap, ...rest } = asRecord(row)
  return { ...rest, minimumGapMs: minimumGap, ...definitionOf(row) }
}
