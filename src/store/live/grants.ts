/** Token sets of live connections. Part of the port (port.ts). */
import type { TeamId, UserId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'

/** `active`; `revoking`: the connection is gone, and the token set must be revoked at the provider; `moved`: another store has it now. */
export type GrantState = 'active' | 'revoking' | 'moved'

export interface GrantRecord {
  readonly userId: UserId
  readonly teamId: TeamId
  readonly provider: string
  /** Differs for every link. */
  readonly grantId: string
  readonly state: GrantState
  /** Sealed; the record contains the id of its key. Empty if the state is `moved`. */
  readonly sealed: Uint8Array
  readonly keyId: string
  readonly expiresAt: EpochMs | null
  /** Number of token refreshes so far. */
  readonly rev: number
  /** The process that refreshes it now, and until when by the clock of that process. For display only. */
  readonly leasedBy: string | null
  readonly leasedUntil: EpochMs
  /** Set while a token refresh is running. A process that was stopped leaves it set, and the outcome at the provider is unknown. */
  readonly renewingSince: EpochMs | null
  /** Number of failed tries to revoke it, and when the next one is due. */
  readonly tries: number
  readonly dueAt: EpochMs | null
}

export type NewGrant = Pick<GrantRecord, 'grantId' | 'sealed' | 'keyId' | 'expiresAt'>

export type GrantKey = Pick<GrantRecord, 'userId' | 'provider' | 'grantId'>

export interface GrantLease {
  readonly rev: number
  /** Differs for every token refresh. */
  readonly holder: string
  /** The holder that is known to have failed, or null: only a free token set is leased. */
  readonly insteadOf: string | null
  readonly now: EpochMs
  readonly until: EpochMs
}
