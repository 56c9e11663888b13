/**
 * The store's port: durable state as the engine uses it, with one call for each use case. No transaction spans calls: each call commits, or
 * changes nothing. Ids and times come from the caller, never from the database, and every call that touches user data names the user first.
 * A rejected write may be repeated, because the outcome of a failed commit is unknown. See docs/storage.md.
 */
import type { StoreFeature } from '../core/store-features.ts'
import type { Answer, Answering, AnswerStore, KeyedCall } from './answer.ts'
import type { AuditEntry, AuditStore } from './audit.ts'
import type { ClockStore } from './clock.ts'
import type { ConnectionStore } from './connection.ts'
import type { ConsoleStore } from './console/session.ts'
import type { ContinuousQueryStore } from './continuous-query.ts'
import type { DataStore, ImportStore } from './data-write.ts'
import type { DeliveryStore } from './delivery.ts'
import type { DeviceStore } from './device.ts'
import type { EventStore } from './event.ts'
import type { FaultStore } from './fault.ts'
import type { LinkStore } from './link.ts'
import type { LiveStore } from './live/live.ts'
import type { OrderStore } from './order.ts'
import type { PersonStore } from './person.ts'
import type { PriorityStore } from './priority.ts'
import type { ProfileStore } from './profile.ts'
import type { PullStore } from './pull.ts'
import type { Recording, RecordingEntry, RecordingStore } from './recording.ts'
import type { SampleStore, StreamStore, SummaryStore } from './sample.ts'
import type { SnapshotStore } from './snapshot.ts'
import type { TeamStore } from './team.ts'
import type { JobStore, UpkeepStore } from './upkeep.ts'
import type { UserStore } from './user.ts'
import type { WebhookStore } from './webhook.ts'

/**
 * The store of one audited call: the first write that changes something also appends the call's entry to the audit trail, in the same
 * transaction.
 */
export interface Auditing {
  readonly store: Store
  /** Returns whether the entry is in the trail. */
  isAudited(): boolean
}

export interface Store {
  readonly answers: AnswerStore
  readonly audit: AuditStore
  readonly clock: ClockStore
  readonly connections: ConnectionStore
  readonly console: ConsoleStore
  readonly continuous: ContinuousQueryStore
  readonly data: DataStore
  readonly deliveries: DeliveryStore
  readonly devices: DeviceStore
  readonly events: EventStore
  readonly faults: FaultStore
  readonly imports: ImportStore
  readonly jobs: JobStore
  readonly links: LinkStore
  readonly live: LiveStore
  readonly orders: OrderStore
  readonly people: PersonStore
  readonly priorities: PriorityStore
  readonly profiles: ProfileStore
  readonly pulls: PullStore
  readonly recordings: RecordingStore
  readonly samples: SampleStore
  readonly snapshots: SnapshotStore
  readonly streams: StreamStore
  readonly summaries: SummaryStore
  readonly teams: TeamStore
  readonly upkeep: UpkeepStore
  readonly users: UserStore
  readonly webhooks: WebhookStore

  /** Returns whether the store lacks a feature. Operations that need it then throw ServiceError `store_unsupported`. */
  lacks(feature: StoreFeature): boolean
  /** Waits for all requested writes. The store must not be used afterwards. */
  close(): Promise<void>

  /**
   * Returns the store of one audited call. `entry` is called when its first changing write is about to commit, and again if that write
   * fails and another one follows.
   */
  auditing(entry: () => AuditEntry): Auditing
  /**
   * Returns the store of one call with an idempotency key. `answerTo` returns the answer to the call, once the outcome of a write
   * determines it, or null.
   */
  answering(call: KeyedCall, answerTo: (outcome: unknown) => Answer | null): Answering<Store>
  /** Returns the store of one change that is recorded. */
  recording(entry: RecordingEntry): Recording<Store>
}
