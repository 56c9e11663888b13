/**
 * Live providers: set-ups, grants, progress of pulls, rate budgets, notifications, subscriptions and raw answers. Everything here goes by the
 * real clock, whatever the engine's clock says. A restore, a reset and a replay keep the grants that are there and bring back none; copies of
 * the database that leave it have no secrets. Part of the port (port.ts).
 */
import type { TeamId, UserId } from '../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../core/sample.ts'
import type { StreamRecord } from '../core/stream.ts'
import type { EpochMs } from '../core/time.ts'
import type { NewDevice, NewPull, WriteReport } from './data-write.ts'

/** A team's registration at a provider. */
export interface SetupRecord {
  readonly teamId: TeamId
  readonly provider: string
  readonly clientId: string
  /** Null: the address on the public URL of the server. */
  readonly redirectUrl: string | null
  readonly scopes: readonly string[]
  /** Null: the connector's default. */
  readonly authorizeUrl: string | null
  readonly tokenUrl: string | null
  readonly apiUrl: string | null
  readonly settings: Readonly<Record<string, string>>
  readonly keepsRaw: boolean
  /** Client secret, notification token and verification token, sealed. */
  readonly sealed: Uint8Array
  /** SHA-256 of the notification token, hex. */
  readonly notificationHash: string
  readonly createdOn: EpochMs
  readonly updatedAt: EpochMs
}

export interface SetupStore {
  /** Creates or replaces a set-up. */
  put(setup: SetupRecord): Promise<void>
  find(teamId: TeamId, provider: string): Promise<SetupRecord | null>
  /** Returns the set-ups of a team, or of every team (null), by provider. */
  list(teamId: TeamId | null): Promise<readonly SetupRecord[]>
  /**
   * Removes a set-up with its budgets, subscriptions and waiting notifications. Returns how many live connections of the team forbid it
   * (then nothing is changed), 0 if it is removed, null if there is none.
   */
  remove(teamId: TeamId, provider: string): Promise<number | null>
}

/**
 * `active`; `revoking`: the connection is gone, and the access is to be ended at the provider; `moved`: another store has it now.
 */
export type GrantState = 'active' | 'revoking' | 'moved'

export interface GrantRecord {
  readonly userId: UserId
  readonly teamId: TeamId
  readonly provider: string
  /** Differs for every link. */
  readonly grantId: string
  readonly state: GrantState
  /** Sealed; the record names the key it was sealed with. Empty if the state is `moved`. */
  readonly sealed: Uint8Array
  readonly keyId: string
  readonly expiresAt: EpochMs | null
  /** Counts the renewals. */
  readonly rev: number
  /** The process that renews it now, and until when. */
  readonly leasedBy: string | null
  readonly leasedUntil: EpochMs
  /** Set while a renewal is under way: a process that was stopped leaves it, and the outcome at the provider is unknown. */
  readonly renewingSince: EpochMs | null
  /** Number of failed tries to revoke it, and when the next one is due. */
  readonly tries: number
  readonly dueAt: EpochMs | null
}

export type NewGrant = Pick<GrantRecord, 'grantId' | 'sealed' | 'keyId' | 'expiresAt'>

export interface GrantStore {
  /** Returns the active grant, also if it is `moved`; null if there is none. */
  find(userId: UserId, provider: string): Promise<GrantRecord | null>
  /** Leases a grant of this revision to renew it, also one that waits to be revoked, and notes that a renewal began. Returns false if it was renewed or leased meanwhile. */
  lease(
    key: GrantKey,
    lease: { readonly rev: number; readonly holder: string; readonly now: EpochMs; readonly until: EpochMs },
  ): Promise<boolean>
  /** Stores the next pair, durably, and ends the lease. Returns false if the lease was lost: nothing is stored then. */
  renew(
    key: GrantKey,
    renewed: Pick<GrantRecord, 'sealed' | 'keyId' | 'expiresAt'> & { readonly holder: string },
  ): Promise<boolean>
  /** Ends a lease without an outcome that changes the grant. */
  release(key: GrantKey, holder: string): Promise<void>
  /** Returns grants that wait to be revoked, of these users or of all (null). */
  revoking(now: EpochMs, userIds: readonly UserId[] | null, limit: number): Promise<readonly GrantRecord[]>
  /** Returns the active grants of a user: for a deletion that revokes them first. */
  ofUser(userId: UserId): Promise<readonly GrantRecord[]>
  /** Removes a grant: it is revoked, or given up. */
  remove(key: GrantKey): Promise<void>
  /** Makes the next try to revoke due. */
  retry(key: GrantKey, dueAt: EpochMs): Promise<void>
}

export type GrantKey = Pick<GrantRecord, 'userId' | 'provider' | 'grantId'>

