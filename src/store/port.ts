/**
 * The store's port, through which the engine uses durable state, with one call per use case. No transaction spans several calls: each call
 * either commits or changes nothing. IDs and times come from the caller, never from the database. The user is the first argument of every
 * call that accesses user data. A rejected write can be repeated, because the outcome of a failed commit is unknown. See docs/storage.md.
 */
import type { StoreFeature } from '../core/store-features.ts'
import type { AuditEntry } from './audit.ts'
import type { DataStore } from './imports/data-store.ts'
import type { Idempotent, KeyedCall, StoredResponse } from './keyed-response.ts'
import type { Parts } from './logic/parts.ts'
import type { Recording, RecordingEntry, RecordingStore } from './recording.ts'
import type { SnapshotStore } from './snapshot.ts'
import type { UpkeepStore } from './upkeep.ts'

/**
 * The store for one audited call. The first write that changes something also appends the call's entry to the audit trail, in the same
 * transaction.
 */
export interface Auditing {
  readonly store: Store
  /** Returns whether the entry is in the audit trail. */
  isAudited(): boolean
}

/** The parts that are the same for every database, and the parts that each database implements itself. */
export interface Store extends Parts {
  readonly data: DataStore
  readonly recordings: RecordingStore
  readonly snapshots: SnapshotStore
  readonly upkeep: UpkeepStore

  /** Returns whether the store lacks a feature. If it does, operations that need the feature throw ServiceError `store_unsupported`. */
  lacks(feature: StoreFeature): boolean
  /** Waits for all requested writes and closes the store, which must not be used afterwards. */
  close(): Promise<void>

  /**
   * Returns the store for one audited call. `entry` is called when the first write that changes something is about to commit, and again if
   * that write fails and another one follows.
   */
  auditing(entry: () => AuditEntry): Auditing
  /**
   * Returns the store for one call with an idempotency key. `responseTo` returns the call's response once a write's result determines it,
   * and null otherwise.
   */
  idempotent(call: KeyedCall, responseTo: (outcome: unknown) => StoredResponse | null): Idempotent<Store>
  /** Returns the store for one recorded change. */
  recording(entry: RecordingEntry): Recording<Store>
}
