/**
 * Console sessions and the one-time tokens that start them. They use real time and belong only to this store: copies exported from the
 * store do not contain them, and a restore keeps the existing ones. Only hashes of their secrets are stored. Part of the port (port.ts).
 */
import type { Role } from '../../catalogue/roles.ts'
import type { TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { TeamRecord } from '../team.ts'

/** For whom a session acts: an API key, a person, or the owner of the data folder (both null), who may do everything. */
export interface SessionOwner {
  readonly teamId: TeamId
  readonly keyId: string | null
  readonly personId: string | null
}

export interface ConsoleSession extends SessionOwner {
  /** SHA-256 of the session's secret, in hex. */
  readonly hash: string
  readonly createdAt: EpochMs
  /** Updated at most once a minute. */
  readonly lastSeenAt: EpochMs
  /** The browser's family, such as Firefox; empty if unknown. */
  readonly browser: string
}

/** A token that starts one session. */
export interface ConsoleToken extends SessionOwner {
  readonly hash: string
  readonly expiresAt: EpochMs
}

/** A session with the current permissions of its key or person. */
export interface SessionHolder {
  readonly session: ConsoleSession
  readonly team: TeamRecord
  /** Null unless the session acts for a key. */
  readonly key: SessionKeyFacts | null
  /** Null unless the session acts for a person. */
  readonly person: SessionPersonFacts | null
}

export interface SessionPersonFacts {
  readonly personId: string
  readonly name: string
  readonly role: Role
}

/** A session with the name of whoever it acts for. */
export interface ListedSession extends ConsoleSession {
  /** The key's label or the person's name; null for the owner of the data folder. */
  readonly name: string | null
}

export interface SessionKeyFacts {
  readonly label: string
  readonly isOperator: boolean
  /** Start of the day on which the key was last used, by the engine's clock. */
  readonly lastUsedAt: EpochMs | null
}

/** Times that determine which sessions and tokens have ended. */
export interface SessionEnds {
  /** Sessions created before this time have ended. */
  readonly createdBefore: EpochMs
  /** Sessions last used before this time have ended. */
  readonly seenBefore: EpochMs
  /** Tokens and challenges that expire before this time have ended. */
  readonly expiredBefore: EpochMs
}
