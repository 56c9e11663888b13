/** Upkeep of the store: jobs that fall due, figures, and what a check finds. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/**
 * Work for a user that falls due. `purge` removes the user; `continuous_query` runs a query again, or removes its rows if the query is
 * deleted; `pause` ends ingestion a week after its last day; `refresh` pulls what is new at a provider; `demo_data` brings new data of a
 * demo connection and `demo_end` ends it; `order` advances a simulated lab order; `retention` removes events that are older than the team
 * keeps them. See docs/storage.md.
 */
export type UserJobKind =
  | 'purge'
  | 'continuous_query'
  | 'pause'
  | 'refresh'
  | 'demo_data'
  | 'demo_end'
  | 'order'
  | 'retention'

export interface DueJob {
  readonly userId: UserId | null
  /** `scrub` and `truncate` belong to the store itself, have no user, and are done by `scrub()`. */
  readonly kind: UserJobKind | 'scrub' | 'truncate'
  /** What the job is about: the id of a continuous query or an order, or the slug of a provider. Absent if the kind says it all. */
  readonly subject?: string
  readonly dueAt: EpochMs
}

export interface ScrubOptions {
  /** How long to wait for readers and writers that are in the way, in milliseconds of real time. */
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}
/** `blocked`: another connection still reads an older state or holds the lock. The job stays due. */
export type ScrubOutcome = 'clean' | 'blocked'

/** Progress of a check: bytes of chunks, and the samples in them. */
export interface CheckProgress {
  readonly doneBytes: number
  readonly totalBytes: number
  readonly chunks: number
  readonly samples: number
}

/** Figures of the whole store. */
export interface StoreStatistics {
  /** Active users. */
  readonly users: number
  /** Deleted users who are within their grace period or whose purge is due. */
  readonly deletedUsers: number
  readonly series: number
  readonly chunks: number
  readonly samples: number
  /** Bytes of all chunk blobs. */
  readonly chunkBytes: number
  readonly summaries: number
  readonly streams: number
  readonly events: number
  readonly continuousQueries: number
  /** Rows of the results of continuous queries, for all users. */
  readonly resultRows: number
  readonly fileBytes: number
  readonly walBytes: number
  readonly schemaVersion: number
  /** How often the whole state has been replaced: restored, or emptied. */
  readonly epoch: number
}

/** A problem that `check` found, described without a health value. */
export interface StoreProblem {
  /**
   * `database`, `user`, `chunk`, `outbox`, `summary`, `stream`, `import`, `continuous_query`, `order`, `delivery`, or the name of another
   * table whose rows have a checksum.
   */
  readonly what: string
  readonly userId: UserId | null
  readonly message: string
}
