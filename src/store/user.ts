/** Stored users and changes to them. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'

/** A fallback value and its origin. */
export interface Fallback {
  readonly value: string
  readonly sourceSlug: string
  readonly updatedAt: EpochMs
}

export interface UserRecord {
  readonly userId: UserId
  readonly teamId: TeamId
  readonly clientUserId: string
  readonly createdOn: EpochMs
  readonly fallbackTimeZone: Fallback | null
  readonly fallbackBirthDate: Fallback | null
  readonly ingestionStart: IsoDate | null
  readonly ingestionEnd: IsoDate | null
  /** When the user was deleted, or null for an active user. */
  readonly deletedAt: EpochMs | null
}

/** `taken` means that the active user `by` has the client_user_id. `full` means that the team has reached its user limit. */
export type CreateOutcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'taken'; readonly by: UserRecord }
  | { readonly kind: 'full'; readonly limit: number }

/** The fields to change. Absent fields are left unchanged. */
export interface UserPatch {
  readonly clientUserId?: string
  readonly fallbackTimeZone?: Fallback | null
  readonly fallbackBirthDate?: Fallback | null
  readonly ingestionStart?: IsoDate | null
  readonly ingestionEnd?: IsoDate | null
}

/** `taken` means that another user has the client_user_id. `bounds` means that ingestion would start after its end. */
export type PatchOutcome = 'patched' | 'unknown' | 'deleted' | 'taken' | 'bounds'

/** A team's figures. See docs/interface/users.md. */
export interface TeamFigures {
  readonly users: number
  readonly connections: number
  readonly erroredConnections: number
  readonly orderedTests: number
  /**
   * For each week, oldest first, the number of current connections that were created in that week, and the number that existed at its end.
   */
  readonly weeks: readonly { readonly start: EpochMs; readonly made: number; readonly all: number }[]
}

export interface UserNames {
  readonly clientUserIds: readonly string[]
  readonly userIds: readonly UserId[]
}

/** The number of a team's active users, and of their connections by provider. */
export interface TeamCounts {
  readonly users: number
  readonly connections: readonly {
    readonly provider: string
    readonly count: number
    /** Number of connections in the error state. */
    readonly inError: number
  }[]
}
