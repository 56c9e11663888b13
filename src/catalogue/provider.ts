/** What a provider is: how an account there is linked, what it supplies, and what a user may refuse it (interface.md 2.2). */
import type { Region } from './regions.ts'
import type { SourceType } from './source-types.ts'

/** How an account at the provider is linked; '' where the data come by a file or a device alone. */
export type AuthType = 'oauth' | 'password' | 'email' | 'sdk' | 'app' | ''

/** A right that a user grants at the provider's consent page. */
export interface ProviderScope {
  readonly name: string
  /** What it lets the service read, for the consent page: a noun phrase. */
  readonly description: string
  /** Without it there is no connection: its refusal ends in `required_scopes_not_granted`. */
  readonly required: boolean
  /** Supported resources that cannot be had without it: its refusal makes them `unavailable`. */
  readonly resources: readonly string[]
  /** Supported resources that tell more with it, and are there without. */
  readonly enriches: readonly string[]
}

export interface Provider {
  /** Display name. */
  readonly name: string
  readonly slug: string
  readonly description: string
  /** URL; nothing is ever fetched from it. */
  readonly logo: string
  readonly authType: AuthType
  /**
   * Keys of interface-gaps 2.2 (Resource), `weight` and `fat` for body_weight and body_fat. For the password providers these
   * are exactly what their simulated people supply (connectors/synthetic).
   */
  readonly supportedResources: readonly string[]
  /** The regions it offers; empty: a region does not apply to it. */
  readonly regions: readonly Region[]
  /** The devices its data come from, the main one first. */
  readonly sourceTypes: readonly SourceType[]
  /** How far back a historical pull reaches at the provider (interface-gaps 8). */
  readonly historyDays: number
  /** What the consent page asks for; empty where the provider has none (every way of signing in but OAuth). */
  readonly scopes: readonly ProviderScope[]
}

/** Where logos of providers would be. */
export const LOGO_HOST = 'https://logo.svc.example'
