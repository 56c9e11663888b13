/** Live connections and the progress of their pulls. Part of the port (port.ts). */
import type { TeamId, UserId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { NewTokenSet } from './token-sets.ts'

/** Progress of one of a connection's collections. */
export interface CollectionProgress {
  /** Everything from `reached` to `until` is stored. A history pull proceeds backwards from `until`. */
  readonly reached: EpochMs
  readonly until: EpochMs
  /** How far back the history pull goes, or null as long as that depends on its results. */
  readonly goal: EpochMs | null
  readonly isComplete: boolean
  /** Number of consecutive windows without data. */
  readonly empty: number
  /** When the collection is next pulled. */
  readonly dueAt: EpochMs
  /** Number of consecutive failures. */
  readonly failures: number
  /** Kind of the last failure (ProviderErrorKind) and its message, or null. */
  readonly lastError: { readonly kind: string; readonly message: string; readonly at: EpochMs } | null
  readonly lastPullAt: EpochMs | null
  /** Number of records and samples received so far. */
  readonly received: number
  /** Number of unmapped values, by the provider's name for their kind. */
  readonly unmapped: Readonly<Record<string, number>>
  /** Number of requests in the 24 hours that began at `since`. Absent if there have been none yet. */
  readonly requests?: { readonly since: EpochMs; readonly count: number }
}

/** A connection to a live provider, with the fields needed for pulls. */
export interface LiveConnectionRecord {
  readonly userId: UserId
  readonly teamId: TeamId
  readonly provider: string
  readonly linkedAt: EpochMs
  /** When any of the connection's work is due. Null if none is due, because the connection is in error or paused. */
  readonly dueAt: EpochMs | null
  readonly leasedBy: string | null
  readonly leasedUntil: EpochMs
  readonly progress: Readonly<Record<string, CollectionProgress>>
  /** Names of the resources whose history is complete and has been announced. */
  readonly announced: readonly string[]
  /** This person's subscriptions at the provider, by name. */
  readonly subscriptions: Readonly<Record<string, PersonSubscription>>
}

export interface LiveKey {
  readonly userId: UserId
  readonly provider: string
}

/** Data that a link to a live provider writes in addition to the connection. */
export interface NewLiveConnection {
  readonly tokenSet: NewTokenSet
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
  /** When the subscription must next be created, renewed or checked, or null if never. */
  readonly dueAt: EpochMs | null
  readonly failures: number
  readonly lastError: string | null
}

/** One person's subscription. */
export interface PersonSubscription extends SubscriptionState {
  /** The service's public URL and the client ID that the subscription was created with. Absent if unknown. */
  readonly publicUrl?: string
  readonly clientId?: string
}
