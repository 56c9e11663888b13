/** Copies of the whole store that are made while it is in use, and the ways back. Part of the port (port.ts). */
import type { EpochMs } from '../core/time.ts'

/** A copy that is kept in the data folder under a name. */
export interface SnapshotRecord {
  readonly name: string
  /** Real time. */
  readonly savedAt: EpochMs
  /** What the engine's clock said then, and whether it stood still. */
  readonly now: EpochMs
  readonly isFrozen: boolean
  /** Active users in it. */
  readonly users: number
  readonly bytes: number
  readonly schemaVersion: number
}

/** When a copy is made. */
export interface SnapshotMoment {
  /** Real time. */
  readonly real: EpochMs
  /** By the engine's clock. */
  readonly now: EpochMs
}

/** What took the place of what. */
export interface Replaced {
  /** Active users. */
  readonly usersBefore: number
  readonly usersAfter: number
  /** Counts how often the whole state was replaced. */
  readonly epoch: number
}

export interface SnapshotStore {
  /**
   * Writes a copy of one moment to a path that is free, for this user alone to read; others read and write meanwhile. The keys of
   * running servers do not work in it, and faults are no part of it. The master key is no part of a store. Throws ServiceError
   * `disk_full` or `data_folder`.
   */
  copyTo(path: string, at: SnapshotMoment): Promise<void>
  /** Keeps such a copy in the data folder. Null: there is one of that name, and it was not to be replaced. */
  save(name: string, at: SnapshotMoment, mayReplace: boolean): Promise<SnapshotRecord | null>
  /** By name. What cannot be read as a snapshot is left out. */
  list(): Promise<readonly SnapshotRecord[]>
  /** False: there was none. */
  remove(name: string): Promise<boolean>
  /**
   * Puts the state of a snapshot in the place of what is there, in one transaction; every process on the data folder goes on with
   * it. Kept are the audit trail, the keys of running servers and the processes that deliver; faults end. Null: there is no such
   * snapshot. Throws ServiceError `conflict` for one that is damaged or of a newer schema; nothing is changed then.
   */
  restore(name: string, signal?: AbortSignal): Promise<Replaced | null>
  /**
   * Empties the store in one transaction: kept are teams with their switches and keys, the audit trail and the processes that
   * deliver. The clock follows real time again. A `scrub` is due then.
   */
  reset(signal?: AbortSignal): Promise<Replaced>
  /** How often the whole state was replaced: what was read of another epoch holds no more. */
  epoch(): Promise<number>
}
