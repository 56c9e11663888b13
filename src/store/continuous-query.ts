/**
 * Stored continuous queries: the definition and, for each user, the touched time range, the result rows and the finished runs. Part of the
 * port (port.ts).
 */
import type { TeamId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** A result column. `kind` is the type of its cells. `key` is its index among the group keys, or null. */
export interface ResultTableColumn {
  readonly name: string
  readonly kind: string
  readonly key: number | null
}

export interface ContinuousQuery {
  readonly teamId: TeamId
  readonly queryId: string
  /** Unique within the team. */
  readonly slug: string
  readonly title: string
  /** The query as it was sent. The engine parses it again for every run. */
  readonly query: Readonly<Record<string, unknown>>
  readonly providerOverrides: readonly string[] | null
  readonly minimumGapMs: number
  readonly dataEvents: boolean
  /** The query's dependencies, such as `timeseries/steps`, `summary/sleep` and `priority/sleep`. */
  readonly reads: readonly string[]
  readonly columns: readonly ResultTableColumn[]
  readonly createdAt: EpochMs
}

/** A time range that includes both of its ends. */
export interface TimeRange {
  readonly from: EpochMs
  readonly to: EpochMs
}

/** All of time, which a new query must cover for every user. */
export const WHOLE_TIME: TimeRange = { from: -8.64e15, to: 8.64e15 }

/** A row of a result: its bucket start (in floating time), its group keys and its cells. The last two are JSON arrays. */
export interface ResultRow {
  readonly bucket: EpochMs
  readonly key: string
  readonly cells: string
}

export const TASK_STATUSES = ['scheduled', 'started', 'completed', 'error', 'skipped'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** One run of a query for a user, finished or scheduled. */
export interface QueryRun {
  /** Increases by one with each run of the query for the user. */
  readonly number: number
  readonly status: TaskStatus
  /** The time for which the run is scheduled. */
  readonly scheduledAt: EpochMs
  readonly startedAt: EpochMs | null
  readonly endedAt: EpochMs | null
  readonly errorDetails: string | null
}

/** A run that has begun. A later run of the same query for the same user takes over from it. `rev` distinguishes them. */
export interface BegunRun {
  readonly query: ContinuousQuery
  readonly rev: number
  /** The range touched since the last run, including the range of an unfinished run. Empty if `from` is after `to`. */
  readonly touched: TimeRange
  readonly fallbackTimeZone: string | null
}

export type BeginOutcome =
  | ({ readonly kind: 'begun' } & BegunRun)
  /** The user is deleted, and the task is recorded as skipped. */
  | { readonly kind: 'skipped' }
  /** Nothing is due, or the query is deleted and its rows for this user have been removed. */
  | { readonly kind: 'none' }

/** A run's result. It is committed as a whole, or not at all if another run has begun in the meantime. */
export interface RunResult {
  readonly rev: number
  readonly at: EpochMs
  readonly status: 'completed' | 'error' | 'skipped'
  readonly errorDetails: string | null
  /** Rows that are new or whose cells have changed. */
  readonly changed: readonly ResultRow[]
  readonly removed: readonly Pick<ResultRow, 'bucket' | 'key'>[]
  /** Documents of `continuous_query.result_table.changed` events, in order. */
  readonly events: readonly Readonly<Record<string, unknown>>[]
  /** Whether, after an error, a retry is worthwhile without new data. */
  readonly retry: boolean
}