/** How far one collection of a connection is. */
export interface CollectionProgress {
  /** Everything from `reached` to `until` is stored. A history pull walks back from `until`. */
  readonly reached: EpochMs
  readonly until: EpochMs
  /** How far back the history pull goes; null while that depends on what it finds. */
  readonly goal: EpochMs | null
  readonly isComplete: boolean
  /** Windows in a row that had nothing. */
  readonly empty: number
  /** When it is pulled next. */
  readonly dueAt: EpochMs
  /** Failures in a row. */
  readonly failures: number
  /** Kind of the last failure (ProviderErrorKind) and its message, or null. */
  readonly lastError: { readonly kind: string; readonly message: string; readonly at: EpochMs } | null
  readonly lastPullAt: EpochMs | null
  /** Records and samples that came so far. */
  readonly received: number
  /** Values without a mapping, by the provider's name of their kind. */
  readonly unmapped: Readonly<Record<string, number>>
}

/** A connection to a live provider, as far as pulling is concerned. */
export interface LiveConnectionRecord {
  readonly userId: UserId
  readonly teamId: TeamId
  readonly provider: string
  readonly linkedAt: EpochMs
  /** When something of it is due; null if nothing is: it is in error or paused. */
  readonly dueAt: EpochMs | null
  readonly leasedBy: string | null
  readonly leasedUntil: EpochMs
  readonly progress: Readonly<Record<string, CollectionProgress>>
  /** Names of resources whose history is complete and announced. */
  readonly announced: readonly string[]
  /** Subscriptions of this person at the provider, by name. */
  readonly subscriptions: Readonly<Record<string, SubscriptionState>>
}

export interface LiveKey {
  readonly userId: UserId
  readonly provider: string
}

/** What a link to a live provider writes besides the connection. */
export interface NewLiveConnection {
  readonly grant: NewGrant
  readonly progress: LiveConnectionRecord['progress']
  readonly dueAt: EpochMs
  /** Real time. */
  readonly at: EpochMs
}

export interface LiveRecord {
  readonly id: string
  readonly version: string
  readonly batches: readonly SampleBatch[]
  readonly summaries: readonly SummaryRecord[]
  readonly streams: readonly StreamRecord[]
  readonly isDeleted?: boolean
}

/** One page that a pull brought: its data, and how far the pull is then. All of it is stored, or nothing. */
export interface LiveWrite {
  readonly holder: string
  readonly teamId: TeamId
  /** Engine time, which stored data and events carry. */
  readonly at: EpochMs
  /** Real time. */
  readonly realNow: EpochMs
  readonly collection: string
  readonly records: readonly LiveRecord[]
  readonly batches: readonly SampleBatch[]
  /** The state of the collection afterwards; absent: it stays as it is (a page in the middle of a window). */
  readonly progress?: CollectionProgress
  readonly dueAt?: EpochMs | null
  /** `none` while the history is pulled: its end is announced instead. */
  readonly events: 'daily' | 'none'
  /** Resources whose history is complete with this write: each causes one `historical.data.R.created`. */
  readonly completed: readonly { readonly resource: string; readonly from: EpochMs; readonly to: EpochMs }[]
  readonly pull: NewPull
  readonly devices: readonly NewDevice[]
  /** Answers as they came, sealed, if the set-up keeps them. */
  readonly raw: readonly RawAnswer[]
}

export interface RawAnswer {
  readonly answerId: string
  readonly collection: string
  readonly at: EpochMs
  readonly sealed: Uint8Array
}

export type LiveOutcome =
  | { readonly kind: 'written'; readonly report: WriteReport; readonly removed: number }
  /** The lease was lost, or the connection is no longer connected. Nothing is written. */
  | { readonly kind: 'lost' }

export interface LivePullStore {
  find(key: LiveKey): Promise<LiveConnectionRecord | null>
  ofUser(userId: UserId): Promise<readonly LiveConnectionRecord[]>
  /** Returns connections with something due, earliest first: of these users, or of all (null). Leases that ended count as none. */
  due(now: EpochMs, userIds: readonly UserId[] | null, limit: number): Promise<readonly LiveKey[]>
  /** Leases a connection to pull it, or prolongs the lease. Returns its state, or null if somebody else has it. */
  lease(
    key: LiveKey,
    lease: { readonly holder: string; readonly now: EpochMs; readonly until: EpochMs },
  ): Promise<LiveConnectionRecord | null>
  release(key: LiveKey, holder: string): Promise<void>
  /** Stores one page. Throws ServiceError `user_not_found`. */
  bring(key: LiveKey, write: LiveWrite): Promise<LiveOutcome>
  /** Stores progress that came without data: a failure, or a new due time. Returns false if the lease was lost. */
  note(
    key: LiveKey,
    note: {
      readonly holder: string
      readonly progress: LiveConnectionRecord['progress']
      readonly dueAt: EpochMs | null
    },
  ): Promise<boolean>
  /** Makes collections due now: somebody asked, or a notification came. Does nothing for a connection that is not connected. */
  hasten(key: LiveKey, collections: readonly string[] | null, now: EpochMs): Promise<void>
  /** Stores the subscriptions of a person. */
  subscribed(key: LiveKey, subscriptions: LiveConnectionRecord['subscriptions']): Promise<void>
  /** Returns the user who has connected an account of a provider, or null. */
  userOfAccount(teamId: TeamId, provider: string, accountId: string): Promise<UserId | null>
  /** Removes raw answers that are older. Returns how many. */
  removeRaw(before: EpochMs): Promise<number>
  /** Figures by team and provider; of one team, or of all (null). */
  figures(teamId: TeamId | null, now: EpochMs): Promise<readonly LiveFigures[]>
  /** Returns the live connections of a provider in the team, by user, for a page of `svc provider status`. */
  list(
    teamId: TeamId,
    provider: string | null,
    after: LiveKey | null,
    limit: number,
  ): Promise<readonly LiveConnectionRecord[]>
}

