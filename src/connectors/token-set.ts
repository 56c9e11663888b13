/** The token set that a person's consent gives the service. */
import type { EpochMs } from '../core/time.ts'

/** The tokens that allow the service to read an account. All of its contents are secret. */
export interface TokenSet {
  readonly accessToken: string
  /** Null if the access cannot be refreshed, so that the person must connect again when it ends. */
  readonly refreshToken: string | null
  /** When the access token expires, in real time; null if the provider does not report it. */
  readonly expiresAt: EpochMs | null
  /**
   * Names of the granted scopes, as in the connector's `scopes`; null if the provider does not report them, in which case the requested
   * ones apply.
   */
  readonly scopes: readonly string[] | null
  /** Further data that the connector needs, such as the host that issued the token set, or the provider's id for the person. */
  readonly extra: Readonly<Record<string, string>>
}
