/**
 * The store's port: durable state as the engine uses it, with one call for each use case. No transaction spans calls: each call commits, or
 * changes nothing. Ids and times come from the caller, never from the database, and every call that touches user data names the user first.
 * A rejected write may be repeated, because the outcome of a failed commit is unknown. See docs/storage.md.
 */
import type { ClockState, RealTime } from '../core/clock.ts'
import type { TeamId, UserId } from '../core/ids.ts'
import type { SampleColumns, SamplePacking, SeriesKey, SummaryKind, SummaryRecord } from '../core/sample.ts'
import type { StreamPoints } from '../core/stream.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'
import type { Answer, Answering, AnswerStore, KeyedCall } from './answer.ts'
import type { AuditEntry, AuditStore } from './audit.ts'
import type { ContinuousQueryStore } from './continuous-query.ts'
import type {
  ConnectionRecord,
  DataWrite,
  ImportPage,
  ImportRecord,
  Spool,
  UndoOutcome,
  WriteOutcome,
} from './data-write.ts'
import type { DeliveryStore } from './delivery.ts'
import type { DeviceStore } from './device.ts'
import type { EventStore } from './event.ts'
import type { FaultStore } from './fault.ts'
import type { LinkStore } from './link.ts'
import type { OrderStore } from './order.ts'
import type { PersonStore } from './person.ts'
import type { PriorityStore } from './priority.ts'
import type { ProfileStore } from './profile.ts'
import type { PullStore } from './pull.ts'
import type { SnapshotSharing } from './sharing.ts'
import type { SnapshotStore } from './snapshot.ts'
import type { TapeEntry, TapeStore, Taping } from './tape.ts'
import type { NewTeam, TeamRecord, TeamStore } from './team.ts'
import type { CheckProgress, DueJob, ScrubOptions, ScrubOutcome, StoreProblem, StoreStatistics } from './upkeep.ts'
import type { CreateOutcome, UserRecord, UserStore } from './user.ts'
import type { WebhookStore } from './webhook.ts'

export type { OutboxEvent } from './event.ts'
export type { LinkTokenRecord, PendingMfa } from './link.ts'
export type { CreateOutcome, Fallback, UserRecord } from './user.ts'

/** Samples of one resource whose start is in [from, to], both inclusive. */
export interface SampleQuery {
  readonly resource: string
  /** Provider slug, or null for every provider. */
  readonly provider: string | null
  readonly from: EpochMs
  readonly to: EpochMs
}

/**
 * A position in the common time order of all series of a resource: after the sample (start, series). At equal starts the lower series id
 * comes first.
 */
export interface SamplePosition {
  readonly start: EpochMs
  readonly seriesId: number
}

export interface SeriesSlice {
  readonly series: SeriesKey
  /** Columns are built when they are accessed: read each one once. */
  readonly columns: SampleColumns
  /** The packed form of the samples. Set only by a scan, and only for a whole chunk. */
  readonly packing?: SamplePacking | undefined
  /** Size, in bytes, of the chunk that was read for it. */
  readonly bytes?: number | undefined
}

export interface SamplePage {
  /** One slice for each series that has samples on this page. Together they cover a contiguous stretch of time. */
  readonly slices: readonly SeriesSlice[]
  /** Where the next page begins, or null if this is the last page. */
  readonly next: SamplePosition | null
}

export interface SummaryQuery {
  readonly kind: SummaryKind
  readonly provider: string | null
  /** Bounds on `date`, inclusive. */
  readonly fromDate: IsoDate
  readonly toDate: IsoDate
}

export interface StoredSummary extends SummaryRecord {
  readonly createdAt: EpochMs
  readonly updatedAt: EpochMs
}

