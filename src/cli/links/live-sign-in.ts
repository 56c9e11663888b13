/** Signs in at a live provider from a terminal: leads the person to the page of the provider, and takes what comes back from there. */
import type { ResponseOf } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { MINUTE_MS } from '../../core/time.ts'
import { parseUrl } from '../../core/web-host.ts'
import { openInBrowser } from '../runtime/browser.ts'
import { interruptSignal } from '../runtime/interrupt.ts'
import { askSecret } from '../runtime/prompt.ts'
import type { LinkResult } from './link-session.ts'
import { type BrowserPage, isOnThisMachine, openReturnPage, type ReturnPage, readPastedReturn } from './return-page.ts'

/** How long a link token works, and so its sign-ins. See docs/interface/linking.md#linking-1. */
const LINK_TOKEN_MS = 60 * MINUTE_MS

export interface LiveSignIn {
  /** Name of the provider. */
  readonly name: string
  /** The page on which the person consents. */
  readonly address: string
  /** Where the provider leads back to. */
  readonly redirectUrl: URL
  readonly state: string
  /** Whether a server takes the person back and completes the link. */
  readonly isCompletedByServer: boolean
}

export type Parameters = Readonly<Record<string, string>>

/** Returns the sign-in if the page is that of a live provider. The pages of simulated ones are our own and name no redirect URL. */
export function findLiveSignIn({ name, slug, oauth_url, state }: ResponseOf<'link.oauth'>): LiveSignIn | null {
  const redirectUrl = parseUrl(parseUrl(oauth_url ?? '')?.searchParams.get('redirect_uri') ?? '')
  if (oauth_url === null || redirectUrl === null) return null
  const isCompletedByServer = redirectUrl.pathname.endsWith(`/oauth/${slug}/callback`)
  return { name, address: oauth_url, redirectUrl, state, isCompletedByServer }
}

interface Steps {
  readonly say: (line: string) => void
  readonly complete: (parameters: Parameters) => Promise<LinkResult>
}

/**
 * Opens the browser and waits for it at the redirect URL. Where there is no browser, or the redirect URL is on another machine, asks for the
 * address that the provider led to. Throws ServiceError `cancelled`, `timeout` or `port_in_use`, and what `complete` throws.
 */
export async function signInAtProvider(signIn: LiveSignIn, { say, complete }: Steps): Promise<LinkResult> {
  const { name, address, redirectUrl, state } = signIn
  const page = isOnThisMachine(redirectUrl) ? await openReturnPage(redirectUrl, state) : null
  try {
    say(`To connect ${name}, answer its page in a browser on this machine:\n${address}`)
    const isOpen = await openInBrowser(address)
    if (page && isOpen) return await completeInBrowser(signIn, page, complete)
  } finally {
    await page?.close()
  }
  say(
    `${name} then leads to an address that starts with ${redirectUrl.origin}${redirectUrl.pathname}. ` +
      'Copy it, even if the browser cannot show that page.',
  )
  return complete(await askForReturn(signIn, say))
}

/** Reads the address that a provider led to. Throws ServiceError `usage`; the message never contains it. */
export function readReturn(address: string): { readonly parameters: Parameters; readonly state: string } {
  const parameters = Object.fromEntries(parseUrl(address.trim())?.searchParams ?? [])
  const { state } = parameters
  if (state !== undefined) return { parameters, state }
  throw new ServiceError('usage', 'Stdin holds no address with the parameter state.', {
    suggestions: ['Write the whole address to stdin that the provider led the browser to.'],
  })
}

async function completeInBrowser(
  { name }: LiveSignIn,
  page: ReturnPage,
  complete: Steps['complete'],
): Promise<LinkResult> {
  const { parameters, answer } = await page.wait(LINK_TOKEN_MS, interruptSignal())
  try {
    const result = await complete(parameters)
    answer(outcome(name, result))
    return result
  } catch (error) {
    answer({ status: 500, title: `${name} is not connected`, text: 'The terminal says why.' })
    throw error
  }
}

function outcome(name: string, { state, error }: LinkResult): BrowserPage {
  if (state === 'success') {
    return { status: 200, title: `${name} is connected`, text: 'You can close this window and return to the terminal.' }
  }
  return { status: 200, title: `${name} is not connected`, text: error ?? 'The terminal says why.' }
}

/** Asks until the address is one of this sign-in. It holds a code, so it is not echoed. */
async function askForReturn({ redirectUrl, state }: LiveSignIn, say: Steps['say']): Promise<Parameters> {
  for (;;) {
    const pasted = await askSecret('Paste the address here (it is not shown)')
    try {
      return readPastedReturn(pasted, redirectUrl, state)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      say([error.message, ...error.suggestions].join(' '))
    }
  }
}
