/** Token sets of live connections. Part of the port (port.ts). */
import type { TeamId, UserId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'

/**
 * A token set's state. `active`: in use. `revoking`: the connection no longer exists, and the token set must be revoked at the provider.
 * `moved`: the token set is now used by another store.
 */
export type TokenSetState = 'active' | 'revoking' | 'moved'

export interface TokenSetRecord {
  readonly userId: UserId
  readonly teamId: TeamId
  readonly provider: string
  /** Different for every link. */
  readonly grantId: string
  readonly state: TokenSetState
  /** Sealed tokens. The record contains the ID of their key. Empty if the state is `moved`. */
  readonly sealed: Uint8Array
  readonly keyId: string
  readonly expiresAt: EpochMs | null
  /** Number of token refreshes so far. */
  readonly rev: number
  /** The process that is refreshing the token set, and the end of its lease by its own clock. Only for display. */
  readonly leasedBy: string | null
  readonly leasedUntil: EpochMs
  /** Present during a token refresh. If the process was stopped, the value remains, and the outcome at the provider is unknown. */
  readonly renewingSince: EpochMs | null
  /** Number of failed attempts to revoke the token set, and when the next attempt is due. */
  readonly tries: number
  readonly dueAt: EpochMs | null
}

export type NewTokenSet = Pick<TokenSetRecord, 'grantId' | 'sealed' | 'keyId' | 'expiresAt'>

export type TokenSetKey = Pick<TokenSetRecord, 'userId' | 'provider' | 'grantId'>

export interface TokenSetLease {
  readonly rev: number
  /** Different for every token refresh. */
  readonly holder: string
  /** A holder that is known to have failed and whose lease is taken over. If null, only a free token set is leased. */
  readonly insteadOf: string | null
  readonly now: EpochMs
  readonly until: EpochMs
}
