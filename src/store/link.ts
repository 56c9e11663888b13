/** Links on their way: link tokens, sign-ins at consent pages, and the write that makes a connection. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'
import type { DataWrite, WriteOutcome } from './data-write.ts'
import type { UserRecord } from './user.ts'

/** A multi-factor step that waits for its code. */
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

/** A sign-in at a consent page that was begun with a link token. */
export interface OAuthStart {
  readonly provider: string
  /** SHA-256 of the state, hex: whoever has the state may answer the page. */
  readonly stateHash: string
  readonly startedAt: EpochMs
}

/** What a link is refused for, found in the transaction that would have made it. */
export interface LinkRules {
  /** The team allows one user for each account of a provider; the account's name. */
  readonly onlyUserOf: string | null
}

export type LinkOutcome =
  | WriteOutcome
  /** Another user of the team holds the account. */
  | { readonly kind: 'account_taken' }
  /** The user has a demo connection: it ends with the user, and would take real data with it. */
  | { readonly kind: 'demo_user' }

/** When the work of a demo connection falls due. */
export interface DemoTimes {
  readonly dataAt: EpochMs
  readonly endAt: EpochMs
}

export type DemoOutcome =
  | { readonly kind: 'connected' | 'connected_before' }
  /** The user has a connection that is none of a demo. */
  | { readonly kind: 'real_user' }

export interface LinkStore {
  addToken(token: LinkTokenRecord): Promise<void>
  token(userId: UserId, hash: string): Promise<LinkTokenRecord | null>
  /** The newest unconsumed token of the user with a pending step at the provider, or null. */
  pendingToken(userId: UserId, provider: string): Promise<LinkTokenRecord | null>
  /** Sets or voids the pending step. */
  setPendingMfa(userId: UserId, hash: string, pending: PendingMfa | null): Promise<void>
  /** Counts a wrong code in one step, voids the pending step at the limit, and answers the count. */
  countWrongCode(userId: UserId, hash: string, limit: number): Promise<number>

  /** Keeps the newest few of a token: an earlier consent page may still be open. */
  addOAuthStart(userId: UserId, hash: string, start: OAuthStart): Promise<void>
  /** The token that a consent page was begun with, and how, or null. */
  tokenOfState(
    userId: UserId,
    stateHash: string,
  ): Promise<{ readonly token: LinkTokenRecord; readonly start: OAuthStart } | null>
  /** Writes what the link brought, unless a rule forbids it: then nothing is changed, and the token not consumed. */
  connect(userId: UserId, write: DataWrite, rules: LinkRules): Promise<LinkOutcome>

  /** Writes a demo connection with its first data. The user's first one also decides when the demo ends. */
  connectDemo(userId: UserId, write: DataWrite, times: DemoTimes): Promise<DemoOutcome>
  /** The active user whose demo work is due, of whatever team, or null. */
  demoUser(userId: UserId): Promise<UserRecord | null>
  /** Writes new data of a demo connection when they are due, and makes them due again at `nextAt`. False: they were not. */
  bringDemoData(userId: UserId, provider: string, write: DataWrite, nextAt: EpochMs): Promise<boolean>
  /** Takes the work of bringing data away: there is nobody to bring them to. */
  dropDemoData(userId: UserId, provider: string): Promise<void>
  /** Deletes the user of a demo that is over, to be purged at once. False: it was not. */
  endDemo(userId: UserId, now: EpochMs): Promise<boolean>
}
