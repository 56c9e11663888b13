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
  /** What renews it now, and until when by the clock of its process, which only shows it. */
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
   * renewed or leased meanwhile. A lease has no end here, because clocks of processes differ: it ends when it is given back, when the next
   * pair is stored, or when a caller takes it over that knows it to be over.
   */
  lease(key: GrantKey, lease: GrantLease): Promise<boolean>
  /**
   * Stores the pair that follows this revision, durably, and ends any lease. Returns false if another pair follows it, or if the grant is
   * gone: nothing is stored then.
   */
  renew(
    key: GrantKey,
    renewed: Pick<GrantRecord, 'sealed' | 'keyId' | 'expiresAt'> & { readonly rev: number },
  ): Promise<boolean>
  /**
   * Ends a lease without another pair. `left` is the grant as it is then, after a refusal: without the refresh token that was refused. It is
   * stored together with the end of the lease. Does nothing for another holder.
   */
  release(key: GrantKey, holder: string, left?: Pick<GrantRecord, 'sealed' | 'keyId'>): Promise<void>
  /** Returns grants that wait to be revoked: of these users, or of all (null), the earliest of each team at each provider first. */
  revoking(now: EpochMs, userIds: readonly UserId[] | null, limit: number): Promise<readonly GrantRecord[]>
  /** Returns the active grants of a user: for a deletion that revokes them first. */
  ofUser(userId: UserId): Promise<readonly GrantRecord[]>
  /** Removes a grant: it is revoked, or given up. */
  remove(key: GrantKey): Promise<void>
  /** Makes the next try to revoke due. */
  retry(key: GrantKey, dueAt: EpochMs): Promise<void>
}

export type GrantKey = Pick<GrantRecord, 'userId' | 'provider' | 'grantId'>

export interface GrantLease {
  readonly rev: number
  /** Differs for every renewal. */
  readonly holder: string
  /** The holder that is known to have failed, or null: only a free grant is leased. */
  readonly insteadOf: string | null
  readonly now: EpochMs
  readonly until: EpochMs
}
