/** The providers available to an engine: the shipped ones, and an operator's own (own-providers.ts). */
import type { Provider } from './provider.ts'
import { SHIPPED_PROVIDERS } from './shipped-providers.ts'

export type { AuthType, Provider, ProviderScope } from './provider.ts'

/** An immutable list of providers. Every engine has its own (`EngineContext.providers`). */
export interface ProviderRegistry {
  /** The shipped providers, followed by the operator's own in file order. */
  readonly all: readonly Provider[]
  readonly slugs: readonly string[]
  /** Returns the provider with this slug. */
  readonly find: (slug: string) => Provider | undefined
  /** Returns the provider's number in the interface (a Source's `id`): its position in the list, starting at 1. */
  readonly number: (slug: string) => number
}

/** Returns the registry of the shipped providers and an operator's own. The operator's slugs must differ from the shipped ones. */
export function providerRegistry(own: readonly Provider[]): ProviderRegistry {
  const all = Object.freeze([...SHIPPED_PROVIDERS, ...own])
  const slugs = Object.freeze(all.map(each => each.slug))
  const bySlug = new Map(all.map(each => [each.slug, each]))
  return Object.freeze<ProviderRegistry>({
    all,
    slugs,
    find: slug => bySlug.get(slug),
    number: slug => slugs.indexOf(slug) + 1,
  })
}

/** The registry without an operator's own providers. */
export const SHIPPED_REGISTRY = providerRegistry([])

/**
 * Returns whether a user can link the provider on a page or with a link token. Other providers' data comes from a file, a device or a
 * phone.
 */
export function isLinkable({ authType }: Provider): boolean {
  return authType === 'password' || authType === 'email' || authType === 'oauth'
}
