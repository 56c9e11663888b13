/** Providers that the link commands offer, and errors that contain the command for linking a provider. */
import { DEMO_PROVIDERS } from '../../contract/links/link-demo.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'
import { quotedPath } from '../../core/private-file.ts'
import type { LinkAuthType } from './link-flags.ts'

export interface Offer {
  readonly slug: string
  readonly name: string
  /** A sign-in method, or a way to link without signing in. */
  readonly authType: string
  readonly regions: readonly string[]
  /** Whether the team has an OAuth app for the provider; false if unknown. */
  readonly isLive: boolean
}

/** A provider that a user can link by signing in. */
export type LinkableOffer = Offer & { readonly authType: LinkAuthType }

/** Phrases to complete `connects …` and `NAME uses …`. */
const WAYS: Readonly<Record<LinkAuthType, { readonly by: string; readonly uses: string }>> = {
  password: { by: 'with a password', uses: 'a user name and a password' },
  email: { by: 'with an e-mail address', uses: 'an e-mail address' },
  oauth: { by: 'with a consent page', uses: 'OAuth' },
}

/** The words that follow `svc link`. No provider can have one of them as its slug. */
export const LINK_COMMANDS: readonly string[] = [
  'complete-mfa',
  'demo',
  'email',
  'oauth',
  'password',
  'providers',
  'token',
]

/** Returns whether a user can link the provider by signing in. */
export function isLinkable(offer: Offer): offer is LinkableOffer {
  return Object.hasOwn(WAYS, offer.authType)
}

/** Returns a provider's text in a picker: its name and, unless the method is already chosen, how it is linked. */
export function providerHint({ name, authType }: LinkableOffer, flow: LinkAuthType | undefined): string {
  return flow === undefined ? `${name}, ${WAYS[authType].uses}` : name
}

/** Returns a sentence that lists the providers with one sign-in method, or all providers. */
export function describeProviders(offers: readonly Offer[], flow: LinkAuthType | undefined): string {
  const fitting = offers.filter(each => isLinkable(each) && (flow === undefined || each.authType === flow))
  const slugs = fitting.map(each => each.slug).join(', ')
  return flow === undefined ? `Providers: ${slugs}.` : `Providers that connect ${WAYS[flow].by}: ${slugs}.`
}

/** Returns sentences with the command to run for a provider. Without a user, the commands use a link token. */
function howToLink(offer: Offer, user: string | undefined): readonly string[] {
  if (isLinkable(offer)) {
    const command = `svc link ${offer.authType} ${offer.slug}`
    return [`Run \`${user === undefined ? `SVC_LINK_TOKEN=… ${command}` : `${command} --user ${quotedPath(user)}`}\`.`]
  }
  const name = user === undefined ? 'USER' : quotedPath(user)
  const importing = `Import a file with \`svc import FILE --user ${name}\`.`
  if (!hasDemo(offer.slug)) return [importing]
  return [importing, `For synthetic data, run \`svc link demo ${name} ${offer.slug}\`.`]
}

/** Returns the error for a provider that is linked in a different way than requested (`by`, as in `with a password`), or not at all. */
function wrongWay(offer: Offer, by: string, user: string | undefined): ServiceError {
  const uses = isLinkable(offer) ? `uses ${WAYS[offer.authType].uses}` : 'gets its data from files, apps or devices'
  return new ServiceError('unknown_provider', `${offer.name} does not connect ${by}. It ${uses}.`, {
    suggestions: howToLink(offer, user),
  })
}

/** Returns a demo refusal that contains the command for linking the provider; undefined if the error has a different cause. */
export async function explainDemoRefusal(
  error: unknown,
  request: { readonly slug: string; readonly user: string; readonly offers: () => Promise<readonly Offer[]> },
): Promise<ServiceError | undefined> {
  const { slug, user } = request
  if (!(error instanceof ServiceError) || error.code !== 'invalid_request' || hasDemo(slug)) return undefined
  const offer = (await request.offers()).find(each => each.slug === slug)
  if (!offer) return undefined
  const { message, code, body, cause } = error
  const suggestions = [`${offer.name} has no demo.`, ...howToLink(offer, user)]
  return new ServiceError(code, message, { suggestions, body, cause })
}

/** Throws ServiceError `unknown_provider` if a link token cannot link any of these providers. Unknown providers are not checked. */
export function checkForToken(slugs: readonly string[], offers: readonly Offer[], user: string): void {
  const known = slugs.map(slug => offers.find(each => each.slug === slug))
  const [first] = known
  if (first && known.every(each => each && !isLinkable(each))) throw wrongWay(first, 'with a link token', user)
}

function hasDemo(slug: string): boolean {
  return (DEMO_PROVIDERS as readonly string[]).includes(slug)
}

/** Returns the provider to link with the given method or, if none is given, with its own. Throws ServiceError `unknown_provider`. */
export function offerNamed(
  slug: string,
  offers: readonly Offer[],
  { flow, user }: { readonly flow: LinkAuthType | undefined; readonly user: string | undefined },
): LinkableOffer {
  const offer = offers.find(each => each.slug === slug)
  if (!offer) throw unknownProvider(slug, offers, flow)
  if (isLinkable(offer) && (flow === undefined || offer.authType === flow)) return offer
  throw wrongWay(offer, flow === undefined ? 'with a sign-in' : WAYS[flow].by, user)
}

function unknownProvider(slug: string, offers: readonly Offer[], flow: LinkAuthType | undefined): ServiceError {
  const fitting = offers.filter(each => isLinkable(each) && (flow === undefined || each.authType === flow))
  const slugs = fitting.map(each => each.slug)
  if (flow !== undefined) {
    return new ServiceError(
      'unknown_provider',
      `No provider named "${slug}" connects ${WAYS[flow].by}.${didYouMean(slug, slugs)}`,
      { suggestions: [describeProviders(offers, flow)] },
    )
  }
  const commands = LINK_COMMANDS.map(each => `link ${each}`)
  return new ServiceError(
    'unknown_provider',
    `"${slug}" is neither a provider nor a command of \`svc link\`.${didYouMean(slug, [...slugs, ...LINK_COMMANDS])}`,
    { suggestions: [describeProviders(offers, flow), `Commands: ${commands.join(', ')}.`] },
  )
}
