/** Grants of live connections. Part of the port (port.ts). */
import type { TeamId, UserId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'

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
  /**
   * Leases a grant of this revision to renew it, also one that waits to be revoked, and notes that a renewal began. Returns false if it was
   * renewed or leased meanwhile.
   */
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
