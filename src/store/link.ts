/** Links in progress: link tokens, sign-ins at consent pages, and the write that creates a connection. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'
import type { WriteOutcome } from './data-write.ts'

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
  /** SHA-256 of the token, in hex. */
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
  /** SHA-256 of the state, in hex. The state alone is enough to complete the page. */
  readonly stateHash: string
  readonly startedAt: EpochMs
  /** Present if the sign-in is at the provider itself. */
  readonly isLive?: true
  /**
   * SHA-256 of the state and the secret from the browser's cookie, in hex. Present if a hosted page started the sign-in, which must then be
   * completed in the same browser.
   */
  readonly browserHash?: string
  /** When the provider's response in a live link was used. */
  readonly answeredAt?: EpochMs
}

/** Reasons to refuse a link, checked in the transaction that would create the connection. */
export interface LinkRules {
  /** The account's name if the team allows only one user per provider account, otherwise null. */
  readonly onlyUserOf: string | null
}

export type LinkOutcome =
  | WriteOutcome
  /** Another user of the team has the account. */
  | { readonly kind: 'account_taken' }
  /** The user has a demo connection. When the demo ends, the user is removed together with all real data. */
  | { readonly kind: 'demo_user' }

/** When a demo connection's jobs are due. */
export interface DemoTimes {
  readonly dataAt: EpochMs
  readonly endAt: EpochMs
}

export type DemoOutcome =
  | { readonly kind: 'connected' | 'connected_before' }
  /** The user has a connection that is not a demo connection. */
  | { readonly kind: 'real_user' }
