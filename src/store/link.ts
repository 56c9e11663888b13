/** Links in progress: link tokens, sign-ins at consent pages, and the write that makes a connection. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'
import type { DataWrite, WriteOutcome } from './data-write.ts'
import type { UserRecord } from './user.ts'

/** A multi-factor step that is waiting for its code. */
export interface PendingMfa {
  readonly provider: string
  readonly username: string
  readonly region: string | null
  readonly method: 'sms' | 'email'
  readonly hint: string
  readonly wrongCodes: number
}

export interface LinkTokenRecord {
  readonly userId: UserId
  readonly teamId: TeamId
  /** SHA-256 of the token, hex. */
  readonly hash: string
  readonly createdOn: EpochMs
  readonly redirectUrl: string | null
  readonly provider: string | null
  readonly filterOnProviders: readonly string[] | null
  readonly onError: string | null
  readonly onClose: string | null
  readonly consumedAt: EpochMs | null
  readonly pending: PendingMfa | null
}

/** A sign-in at a consent page that was started with a link token. */
export interface OAuthStart {
  readonly provider: string
  /** SHA-256 of the state, hex. Whoever has the state can answer the page. */
  readonly stateHash: string
  readonly startedAt: EpochMs
  /** Set if it is at the provider itself. */
  readonly isLive?: true
  /** SHA-256 of the state and the secret in the browser's cookie, hex. Set if a hosted page started it, which this browser must end. */
  readonly browserHash?: string
  /** When the provider's answer to a live one was taken. */
  readonly answeredAt?: EpochMs
}

/** Reasons to refuse a link, checked in the transaction that would make the connection. */
export interface LinkRules {
  /** The account's name if the team allows only one user for each account of a provider, otherwise null. */
  readonly onlyUserOf: string | null
}

export type LinkOutcome =
  | WriteOutcome
  /** Another user of the team has the account. */
  | { readonly kind: 'account_taken' }
  /** The user has a demo connection. It ends together with the user, and would take real data with it. */
  | { readonly kind: 'demo_user' }

/** When the jobs of a demo connection are due. */
export interface DemoTimes {
  readonly dataAt: EpochMs
  readonly endAt: EpochMs
}

export type DemoOutcome =
  | { readonly kind: 'connected' | 'connected_before' }
  /** The user has a connection that is not a demo. */
  | { readonly kind: 'real_user' }

export interface LinkStore {
  addToken(token: LinkTokenRecord): Promise<void>
  token(userId: UserId, hash: string): Promise<LinkTokenRecord | null>
  /** Returns the user's newest unconsumed token with a pending step at the provider, or null. */
  pendingToken(userId: UserId, provider: string): Promise<LinkTokenRecord | null>
  /** Sets the pending step of an unconsumed token, or clears it (null). */
  setPendingMfa(userId: UserId, hash: string, pending: PendingMfa | null): Promise<void>
  /**
   * Counts a wrong code and, at the limit, clears the pending step, in one transaction. Returns the count, or the limit if no step is
   * pending.
   */
  countWrongCode(userId: UserId, hash: string, limit: number): Promise<number>

  /**
   * Records a sign-in and keeps the newest few of the token, because an earlier consent page may still be open. Does nothing if the token
   * is consumed.
   */
  addOAuthStart(userId: UserId, hash: string, start: OAuthStart): Promise<void>
  /** Returns the token that a consent page was opened with, consumed or not, and the sign-in; null if there is none. */
  tokenOfState(
    userId: UserId,
    stateHash: string,
  ): Promise<{ readonly token: LinkTokenRecord; readonly start: OAuthStart } | null>
  /** Takes the provider's answer to a live sign-in. Returns false if it was taken before: a code is exchanged once. */
  takeOAuthAnswer(userId: UserId, stateHash: string, now: EpochMs): Promise<boolean>
  /** Writes what the link brought, unless a rule forbids it: then nothing is changed, and the token is not consumed. */
  connect(userId: UserId, write: DataWrite, rules: LinkRules): Promise<LinkOutcome>

  /** Writes a demo connection with its first data. The first one of a user also sets when the demo ends. */
  connectDemo(userId: UserId, write: DataWrite, times: DemoTimes): Promise<DemoOutcome>
  /** Returns the active user with this id, whatever the team, or null. Used by the jobs of a demo. */
  demoUser(userId: UserId): Promise<UserRecord | null>
  /**
   * Writes new data of a demo connection if it is due, and makes the next data due at `nextAt`. Returns false if it is not due. If the
   * connection is no longer a connected demo, ends the job, writes nothing and returns true.
   */
  bringDemoData(userId: UserId, provider: string, write: DataWrite, nextAt: EpochMs): Promise<boolean>
  /** Ends the job that brings new data, because there is nobody to bring it to. */
  dropDemoData(userId: UserId, provider: string): Promise<void>
  /**
   * Deletes the user of a demo that is over, to be purged at once. Returns false if the demo is not over, or the user no longer has a demo
   * connection.
   */
  endDemo(userId: UserId, now: EpochMs): Promise<boolean>
}
