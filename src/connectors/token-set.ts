/** The token set that the service receives when a person consents. */
import type { EpochMs } from '../core/time.ts'

/** The tokens that allow the service to read an account. All contents are secret. */
export interface TokenSet {
  readonly accessToken: string
  /** Null if the access token cannot be refreshed, so that the person must connect again when it expires. */
  readonly refreshToken: string | null
  /** When the access token expires, in real time; null if the provider does not report it. */
  readonly expiresAt: EpochMs | null
  /**
   * Names of the granted scopes, as in the connector's `scopes`; null if the provider does not report them; the requested scopes then
   * apply.
   */
  readonly scopes: readonly string[] | null
  /** Further data that the connector needs, such as the host that issued the token set, or the provider's ID for the person. */
  readonly extra: Readonly<Record<string, string>>
}
