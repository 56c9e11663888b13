/**
 * Continuous queries as the store keeps them: the definition, and for each user what was touched, the rows of the result and the
 * tasks that were run. Part of the port (port.ts).
 */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** A column of the result. `kind` is what its cells are; `key` its place among the group keys, or null. */
export interface ResultTableColumn {
  readonly name: string
  readonly kind: string
  readonly key: number | null
}

export interface ContinuousQuery {
  readonly teamId: TeamId
  readonly queryId: string
  /** Unique in the team. */
  readonly slug: string
  readonly title: string
  /** As it was given: the engine reads it again at every run. */
  readonly query: Readonly<Record<string, unknown>>
  readonly providerOverrides: readonly string[] | null
  readonly minimumGapMs: number
  readonly dataEvents: boolean
  /** What it depends on: `timeseries/steps`, `summary/sleep`, `priority/sleep`. */
  readonly reads: readonly string[]
  readonly columns: readonly ResultTableColumn[]
  readonly createdAt: EpochMs
}

/** A stretch of time, both ends inclusive. */
export interface Stretch {
  readonly from: EpochMs
  readonly to: EpochMs
}

/** All of time: what is due for every user when a query is new. */
export const WHOLE_TIME: Stretch = { from: -8.64e15, to: 8.64e15 }

/** A row of a result: where its bucket begins (floating), its group keys and its cells, each as a JSON array. */
export interface ResultRow {
  readonly bucket: EpochMs
  readonly key: string
  readonly cells: string
}

export const TASK_STATUSES = ['scheduled', 'started', 'completed', 'error', 'skipped'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** One run of a query for a user, or one to come. */
export interface TaskRecord {
  /** Ascends by one within the query and user. */
  readonly number: number
  readonly status: TaskStatus
  /** When it was to run. */
  readonly scheduledAt: EpochMs
  readonly startedAt: EpochMs | null
  readonly endedAt: EpochMs | null
  readonly errorDetails: string | null
}

/** A run that has begun. Who begins another one for the same query and user takes it over: `rev` tells. */
export interface BegunRun {
  readonly query: ContinuousQuery
  readonly rev: number
  /** What was touched since the last run. */
  readonly touched: Stretch
  readonly fallbackTimeZone: string | null
}

export type BeginOutcome =
  | ({ readonly kind: 'begun' } & BegunRun)
  /** The user is deleted: recorded as skipped. */
  | { readonly kind: 'skipped' }
  /** Nothing is due, or the query is gone and its rows are removed. */
  | { readonly kind: 'none' }

/** What a run came to; committed whole, or not at all when another run was begun meanwhile. */
export interface RunResult {
  readonly rev: number
  readonly at: EpochMs
  readonly status: 'completed' | 'error' | 'skipped'
  readonly errorDetails: string | null
  /** Rows that are new or have other cells. */
  readonly changed: readonly ResultRow[]
  readonly removed: readonly Pick<ResultRow, 'bucket' | 'key'>[]
  /** Documents of `continuous_query.result_table.changed` events, in order. */
  readonly events: readonly Readonly<Record<string, unknown>>[]
  /** After an error: whether it is worth another try without new data. */
  readonly retry: boolean
}

export interface ContinuousQueryStore {
  /** Keeps a new query, and makes it due at once for every active user of the team. `taken`: the slug is another's. */
  create(query: ContinuousQuery): Promise<'created' | 'taken'>
  /** Oldest first. */
  ofTeam(teamId: TeamId): Promise<readonly ContinuousQuery[]>
  /** By id, else by slug; null when there is none. */
  find(teamId: TeamId, idOrSlug: string): Promise<ContinuousQuery | null>
  /** Removes the definition and makes the removal of its rows due for every user who has some. False when there was none. */
  remove(teamId: TeamId, queryId: string, at: EpochMs): Promise<boolean>
  /** Users with something of the query that is due, earliest first: a run, or the removal of its rows. */
  dueUsers(queryId: string, now: EpochMs, limit: number): Promise<readonly UserId[]>
  /** Begins the run that is due, or does what is due instead. */
  beginRun(userId: UserId, queryId: string, now: EpochMs): Promise<BeginOutcome>
  /** False when another run was begun, or user or query were deleted meanwhile: nothing is changed. */
  finishRun(userId: UserId, queryId: string, result: RunResult): Promise<boolean>
  /** Rows whose bucket begins in [from, to), by bucket and key. */
  resultRows(userId: UserId, queryId: string, from: EpochMs, to: EpochMs): Promise<readonly ResultRow[]>
  /** Newest first, those with a number below `before`. */
  tasks(userId: UserId, queryId: string, before: number, limit: number): Promise<readonly TaskRecord[]>
}
