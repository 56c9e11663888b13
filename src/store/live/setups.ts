/** Set-ups of live providers. Part of the port (port.ts). */
import type { TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'

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
  /** Creates or replaces a set-up, and ends a pause that the provider asked for. */
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
