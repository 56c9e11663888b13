/** What the care of a store speaks of: work that falls due, figures, and what a check finds. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/**
 * Work that falls due (design 9): `purge` removes a user; `continuous_query` runs a query again for a user, or removes its rows
 * when the query is gone; `scrub` and `truncate` are the store's own, for no user, and done by `scrub()`.
 */
export interface DueJob {
  readonly userId: UserId | null
  readonly kind: 'purge' | 'continuous_query' | 'scrub' | 'truncate'
  /** Set where the kind is `continuous_query`. */
  readonly queryId?: string
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
}

/** Something that `check` found wrong, in words without a health value. */
export interface StoreProblem {
  /** `database`, `user`, `chunk`, `outbox`, `summary`, `stream`, `import`, `continuous_query`. */
  readonly what: string
  readonly userId: UserId | null
  readonly message: string
}
