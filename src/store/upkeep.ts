/** What the care of a store speaks of: work that falls due, figures, and what a check finds. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/**
 * Work for a user that falls due (design 9): `purge` removes the user; `continuous_query` runs a query again, or removes its rows
 * when the query is gone; `pause` ends ingestion a week after its last day; `refresh` pulls what is
 * new at a provider; `demo_data` brings new data of a demo connection and
 * `demo_end` ends it; `order` takes a simulated lab order further; `retention` removes events that
 * are older than the team keeps them.
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
  /** `scrub` and `truncate` are the store's own, for no user, and done by `scrub()`. */
  readonly kind: UserJobKind | 'scrub' | 'truncate'
  /** What of the user it is about: the id of a continuous query or an order, the slug of a provider. */
  readonly subject?: string
  readonly dueAt: EpochMs
}

export interface ScrubOptions {
  /** How long to wait for readers and writers that are in the way, in real time. */
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}
/** `blocked`: another connection holds an older state or the lock; the job stays due. */
export type ScrubOutcome = 'clean' | 'blocked'

/** How far a check has come: bytes of chunks, and the samples in them. */
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
  /** Deleted users whose grace period runs or whose purge is due. */
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
  /** Rows of their results, of all users. */
  readonly resultRows: number
  readonly fileBytes: number
  readonly walBytes: number
  readonly schemaVersion: number
  /** How often the whole state was replaced: restored, or emptied. */
  readonly epoch: number
}

/** Something that `check` found wrong, in words without a health value. */
export interface StoreProblem {
  /** `database`, `user`, `chunk`, `outbox`, `summary`, `stream`, `import`, `continuous_query`, `order`, `delivery`. */
  readonly what: string
  readonly userId: UserId | null
  readonly message: string
}
