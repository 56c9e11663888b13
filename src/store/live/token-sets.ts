/** Token sets of live connections. Part of the port (port.ts). */
import type { TeamId, UserId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'

/**
 * A token set's state. `active`: in use. `revoking`: the connection is gone, and the token set must be revoked at the provider. `moved`:
 * another store uses it now.
 */
export type TokenSetState = 'active' | 'revoking' | 'moved'

export interface TokenSetRecord {
  readonly userId: UserId
  readonly teamId: TeamId
  readonly provider: string
  /** Unique for every link. */
  readonly grantId: string
  readonly state: TokenSetState
  /** Sealed tokens; the record contains the ID of their key. Empty if the state is `moved`. */
  readonly sealed: Uint8Array
  readonly keyId: string
  readonly expiresAt: EpochMs | null
  /** Number of token refreshes so far. */
  readonly rev: number
  /** The process that is refreshing it, and until when by that process's clock. For display only. */
  readonly leasedBy: string | null
  readonly leasedUntil: EpochMs
  /** Set during a token refresh. A process that was stopped leaves it set, and the outcome at the provider is unknown. */
  readonly renewingSince: EpochMs | null
  /** Number of failed attempts to revoke it, and when the next attempt is due. */
  readonly tries: number
  readonly dueAt: EpochMs | null
}

export type NewTokenSet = Pick<TokenSetRecord, 'grantId' | 'sealed' | 'keyId' | 'expiresAt'>

export type TokenSetKey = Pick<TokenSetRecord, 'userId' | 'provider' | 'grantId'>

export interface TokenSetLease {
  readonly rev: number
  /** Unique for every token refresh. */
  readonly holder: string
  /** A holder that is known to have failed, whose lease is taken over; null: only a free token set is leased. */
  readonly insteadOf: string | null
  readonly now: EpochMs
  readonly until: EpochMs
}
