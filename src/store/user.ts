/** Users as they are kept, and what the engine asks of the store about their life. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'
import type { ConnectionError, DataWrite } from './data-write.ts'

/** A fallback value with where it came from. */
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

/** `taken`: by the active user that holds the client_user_id. `full`: the team has as many users as it may have. */
export type CreateOutcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'taken'; readonly by: UserRecord }
  | { readonly kind: 'full'; readonly limit: number }

/** What is to change; what is absent stays. */
export interface UserPatch {
  readonly clientUserId?: string
  readonly fallbackTimeZone?: Fallback | null
  readonly fallbackBirthDate?: Fallback | null
  readonly ingestionStart?: IsoDate | null
  readonly ingestionEnd?: IsoDate | null
}

/** `taken`: another user holds the client_user_id. `bounds`: the ingestion would start after its end. */
export type PatchOutcome = 'patched' | 'unknown' | 'deleted' | 'taken' | 'bounds'

/** Figures of a team (interface-gaps 4.2–4.6, metrics). */
export interface TeamFigures {
  readonly users: number
  readonly connections: number
  readonly erroredConnections: number
  readonly orderedTests: number
  /** Connections made in each week, oldest first, and all that were there at its end. */
  readonly weeks: readonly { readonly start: EpochMs; readonly made: number; readonly all: number }[]
}

export interface UserStore {
  /** A user of whatever team, deleted or not: for work that falls due. */
  find(userId: UserId): Promise<UserRecord | null>
  patch(teamId: TeamId, userId: UserId, patch: UserPatch, at: EpochMs): Promise<PatchOutcome>
  /** Active users whose client_user_id holds the text (letters of either case) or whose user_id it is, newest first. */
  search(teamId: TeamId, text: string, limit: number): Promise<readonly UserRecord[]>
  /** `weeks`: where each week begins, ascending. */
  figures(teamId: TeamId, weeks: readonly EpochMs[]): Promise<TeamFigures>
  /**
   * Counts one use of something that a user may do `most` times within the window, by real time. Answers 0, or how many
   * milliseconds to wait when it was done as often already; then nothing is counted. Throws ServiceError `user_not_found`.
   */
  takeRateSlot(
    userId: UserId,
    name: string,
    turn: { readonly now: EpochMs; readonly most: number; readonly windowMs: number },
  ): Promise<number>

  /** Ends a connection in an error, with its event; again for one that failed before. False: there is no such connection. */
  failConnection(teamId: TeamId, userId: UserId, provider: string, error: ConnectionError): Promise<boolean>
  /** Removes a connection; the data it brought stay. False: there is no such connection. */
  disconnect(userId: UserId, provider: string): Promise<boolean>
  /** Pauses every connection when ingestion is over; false when it was done already or the end was moved. */
  pause(userId: UserId, now: EpochMs): Promise<boolean>
  /** Writes what a refresh pulled. False: the connection is not `connected` any more, and nothing is written. */
  bringRefreshed(userId: UserId, provider: string, write: DataWrite): Promise<boolean>
  /** Asks for a refresh of a provider that is done later, as a job. */
  askRefresh(userId: UserId, provider: string, dueAt: EpochMs): Promise<void>
  /** Says that a refresh that was asked for is done; false when somebody else said so already. */
  settleRefresh(userId: UserId, provider: string, now: EpochMs): Promise<boolean>
}
