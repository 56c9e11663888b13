/**
 * The store's port: what the engine asks of durable state, one call a use case. No transaction crosses it; each call commits
 * or changes nothing. Ids and times come from the caller, never from the database (design 4), and every call that touches
 * user data names the user first. A rejected write may be repeated: the outcome of a commit that failed is unknown.
 */
import type { ClockState, RealTime } from '../core/clock.ts'
import type { TeamId, UserId } from '../core/ids.ts'
import type { SampleColumns, SamplePacking, SeriesKey, SummaryKind, SummaryRecord } from '../core/sample.ts'
import type { StreamPoints } from '../core/stream.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'
import type { Answer, Answering, AnswerStore, KeyedCall } from './answer.ts'
import type { AuditEntry, AuditStore } from './audit.ts'
import type { ContinuousQueryStore } from './continuous-query.ts'
import type { ConnectionRecord, DataWrite, ImportRecord, Spool, UndoOutcome, WriteOutcome } from './data-write.ts'
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

/** Samples of one resource whose start lies in [from, to], both inclusive. */
export interface SampleQuery {
  readonly resource: string
  /** Provider slug, or null for all. */
  readonly provider: string | null
  readonly from: EpochMs
  readonly to: EpochMs
}

/** A place in the one time order of all series of a resource: after the sample (start, series). */
export interface SamplePosition {
  readonly start: EpochMs
  readonly seriesId: number
}

export interface SeriesSlice {
  readonly series: SeriesKey
  /** Columns are made at their first use: take each once. */
  readonly columns: SampleColumns
  /** Where the samples are still packed as they lie in the store; only of a scan, and only of a whole chunk. */
  readonly packing?: SamplePacking | undefined
  /** Bytes of the chunk that was read for it. */
  readonly bytes?: number | undefined
}

export interface SamplePage {
  /** A slice a series that has samples on this page; together a contiguous stretch of time. */
  readonly slices: readonly SeriesSlice[]
  /** Where the next page begins, or null when this was the last. */
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

/** A workout's stream as it is kept. */
export interface StoredStream extends StreamPoints {
  readonly workoutId: string
  readonly provider: string
  readonly sourceType: string
}

/**
 * The store of one call: the first write that changes something also appends the call's entry to the audit trail, in the same
 * transaction.
 */
export interface Auditing {
  readonly store: Store
  /** Whether the entry is in the trail. */
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

  /** Waits for the writes that were asked for; nothing may be asked of the store afterwards. */
  close(): Promise<void>
  /** Throws when the store cannot be read; for /healthz. */
  ping(): Promise<void>
  /** Writes a little that changes nothing. Throws `disk_full` when there is no room even for that; for /readyz. */
  checkRoom(): Promise<void>

  /** `entry` is asked for when that write is about to commit, and again should it fail. */
  auditing(entry: () => AuditEntry): Auditing
  /** The store of one call with an idempotency key; `answerTo` says the answer, once a write knows it from its outcome. */
  answering(call: KeyedCall, answerTo: (outcome: unknown) => Answer | null): Answering<Store>
  /** The store of one change that goes onto the tape of a recording. */
  taping(entry: TapeEntry): Taping<Store>
  /** A store of its own in a scratch file, brought to the newest schema; what it takes for real time is `time`. */
  apart(path: string, time: RealTime): Store

  clock(): Promise<ClockState>
  /**
   * `now` is what the clock says then: when it is set back, what waited for a later time of it is due. False: it is not as `before`
   * says any more, and nothing was changed.
   */
  setClock(state: ClockState, now: EpochMs, before?: ClockState): Promise<boolean>

  /** The local team, made from the candidate at first use. */
  ensureLocalTeam(candidate: NewTeam): Promise<TeamRecord>
  team(teamId: TeamId): Promise<TeamRecord | null>