/** A workout's stream as it is stored. */
export interface StoredStream extends StreamPoints {
  readonly workoutId: string
  readonly provider: string
  readonly sourceType: string
}

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
  readonly sharing: SnapshotSharing
  readonly teams: TeamStore
  readonly audit: AuditStore
  readonly answers: AnswerStore
  readonly snapshots: SnapshotStore
  readonly faults: FaultStore
  readonly priorities: PriorityStore
  readonly continuous: ContinuousQueryStore
  readonly links: LinkStore
  readonly orders: OrderStore
  readonly users: UserStore
  readonly profiles: ProfileStore
  readonly people: PersonStore
  readonly devices: DeviceStore
  readonly pulls: PullStore
  readonly webhooks: WebhookStore
  readonly deliveries: DeliveryStore
  readonly events: EventStore
  readonly tape: TapeStore

  /** Waits for all requested writes. The store must not be used afterwards. */
  close(): Promise<void>
  /** Throws if the store cannot be read; for /healthz. */
  ping(): Promise<void>
  /** Makes a small write that changes nothing. Throws ServiceError `disk_full` if there is no room even for that; for /readyz. */
  checkRoom(): Promise<void>

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
  /** Returns the store of one change that is put on the tape of a recording. */
  taping(entry: TapeEntry): Taping<Store>
  /** Opens a separate store in a scratch file, with the newest schema. It uses `time` as real time. */
  apart(path: string, time: RealTime): Store

  clock(): Promise<ClockState>
  /**
   * Sets the clock. `now` is the time that the new clock shows. If the clock is set back, continuous queries and retries that were waiting
   * after a run or an attempt that now lies in the future become due. Returns false, and changes nothing, if the clock is no longer as in
   * `before`.
   */
  setClock(state: ClockState, now: EpochMs, before?: ClockState): Promise<boolean>

  /** Returns the local team, which is created from the candidate at first use. */
  ensureLocalTeam(candidate: () => Promise<NewTeam>): Promise<TeamRecord>
  team(teamId: TeamId): Promise<TeamRecord | null>

  createUser(user: UserRecord): Promise<CreateOutcome>
  /** Returns a user of this team, deleted or not, or null. */
  user(teamId: TeamId, userId: UserId): Promise<UserRecord | null>
  /** Returns the active user that has the client_user_id, or null. */
  userByClientId(teamId: TeamId, clientUserId: string): Promise<UserRecord | null>
  /** Returns active users, newest first. `total` is a counter kept with the team. */
  listUsers(
    teamId: TeamId,
    offset: number,
    limit: number,
  ): Promise<{ readonly users: readonly UserRecord[]; readonly total: number }>
  /**
   * Marks the user deleted, frees the client_user_id, removes all connections, records of pulls and link tokens, cancels waiting
   * deliveries, and makes the purge due at `purgeAt`. Returns false if the team has no such user, or the user is already deleted.
   */
  deleteUser(teamId: TeamId, userId: UserId, at: EpochMs, purgeAt: EpochMs): Promise<boolean>
  /** Returns the user that was deleted last under this client_user_id, purged or not, or null. */
  latestDeletion(teamId: TeamId, clientUserId: string): Promise<UserId | null>
  /**
   * Undoes a deletion. Returns `expired` if the user was deleted at or before `deletedAfter`, or was purged, whatever the clock says;
   * `taken` if another user has the client_user_id by now; `active` if the user is not deleted; `unknown` if there never was such a user;
   * and the limit if the team already has as many users as it may. When a user is restored at `at`, all continuous queries of the team
   * become due for that user.
   */
  undoDelete(
    teamId: TeamId,
    userId: UserId,
    deletedAfter: EpochMs,
    at: EpochMs,
  ): Promise<'restored' | 'taken' | 'expired' | 'active' | 'unknown' | { readonly limit: number }>

  /** Returns the connections of each user, oldest first. */
  connections(userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, readonly ConnectionRecord[]>>
  /** Returns whether another user of the team has a connection to the same provider account. */
  accountTaken(teamId: TeamId, userId: UserId, provider: string, externalUserId: string): Promise<boolean>

  write(userId: UserId, write: DataWrite): Promise<WriteOutcome>
  openSpool(): Promise<Spool>

  samplePage(userId: UserId, query: SampleQuery, after: SamplePosition | null, limit: number): Promise<SamplePage>
  /** Yields all samples of the range, chunk by chunk: one series after another, each in time order. */
  scanSamples(userId: UserId, query: SampleQuery): AsyncIterable<SeriesSlice>
  /** Returns summaries, ascending by (date, at, id). */
  summaries(userId: UserId, query: SummaryQuery): Promise<readonly StoredSummary[]>

  /** Returns the summary of this kind and id, or null. */
  summary(userId: UserId, kind: SummaryKind, id: string): Promise<StoredSummary | null>
  stream(userId: UserId, workoutId: string): Promise<StoredStream | null>
  /** Returns the ids of the workouts that have a stream, ascending. A stream that was pushed alone has no summary of its workout. */
  streamIds(userId: UserId): Promise<readonly string[]>
  /** Returns the active users of the team whose ids begin with the six bytes that an `ownedId` carries: nearly always one. */
  usersOfOwnedId(teamId: TeamId, ownedId: string): Promise<readonly UserRecord[]>

  /** Removes the samples of a range and returns how many there were. */
  deleteSamples(userId: UserId, query: SampleQuery, at: EpochMs): Promise<number>
  /** Returns the imports of a user, or of all active users of the team (null), newest first. */
  imports(teamId: TeamId, userId: UserId | null, page: ImportPage): Promise<readonly ImportRecord[]>
  /** Undoes an import: what it added is removed, what it replaced is restored, and what has been changed since is kept. */
  undoImport(userId: UserId, importId: string, at: EpochMs): Promise<UndoOutcome>

  /**
   * Returns jobs that are due, earliest first: those of the given users, or of all users and of the store itself (null); of one kind, or of
   * every kind.
   */
  dueJobs(
    now: EpochMs,
    userIds: readonly UserId[] | null,
    limit: number,
    kind?: DueJob['kind'],
  ): Promise<readonly DueJob[]>
  /**
   * Removes everything about a user whose purge is due, and leaves a tombstone from which `undoDelete` still knows why it refuses. Returns
   * false if the purge is not due, because the user was restored or another process has done it. A purge that is interrupted, by the signal
   * or by the end of the process, is still due.
   */
  purgeUser(userId: UserId, now: EpochMs, signal?: AbortSignal): Promise<boolean>
  /** To be called after purges: leaves no removed byte in the database file, its WAL, or copies made by migrations. */
  scrub(options: ScrubOptions): Promise<ScrubOutcome>

  statistics(): Promise<StoreStatistics>
  /** Checks the database, and every chunk against the figures stored beside it. Yields one problem at a time. */
  check(onProgress?: (progress: CheckProgress) => void): AsyncIterable<StoreProblem>
  /**
   * Adds checksums to intact rows that were written before there were any. Yields how many it has added, some at a time. It is safe to
   * interrupt.
   */
  rewriteUnchecked(): AsyncIterable<number>
}
