/**
 * The definition of a provider: how an account is linked, the data it supplies, and the data a user may refuse to share. See
 * docs/interface/connections.md.
 */
import type { Region } from './regions.ts'
import type { SourceType } from './source-types.ts'

/** How an account at the provider is linked; '' if data comes only from a file or a device. */
export type AuthType = 'oauth' | 'password' | 'email' | 'sdk' | 'app' | ''

/** A permission that a user grants on the provider's consent page. */
export interface ProviderScope {
  readonly name: string
  /** The data that it allows the service to read, as a noun phrase for the consent page. */
  readonly description: string
  /** Whether the connection requires it. Refusing a required scope ends in `required_scopes_not_granted`. */
  readonly required: boolean
  /** Supported resources that require it. Refusing it makes them `unavailable`. */
  readonly resources: readonly string[]
  /** Supported resources that have more detail with this scope and are available without it. */
  readonly enriches: readonly string[]
}

export interface Provider {
  /** Display name. */
  readonly name: string
  readonly slug: string
  readonly description: string
  /** URL. The service never fetches anything from it. */
  readonly logo: string
  readonly authType: AuthType
  /**
   * The resources, named as in events and queries: `weight` and `fat` for body_weight and body_fat. For the password providers, these are
   * exactly the resources that their simulated people supply (connectors/synthetic).
   */
  readonly supportedResources: readonly string[]
  /** The regions that the provider offers; empty if it has none. */
  readonly regions: readonly Region[]
  /** The types of devices that its data comes from, the main one first. */
  readonly sourceTypes: readonly SourceType[]
  /** Number of days that a historical pull reaches back. */
  readonly historyDays: number
  /** The scopes that the consent page requests; empty for providers without a consent page (all that do not use OAuth). */
  readonly scopes: readonly ProviderScope[]
}

/** The host of the providers' logo URLs. It does not exist. */
export const LOGO_HOST = 'https://logo.svc.example'