export interface LiveFigures {
  readonly teamId: TeamId
  readonly provider: string
  readonly connections: number
  readonly inError: number
  /** Connections whose history is still being pulled. */
  readonly inHistory: number
  readonly lastPullAt: EpochMs | null
  readonly nextPullAt: EpochMs | null
  readonly waitingNotifications: number
}

/** One limit of a provider, for the budget that all processes share. */
export interface BudgetLimit {
  readonly most: number
  readonly windowMs: number
}

export interface BudgetTurn {
  readonly limits: readonly BudgetLimit[]
  /** How many requests the process would like to send soon. */
  readonly wanted: number
  readonly now: EpochMs
}

export interface BudgetGrant {
  /** How many it may send before `validUntil`; 0: none before `waitMs` have passed. */
  readonly allowed: number
  readonly validUntil: EpochMs
  readonly waitMs: number
}

export interface BudgetState {
  /** Requests counted in the running window of each limit. */
  readonly used: readonly (BudgetLimit & { readonly count: number })[]
  /** Until when the provider asked for a pause, or null. */
  readonly blockedUntil: EpochMs | null
}

/** Requests in any window of a limit, counted across all processes, never exceed it. `userId` null: the budget of the app. */
export interface BudgetStore {
  take(teamId: TeamId, provider: string, userId: UserId | null, turn: BudgetTurn): Promise<BudgetGrant>
  /** Nobody sends before this time: the provider asked for a pause. */
  block(teamId: TeamId, provider: string, userId: UserId | null, until: EpochMs): Promise<void>
  state(teamId: TeamId, provider: string, turn: Pick<BudgetTurn, 'limits' | 'now'>): Promise<BudgetState>
}

export interface NotificationRecord {
  readonly teamId: TeamId
  readonly provider: string
  /** SHA-256 of what identifies the event, hex: a repetition has the same. */
  readonly notificationId: string
  readonly receivedAt: EpochMs
  readonly dueAt: EpochMs
  readonly tries: number
  /** The event (account and hints), sealed. */
  readonly sealed: Uint8Array
}

export interface NotificationStore {
  /** Stores them durably. Returns how many were new. */
  add(notifications: readonly NotificationRecord[]): Promise<number>
  /** Returns notifications that wait, oldest first, of one team or of all (null). */
  due(now: EpochMs, teamId: TeamId | null, limit: number): Promise<readonly NotificationRecord[]>
  /** Marks them as done. Their ids are kept for a week, so that a repetition is known. */
  settle(
    keys: readonly Pick<NotificationRecord, 'teamId' | 'provider' | 'notificationId'>[],
    now: EpochMs,
  ): Promise<void>
  /** Makes one due again later. */
  retry(key: Pick<NotificationRecord, 'teamId' | 'provider' | 'notificationId'>, dueAt: EpochMs): Promise<void>
  /** Removes ids of old ones. */
  removeOld(before: EpochMs): Promise<number>
}

export interface SubscriptionState {
  readonly remoteId: string
  readonly expiresAt: EpochMs | null
  /** When it is to be made, renewed or checked next; null: never. */
  readonly dueAt: EpochMs | null
  readonly failures: number
  readonly lastError: string | null
}

/** A subscription of the app at a provider. */
export interface SubscriptionRecord extends SubscriptionState {
  readonly teamId: TeamId
  readonly provider: string
  readonly name: string
  /** The secret that the provider issued with it, sealed, or null. */
  readonly sealed: Uint8Array | null
}

export interface SubscriptionStore {
  list(teamId: TeamId, provider: string): Promise<readonly SubscriptionRecord[]>
  due(now: EpochMs, limit: number): Promise<readonly SubscriptionRecord[]>
  put(subscription: SubscriptionRecord): Promise<void>
  remove(teamId: TeamId, provider: string, name: string): Promise<void>
}

export interface LiveStore {
  readonly setups: SetupStore
  readonly grants: GrantStore
  readonly pulls: LivePullStore
  readonly budgets: BudgetStore
  readonly notifications: NotificationStore
  readonly subscriptions: SubscriptionStore
}
