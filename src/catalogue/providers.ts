/** The providers that the service knows: the shipped ones, and an operator's own (own-providers.ts). */
import type { Provider } from './provider.ts'
import { SHIPPED_PROVIDERS } from './shipped-providers.ts'

export type { AuthType, Provider, ProviderScope } from './provider.ts'

// One list for the process, complete before the first engine is opened, because schemas, documents and pages are built from it.
const all: Provider[] = [...SHIPPED_PROVIDERS]
const slugs: string[] = all.map(each => each.slug)
const passwords: Provider[] = all.filter(each => each.authType === 'password')
const bySlug = new Map(all.map(each => [each.slug, each]))

/** All providers: the shipped ones, then the operator's own in the order of their file. */
export const PROVIDERS: readonly Provider[] = all
export const PROVIDER_SLUGS: readonly string[] = slugs
/** Providers that are linked with a user name and a password; twelve of them are shipped. See docs/interface/linking.md#linking-4. */
export const PASSWORD_PROVIDERS: readonly Provider[] = passwords

/** Returns the provider with a slug. */
export function providerNamed(slug: string): Provider | undefined {
  return bySlug.get(slug)
}

/** Returns the provider's number in the interface (`id` of a Source): its position in the list, from 1. */
export function providerNumber(slug: string): number {
  return slugs.indexOf(slug) + 1
}

/**
 * Returns whether a user can link the provider on a page or with a link token. Other providers' data comes from a file, a device or a
 * phone.
 */
export function isLinkable({ authType }: Provider): boolean {
  return authType === 'password' || authType === 'email' || authType === 'oauth'
}

/** Adds an operator's own providers after the shipped ones and removes earlier ones. Their slugs must differ from the shipped ones. */
export function setOwnProviders(own: readonly Provider[]): void {
  all.splice(SHIPPED_PROVIDERS.length, all.length, ...own)
  slugs.splice(0, slugs.length, ...all.map(each => each.slug))
  passwords.splice(0, passwords.length, ...all.filter(each => each.authType === 'password'))
  bySlug.clear()
  for (const each of all) bySlug.set(each.slug, each)
}