  createUser(user: UserRecord): Promise<CreateOutcome>
  /** A user of this team, deleted or not, or null. */
  user(teamId: TeamId, userId: UserId): Promise<UserRecord | null>
  /** The active user that holds the client_user_id, or null. */
  userByClientId(teamId: TeamId, clientUserId: string): Promise<UserRecord | null>
  /** Newest first, deleted ones left out; total is a counter kept with the team. */
  listUsers(
    teamId: TeamId,
    offset: number,
    limit: number,
  ): Promise<{ readonly users: readonly UserRecord[]; readonly total: number }>
  /**
   * Marks the user deleted, frees the client_user_id, removes all connections, and notes that its purge is due at `purgeAt`.
   * False when it was deleted already.
   */
  deleteUser(teamId: TeamId, userId: UserId, at: EpochMs, purgeAt: EpochMs): Promise<boolean>
  /** Who was deleted last under this client_user_id, purged or not, or null. */
  latestDeletion(teamId: TeamId, clientUserId: string): Promise<UserId | null>
  /**
   * A user that was purged is `expired`, whatever the clock says; `unknown` was never there; a team with as many users as it may have
   * answers its limit. Of one that is restored at `at` all
   * continuous queries of the team are due.
   */
  undoDelete(
    teamId: TeamId,
    userId: UserId,
    deletedAfter: EpochMs,
    at: EpochMs,
  ): Promise<'restored' | 'taken' | 'expired' | 'active' | 'unknown' | { readonly limit: number }>

  /** By user, oldest first. */
  connections(userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, readonly ConnectionRecord[]>>
  /** Whether another user of the team holds a connection to the same provider account. */
  accountTaken(teamId: TeamId, userId: UserId, provider: string, externalUserId: string): Promise<boolean>

  write(userId: UserId, write: DataWrite): Promise<WriteOutcome>
  openSpool(): Promise<Spool>

  samplePage(userId: UserId, query: SampleQuery, after: SamplePosition | null, limit: number): Promise<SamplePage>
  /** All samples of the range, chunk by chunk: series after series, each in time order. */
  scanSamples(userId: UserId, query: SampleQuery): AsyncIterable<SeriesSlice>
  /** Ascending by (date, at, id). */
  summaries(userId: UserId, query: SummaryQuery): Promise<readonly StoredSummary[]>

  /** The summary of this kind and id, or null. */
  summary(userId: UserId, kind: SummaryKind, id: string): Promise<StoredSummary | null>
  stream(userId: UserId, workoutId: string): Promise<StoredStream | null>
  /** The workouts that have a stream, ascending by id; of one that was pushed alone there is no summary. */
  streamIds(userId: UserId): Promise<readonly string[]>
  /** Active users of the team whose ids begin with the six bytes that an `ownedId` carries: one, save by a rare chance. */
  usersOfOwnedId(teamId: TeamId, ownedId: string): Promise<readonly UserRecord[]>

  /** Removes the samples of a range; answers how many there were. */
  deleteSamples(userId: UserId, query: SampleQuery, at: EpochMs): Promise<number>
  /** Imports of a user, or of all active users of the team, newest first. */
  imports(teamId: TeamId, userId: UserId | null, limit: number): Promise<readonly ImportRecord[]>
  /** Takes an import back: what it brought goes, what it replaced returns; what was changed since stays. */
  undoImport(userId: UserId, importId: string, at: EpochMs): Promise<UndoOutcome>

  /** Jobs that are due, earliest first; of the users named, or of all; of one kind, or of every kind. */
  dueJobs(
    now: EpochMs,
    userIds: readonly UserId[] | null,
    limit: number,
    kind?: DueJob['kind'],
  ): Promise<readonly DueJob[]>
  /**
   * Removes everything about a user whose grace period is over, and leaves a mark by which `undo_delete` still says why it is
   * refused. False when the user is not due (restored meanwhile, or purged by another process). One that was interrupted, by the
   * signal or the end of the process, is still due.
   */
  purgeUser(userId: UserId, now: EpochMs, signal?: AbortSignal): Promise<boolean>
  /** After purges: leaves no removed byte in the database file, its WAL, or copies made by migrations. */
  scrub(options: ScrubOptions): Promise<ScrubOutcome>

  statistics(): Promise<StoreStatistics>
  /** Checks the database and every chunk against its summary columns, one problem at a time. */
  check(onProgress?: (progress: CheckProgress) => void): AsyncIterable<StoreProblem>
  /** Gives checksums to rows that were written before there were any and are whole: how many, some at a time. Safe to cut off. */
  rewriteUnchecked(): AsyncIterable<number>
}
