/** Snapshots: copies of the whole store that are made while it is in use and can be restored later. Part of the port (port.ts). */
import type { EpochMs } from '../core/time.ts'

/** A copy that is stored in the data folder under a name. */
export interface SnapshotRecord {
  readonly name: string
  /** Real time. */
  readonly savedAt: EpochMs
  /** Time by the engine's clock, and whether the clock was frozen. */
  readonly now: EpochMs
  readonly isFrozen: boolean
  /** Number of active users in the snapshot. */
  readonly users: number
  readonly bytes: number
  readonly schemaVersion: number
}

/** The time at which a copy is made. */
export interface SnapshotMoment {
  /** Real time. */
  readonly real: EpochMs
  /** Time by the engine's clock. */
  readonly now: EpochMs
}

/** The result of replacing the whole state. */
export interface Replaced {
  /** Number of active users. */
  readonly usersBefore: number
  readonly usersAfter: number
  /** How often the whole state has been replaced. */
  readonly epoch: number
}

export interface SnapshotStore {
  /**
   * Writes a consistent copy to a path that does not exist yet, while reads and writes continue. Only the current system user can read the
   * copy. In the copy, running servers' keys are revoked and there are no faults. The master key is not part of a store. Throws
   * ServiceError `disk_full`, `data_folder` or `store_busy`.
   */
  copyTo(path: string, at: SnapshotMoment): Promise<void>
  /** Stores such a copy in the data folder. Returns null if the name is taken and the existing snapshot must not be replaced. */
  save(name: string, at: SnapshotMoment, mayReplace: boolean): Promise<SnapshotRecord | null>
  /** Returns the snapshots by name. Files that cannot be read as snapshots are omitted. */
  list(): Promise<readonly SnapshotRecord[]>
  /** Removes a snapshot. Returns false if there was no such snapshot. */
  remove(name: string): Promise<boolean>
  /**
   * Replaces the current state with a snapshot's state in one transaction. Every process on the data folder continues with the new state.
   * The audit trail, the keys of running servers and the processes that deliver are kept, but faults are removed. Returns null if there is
   * no such snapshot. Throws ServiceError `conflict` and changes nothing if the snapshot is damaged or has a newer schema.
   */
  restore(name: string, signal?: AbortSignal): Promise<Replaced | null>
  /**
   * Empties the store in one transaction. Teams with their settings and keys, the audit trail and the processes that deliver are kept. The
   * clock follows real time again, and a `scrub` becomes due.
   */
  reset(signal?: AbortSignal): Promise<Replaced>
  /** Returns how often the whole state has been replaced. Data that was read in another epoch is no longer valid. */
  epoch(): Promise<number>
}
