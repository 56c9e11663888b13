/** Users as they are stored, and what happens to them and to their connections. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'
import type { ConnectionError, DataWrite } from './data-write.ts'

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
  /** Returns a user of any team, deleted or not; for jobs. */
  find(userId: UserId): Promise<UserRecord | null>
  patch(teamId: TeamId, userId: UserId, patch: UserPatch, at: EpochMs): Promise<PatchOutcome>
  /** Returns active users whose client_user_id contains the text, ignoring case, or whose user_id it is; newest first. */
  search(teamId: TeamId, text: string, limit: number): Promise<readonly UserRecord[]>
  /**
   * Returns the names and ids of active users that start with the text, in order and at most `limit` of each. Of more, the last one takes the
   * last place.
   */
  names(teamId: TeamId, start: string, limit: number): Promise<UserNames>
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

  /**
   * Sets a connection to `error` and writes the event, even if the connection has failed before. Returns false if there is no such
   * connection. Throws ServiceError `user_not_found`.
   */
  failConnection(teamId: TeamId, userId: UserId, provider: string, error: ConnectionError): Promise<boolean>
  /**
   * Removes a connection; the data it brought stays. Returns false if there is no such connection. Throws ServiceError `user_not_found`.
   */
  disconnect(userId: UserId, provider: string): Promise<boolean>
  /** Pauses every connection if ingestion is over. Returns false if that was already done, or if the end was moved. */
  pause(userId: UserId, now: EpochMs): Promise<boolean>
  /** Writes what a refresh pulled. Returns false, and writes nothing, if the connection is no longer `connected`. */
  bringRefreshed(userId: UserId, provider: string, write: DataWrite): Promise<boolean>
  /** Requests a refresh of a provider that is done later, as a job. Throws ServiceError `user_not_found`. */
  askRefresh(userId: UserId, provider: string, dueAt: EpochMs): Promise<void>
  /** Marks a requested refresh as done. Returns false if somebody else has already done so. */
  settleRefresh(userId: UserId, provider: string, now: EpochMs): Promise<boolean>
}
