/** Users as they are stored, and what happens to them. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'

/** A fallback value, and where it came from. */
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
  /** When it was deleted; null for an active user. */
  readonly deletedAt: EpochMs | null
}

/** `taken`: the active user `by` has the client_user_id. `full`: the team already has as many users as it may. */
export type CreateOutcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'taken'; readonly by: UserRecord }
  | { readonly kind: 'full'; readonly limit: number }

/** What to change. Absent fields stay as they are. */
export interface UserPatch {
  readonly clientUserId?: string
  readonly fallbackTimeZone?: Fallback | null
  readonly fallbackBirthDate?: Fallback | null
  readonly ingestionStart?: IsoDate | null
  readonly ingestionEnd?: IsoDate | null
}

/** `taken`: another user has the client_user_id. `bounds`: ingestion would start after its end. */
export type PatchOutcome = 'patched' | 'unknown' | 'deleted' | 'taken' | 'bounds'

/** Figures of a team. See docs/interface/users.md. */
export interface TeamFigures {
  readonly users: number
  readonly connections: number
  readonly erroredConnections: number
  readonly orderedTests: number
  /** For each week, oldest first: how many of the connections that exist now were made in it, and how many of them existed at its end. */
  readonly weeks: readonly { readonly start: EpochMs; readonly made: number; readonly all: number }[]
}

export interface UserNames {
  readonly clientUserIds: readonly string[]
  readonly userIds: readonly UserId[]
}

export interface UserStore {
  create(user: UserRecord): Promise<CreateOutcome>
  /** Returns a user of this team, deleted or not, or null. */
  find(teamId: TeamId, userId: UserId): Promise<UserRecord | null>
  /** Returns a user of any team, deleted or not; for jobs. */
  byId(userId: UserId): Promise<UserRecord | null>
  /** Returns the active user that has the client_user_id, or null. */
  byClientId(teamId: TeamId, clientUserId: string): Promise<UserRecord | null>
  /** Returns the active users of the team whose ids begin with the six bytes that an `ownedId` carries: nearly always one. */
  ofOwnedId(teamId: TeamId, ownedId: string): Promise<readonly UserRecord[]>
  /** Returns active users, newest first. `total` is a counter kept with the team. */
  list(
    teamId: TeamId,
    offset: number,
    limit: number,
  ): Promise<{ readonly users: readonly UserRecord[]; readonly total: number }>
  /** Returns active users whose client_user_id contains the text, ignoring case, or whose user_id it is; newest first. */
  search(teamId: TeamId, text: string, limit: number): Promise<readonly UserRecord[]>
  /**
   * Returns the names and ids of active users that start with the text, in order and at most `limit` of each. Of more, the last one takes the
   * last place.
   */
  names(teamId: TeamId, start: string, limit: number): Promise<UserNames>
  patch(teamId: TeamId, userId: UserId, patch: UserPatch, at: EpochMs): Promise<PatchOutcome>
  /**
   * Marks the user deleted, frees the client_user_id, removes all connections, records of pulls and link tokens, cancels waiting
   * deliveries, and makes the purge due at `purgeAt`. Returns false if the team has no such user, or the user is already deleted.
   */
  delete(teamId: TeamId, userId: UserId, at: EpochMs, purgeAt: EpochMs): Promise<boolean>
  /** Returns the user that was deleted last under this client_user_id, purged or not, or null. */
  latestDeletion(teamId: TeamId, clientUserId: string): Promise<UserId | null>
  /**
   * Undoes a deletion. Returns `expired` if the user was deleted at or before `deletedAfter`, or was purged, whatever the clock says;
   * `taken` if another user has the client_user_id by now; `active` if the user is not deleted; `unknown` if there never was such a user;
   * and the limit if the team already has as many users as it may. When a user is restored at `at`, all continuous queries of the team
   * become due for that user.
   */
  undoDelete(
    teamId: TeamId,
    userId: UserId,
    deletedAfter: EpochMs,
    at: EpochMs,
  ): Promise<'restored' | 'taken' | 'expired' | 'active' | 'unknown' | { readonly limit: number }>
  /**
   * Removes everything about a user whose purge is due, and leaves a tombstone from which `undoDelete` still knows why it refuses. Returns
   * false if the purge is not due, because the user was restored or another process has done it. A purge that is interrupted, by the signal
   * or by the end of the process, is still due.
   */
  purge(userId: UserId, now: EpochMs, signal?: AbortSignal): Promise<boolean>
  /** Returns figures of the team. `weeks` holds the start of each week, ascending. */
  figures(teamId: TeamId, weeks: readonly EpochMs[]): Promise<TeamFigures>
  /**
   * Counts one use of something that a user may do `most` times within a window of real time. Returns 0. If the limit is reached, counts
   * nothing and returns how many milliseconds to wait. Throws ServiceError `user_not_found`.
   */
  takeRateSlot(
    userId: UserId,
    name: string,
    turn: { readonly now: EpochMs; readonly most: number; readonly windowMs: number },
  ): Promise<number>
}
