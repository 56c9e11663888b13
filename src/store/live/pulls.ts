/** What pulls from live providers bring, and when they are due. Part of the port (port.ts). */
import type { TeamId, UserId } from '../../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import type { EpochMs } from '../../core/time.ts'
import type { NewPull, WriteReport } from '../data-write.ts'
import type { CollectionProgress, CompletedHistory, LiveConnectionRecord, LiveKey } from './connections.ts'

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
  /**
   * Returns what follows from the progress of all collections, as it is stored with this write: other pages of the connection may be stored
   * at the same time. Absent: nothing does. It may be called again if the transaction is.
   */
  readonly follows?: (progress: LiveConnectionRecord['progress']) => LiveConsequence
  /** `none` while the history is pulled: its end is announced instead. */
  readonly events: 'daily' | 'none'
  readonly pull: NewPull
  /** Answers as they came, sealed, if the set-up keeps them. */
  readonly raw: readonly RawAnswer[]
}

export interface LiveConsequence {
  readonly dueAt: EpochMs | null
  /** Resources whose history is complete: each causes one `historical.data.R.created`, however often it is named. */
  readonly completed: readonly CompletedHistory[]
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
  /**
   * Returns connections with something due: of these users, earliest first, or of all (null), the earliest of each team at each
   * provider first, then the next of each. Expired leases are ignored.
   */
  due(now: EpochMs, userIds: readonly UserId[] | null, limit: number): Promise<readonly LiveKey[]>
  /** Returns connections that are not due before this time, latest first. */
  notBefore(then: EpochMs, limit: number): Promise<readonly LiveKey[]>
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
  /** Returns kept answers of a connection, newest first. */
  raw(
    key: LiveKey,
    asked: { readonly collection: string | null; readonly before: EpochMs; readonly limit: number },
  ): Promise<readonly RawAnswer[]>
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
