/** Live connections, and how far their pulls are. Part of the port (port.ts). */
import type { TeamId, UserId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { NewGrant } from './grants.ts'

/** How far one collection of a connection is. */
export interface CollectionProgress {
  /** Everything from `reached` to `until` is stored. A history pull goes backwards from `until`. */
  readonly reached: EpochMs
  readonly until: EpochMs
  /** How far back the history pull goes; null while that depends on its results. */
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
  /** Requests of the 24 hours that began then. Absent: none yet. */
  readonly requests?: { readonly since: EpochMs; readonly count: number }
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
  readonly subscriptions: Readonly<Record<string, PersonSubscription>>
}

export interface LiveKey {
  readonly userId: UserId
  readonly provider: string
}

/** Data that a link to a live provider writes besides the connection. */
export interface NewLiveConnection {
  readonly grant: NewGrant
  readonly progress: LiveConnectionRecord['progress']
  readonly dueAt: EpochMs
  /** Real time. */
  readonly at: EpochMs
}

/** A resource whose history is complete, and the requested range. */
export interface CompletedHistory {
  readonly resource: string
  readonly from: EpochMs
  readonly to: EpochMs
}

export interface SubscriptionState {
  readonly remoteId: string
  readonly expiresAt: EpochMs | null
  /** When it must be created, renewed or checked next; null: never. */
  readonly dueAt: EpochMs | null
  readonly failures: number
  readonly lastError: string | null
}

/** A subscription of one person. */
export interface PersonSubscription extends SubscriptionState {
  /** The public URL of the service and the client id that it was made with; absent: unknown. */
  readonly publicUrl?: string
  readonly clientId?: string
}
