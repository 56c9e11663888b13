/**
 * A provider's definition: how an account is linked, the data that the provider supplies, and the data that a user may refuse to share. See
 * docs/interface/connections.md.
 */
import type { Region } from './regions.ts'
import type { SourceType } from './source-types.ts'

/** How an account at the provider is linked; '' if data comes only from a file or a device. */
export type AuthType = 'oauth' | 'password' | 'email' | 'sdk' | 'app' | ''

/** A permission that a user grants on the provider's consent page. */
export interface ProviderScope {
  readonly name: string
  /** The data that the scope allows the service to read, as a noun phrase for the consent page. */
  readonly description: string
  /** Whether the connection requires the scope. Refusing a required scope causes `required_scopes_not_granted`. */
  readonly required: boolean
  /** Supported resources that require the scope. Refusing it makes them `unavailable`. */
  readonly resources: readonly string[]
  /** Supported resources that are available without this scope, but have more detail with it. */
  readonly enriches: readonly string[]
}

export interface Provider {
  /** Display name. */
  readonly name: string
  readonly slug: string
  readonly description: string
  /** URL. The service never requests it. */
  readonly logo: string
  readonly authType: AuthType
  /**
   * Supported resources, named as in events and queries: `weight` and `fat` for body_weight and body_fat. For the password providers, these
   * are exactly the resources that their simulated people supply (connectors/synthetic).
   */
  readonly supportedResources: readonly string[]
  /** The provider's regions; empty if it has none. */
  readonly regions: readonly Region[]
  /** Types of the devices that the provider's data comes from, starting with the main one. */
  readonly sourceTypes: readonly SourceType[]
  /** Number of days that a historical pull covers. */
  readonly historyDays: number
  /** The scopes that the consent page requests; empty for providers without a consent page (all providers that do not use OAuth). */
  readonly scopes: readonly ProviderScope[]
}

/** The host in the providers' logo URLs. It does not exist. */
export const LOGO_HOST = 'https://logo.svc.example'
