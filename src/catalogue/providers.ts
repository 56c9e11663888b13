/** The providers the service knows: those it ships with, and those an operator added (own-providers.ts). */
import type { Provider } from './provider.ts'
import { SHIPPED_PROVIDERS } from './shipped-providers.ts'

export type { AuthType, Provider, ProviderScope } from './provider.ts'

// One list for the process, settled before the first engine is opened: schemas, documents and pages are all made of it.
const all: Provider[] = [...SHIPPED_PROVIDERS]
const slugs: string[] = all.map(each => each.slug)
const passwords: Provider[] = all.filter(each => each.authType === 'password')
const bySlug = new Map(all.map(each => [each.slug, each]))

/** Shipped ones first, own ones behind them in the order of their file. */
export const PROVIDERS: readonly Provider[] = all
export const PROVIDER_SLUGS: readonly string[] = slugs
/** Those that link with a user name and a password; twelve are shipped (interface-gaps 2.5). */
export const PASSWORD_PROVIDERS: readonly Provider[] = passwords

/** The provider of a slug. */
export function providerNamed(slug: string): Provider | undefined {
  return bySlug.get(slug)
}

/** Its number in the interface (`id` of a Source): its place in the list, from 1. */
export function providerNumber(slug: string): number {
  return slugs.indexOf(slug) + 1
}

/** Whether a user can link it on a page or with a link token: the rest comes by a file, a device or a phone. */
export function isLinkable({ authType }: Provider): boolean {
  return authType === 'password' || authType === 'email' || authType === 'oauth'
}

/** Puts an operator's own providers behind the shipped ones, in place of those put there before; their slugs are new ones. */
export function setOwnProviders(own: readonly Provider[]): void {
  all.splice(SHIPPED_PROVIDERS.length, all.length, ...own)
  slugs.splice(0, slugs.length, ...all.map(each => each.slug))
  passwords.splice(0, passwords.length, ...all.filter(each => each.authType === 'password'))
  bySlug.clear()
  for (const each of all) bySlug.set(each.slug, each)
}
