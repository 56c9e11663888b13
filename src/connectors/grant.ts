/** The token set that a person's consent gives the service. */
import type { EpochMs } from '../core/time.ts'

/** The tokens that allow the service to read an account. All of it is secret. */
export interface Grant {
  readonly accessToken: string
  /** Null if the access cannot be refreshed: the person connects again when it ends. */
  readonly refreshToken: string | null
  /** When the access token expires, by the real clock; null if the provider does not say. */
  readonly expiresAt: EpochMs | null
  /**
   * Names of the granted scopes as in `scopes` of the connector; null if the provider does not say, in which case the requested ones apply.
   */
  readonly scopes: readonly string[] | null
  /** Further data that the connector needs, such as the host that issued the token set, or the provider's id of the person. */
  readonly extra: Readonly<Record<string, string>>
}
