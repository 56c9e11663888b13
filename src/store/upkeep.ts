/** Upkeep of the store: due jobs, figures, and check results. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/**
 * Work for a user that falls due. `purge` removes the user; `continuous_query` runs a query again, or removes its rows if the query is
 * deleted; `pause` ends ingestion a week after its last day; `refresh` pulls new data from a provider; `demo_data` brings new data of a
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
  /**
   * The subject of the job: the id of a continuous query or an order, or the slug of a provider. Absent if the kind alone identifies the
   * job.
   */
  readonly subject?: string
  readonly dueAt: EpochMs
}

export interface ScrubOptions {
  /** How long to wait for blocking readers and writers, in milliseconds of real time. */
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}
/** `blocked`: another handle still reads an older state or holds the lock. The job stays due. */
export type ScrubOutcome = 'clean' | 'blocked'

/** Progress of a check: bytes of chunks, and the samples in them. */
export interface CheckProgress {
  readonly doneBytes: number
  readonly totalBytes: number
  readonly chunks: number
  readonly samples: number
}

/** Sizes of the files of the store, in bytes. */
export interface FileSizes {
  readonly fileBytes: number
  /** Size of the write-ahead log. */
  readonly walBytes: number
}

/** The database server of a store that has one. */
export interface DatabaseServer {
  /** Such as `15.8`. */
  readonly version: string
  /** Null: plain PostgreSQL. */
  readonly citus: CitusCluster | null
}

export interface CitusCluster {
  readonly version: string
  /** The coordinator and the workers. */
  readonly nodes: readonly CitusNode[]
}

export interface CitusNode {
  readonly isCoordinator: boolean
  /** Whether the node takes part in queries. */
  readonly isActive: boolean
  /** Number of shards on the node. A reference table is one shard on each node. */
  readonly shards: number
}

/** Traffic between this process and the server of its store. Counts begin when the store is opened. */
export interface WireFigures {
  /** Open connections that run a transaction. */
  readonly connectionsInUse: number
  readonly connectionsIdle: number
  /** Transactions that wait for a free connection. */
  readonly waiting: number
  /** Round trips to the server. */
  readonly roundTrips: number
  readonly statements: number
  /** Transactions that were repeated because of a conflict or a broken connection. */
  readonly retries: number
  /** How long the oldest event of any process has waited for its position in the order of its team, in milliseconds, as last seen. */
  readonly eventOrderLagMs: number
}

/** Figures of the whole store. */
export interface StoreStatistics {
  /** Null: the store has no files of its own. */
  readonly files: FileSizes | null
  /** Null: the store has no server. */
  readonly server: DatabaseServer | null
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

/** A job of a user of a team. */
export interface ListedJob {
  readonly userId: UserId
  readonly clientUserId: string
  readonly kind: UserJobKind
  readonly subject: string | null
  readonly dueAt: EpochMs
}

/** A position in a list of jobs, which is sorted by these fields. */
export interface JobPosition {
  readonly dueAt: EpochMs
  readonly userId: UserId
  /** The kind with the subject of the job, as stored. */
  readonly name: string
}

export interface JobQuery {
  readonly kind: UserJobKind | null
  /** Null: from the earliest. */
  readonly after: JobPosition | null
  readonly limit: number
}

export interface UpkeepStore {
  /** Throws if the store cannot be read, within a few seconds; for /healthz. */
  ping(): Promise<void>
  /** Makes a small write that changes nothing. Throws ServiceError `disk_full` if there is not enough space for that; for /readyz. */
  checkRoom(): Promise<void>
  /** Call this after purges: leaves no removed byte in the database file, its WAL, or copies made by migrations. */
  scrub(options: ScrubOptions): Promise<ScrubOutcome>
  statistics(): Promise<StoreStatistics>
  /** Returns the sizes of the files at once, or null if the store has no files of its own. */
  fileSizes(): FileSizes | null
  /** Returns the figures of the connections to the server at once, or null if the store has no server. */
  wire(): WireFigures | null
  /** Checks the database, and every chunk against its stored figures. Yields one problem at a time. */
  check(onProgress?: (progress: CheckProgress) => void): AsyncIterable<StoreProblem>
  /**
   * Adds checksums to intact rows from before checksums existed. Yields the number added so far, a batch at a time. It is safe to
   * interrupt.
   */
  rewriteUnchecked(): AsyncIterable<number>
}
