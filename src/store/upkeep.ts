/** Upkeep of the store: due jobs, statistics, and check results. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/**
 * Kinds of scheduled work for a user. `purge` removes the user. `continuous_query` runs a query again, or removes its rows if the query was
 * deleted. `pause` ends ingestion a week after its last day. `refresh` pulls new data from a provider. `demo_data` adds new data to a demo
 * connection, and `demo_end` ends the demo. `order` advances a simulated lab order. `retention` removes events that are older than the
 * team's retention time. See docs/storage.md.
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
  /** `scrub` and `truncate` are jobs of the store itself. They have no user, and are done by `scrub()`. */
  readonly kind: UserJobKind | 'scrub' | 'truncate'
  /** The job's subject: the ID of a continuous query or an order, or a provider's slug. Absent if the kind alone identifies the job. */
  readonly subject?: string
  readonly dueAt: EpochMs
}

export interface ScrubOptions {
  /** How long to wait for blocking readers and writers, in milliseconds of real time. */
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}
/** The result of a scrub. `blocked` means that another handle is still reading an older state or holds the lock. The job then stays due. */
export type ScrubOutcome = 'clean' | 'blocked'

/** A check's progress: the number of bytes in chunks, and the number of samples in them. */
export interface CheckProgress {
  readonly doneBytes: number
  readonly totalBytes: number
  readonly chunks: number
  readonly samples: number
}

/** Sizes of the store's files, in bytes. */
export interface FileSizes {
  readonly fileBytes: number
  /** Size of the write-ahead log. */
  readonly walBytes: number
}

/** A store's database server, if it has one. */
export interface DatabaseServer {
  /** The server's version, such as `15.8`. */
  readonly version: string
  /** The Citus cluster, or null for plain PostgreSQL. */
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
  /** Number of shards on the node. A reference table counts as one shard on each node. */
  readonly shards: number
}

/** Traffic between this process and its store's server. Counting starts when the store is opened. */
export interface WireFigures {
  /** Number of open connections that are running a transaction. */
  readonly connectionsInUse: number
  readonly connectionsIdle: number
  /** Number of transactions that are waiting for a free connection. */
  readonly waiting: number
  /** Number of round trips to the server. */
  readonly roundTrips: number
  readonly statements: number
  /** Number of transactions that were repeated because of a conflict or a broken connection. */
  readonly retries: number
  /** How long the oldest event of any process has been waiting for its position in its team's order, in milliseconds, as last measured. */
  readonly eventOrderLagMs: number
}

/** Statistics for the whole store. */
export interface StoreStatistics {
  /** Null if the store has no files. */
  readonly files: FileSizes | null
  /** Null if the store has no server. */
  readonly server: DatabaseServer | null
  /** Number of active users. */
  readonly users: number
  /** Number of deleted users who are within their grace period or whose purge is due. */
  readonly deletedUsers: number
  readonly series: number
  readonly chunks: number
  readonly samples: number
  /** Total size of all chunk blobs, in bytes. */
  readonly chunkBytes: number
  readonly summaries: number
  readonly streams: number
  readonly events: number
  readonly continuousQueries: number
  /** Number of result rows of continuous queries, for all users. */
  readonly resultRows: number
  readonly schemaVersion: number
  /** How often the whole state has been replaced, that is, restored or emptied. */
  readonly epoch: number
}

/** A problem found by `check`, described without health values. */
export interface StoreProblem {
  /**
   * `database`, `user`, `chunk`, `outbox`, `summary`, `stream`, `import`, `continuous_query`, `order`, `delivery`, or the name of another
   * table whose rows have a checksum.
   */
  readonly what: string
  readonly userId: UserId | null
  readonly message: string
}

/** A job that belongs to one of a team's users. */
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
  /** The kind together with the job's subject, as stored. */
  readonly name: string
}

export interface JobQuery {
  readonly kind: UserJobKind | null
  /** The position to continue from, or null to start with the earliest job. */
  readonly after: JobPosition | null
  readonly limit: number
}

export interface UpkeepStore {
  /** Throws within a few seconds if the store cannot be read. Used for /healthz. */
  ping(): Promise<void>
  /** The share of users whose data can be reached, from 0 to 1. Below 1 while machines of a cluster are down. */
  reachableShare(): number
  /**
   * Makes a small write that changes nothing. Throws ServiceError `disk_full` if there is not enough space for the write. Used for /readyz.
   */
  checkRoom(): Promise<void>
  /** Removes every trace of removed data from the database file, its WAL, and the copies made by migrations. Call this after purges. */
  scrub(options: ScrubOptions): Promise<ScrubOutcome>
  statistics(): Promise<StoreStatistics>
  /** Returns the files' sizes immediately, or null if the store has no files. */
  fileSizes(): FileSizes | null
  /** Returns statistics about the connections to the server immediately, or null if the store has no server. */
  wire(): WireFigures | null
  /** Checks the database, and compares every chunk with its stored figures. Yields problems one at a time. */
  check(onProgress?: (progress: CheckProgress) => void): AsyncIterable<StoreProblem>
  /**
   * Adds checksums to intact rows that were written before checksums existed. After each batch, yields the number added so far. Safe to
   * interrupt.
   */
  rewriteUnchecked(): AsyncIterable<number>
}
