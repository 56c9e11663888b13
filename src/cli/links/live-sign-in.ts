/** Signs in at a live provider from a terminal: opens the provider's page and handles the redirect back. */
import type { ResponseOf } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { MINUTE_MS } from '../../core/time.ts'
import { parseUrl } from '../../core/web-host.ts'
import { openInBrowser } from '../runtime/browser.ts'
import { interruptSignal } from '../runtime/interrupt.ts'
import { askSecret } from '../runtime/prompt.ts'
import type { LinkResult } from './link-session.ts'
import { type BrowserPage, isOnThisMachine, openReturnPage, type ReturnPage, readPastedReturn } from './return-page.ts'

/** Lifetime of a link token and its sign-ins. See docs/interface/linking.md#linking-1. */
const LINK_TOKEN_MS = 60 * MINUTE_MS

export interface LiveSignIn {
  /** Provider name. */
  readonly name: string
  /** URL of the page where the person consents. */
  readonly url: string
  /** The OAuth app's redirect URL. */
  readonly redirectUrl: URL
  readonly state: string
  /** Whether a server receives the redirect and completes the link. */
  readonly isCompletedByServer: boolean
}

export type Parameters = Readonly<Record<string, string>>

/** Returns the sign-in if the page belongs to a live provider. Pages of simulated providers belong to svc and have no redirect URL. */
export function findLiveSignIn({ name, slug, oauth_url, state }: ResponseOf<'link.oauth'>): LiveSignIn | null {
  const redirectUrl = parseUrl(parseUrl(oauth_url ?? '')?.searchParams.get('redirect_uri') ?? '')
  if (oauth_url === null || redirectUrl === null) return null
  const isCompletedByServer = redirectUrl.pathname.endsWith(`/oauth/${slug}/callback`)
  return { name, url: oauth_url, redirectUrl, state, isCompletedByServer }
}

interface Steps {
  readonly log: (line: string) => void
  readonly complete: (parameters: Parameters) => Promise<LinkResult>
}

/**
 * Opens the browser and waits for it at the redirect URL. Without a browser, or with a redirect URL on another machine, asks for the URL
 * that the provider redirected to. Throws ServiceError `cancelled`, `timeout` or `port_in_use`, and any error of `complete`.
 */
export async function signInAtProvider(signIn: LiveSignIn, { log, complete }: Steps): Promise<LinkResult> {
  const { name, url, redirectUrl, state } = signIn
  const page = isOnThisMachine(redirectUrl) ? await openReturnPage(redirectUrl, state) : null
  try {
    log(`To connect ${name}, complete its page in a browser on this machine:\n${url}`)
    const isOpen = await openInBrowser(url)
    if (page && isOpen) return await completeInBrowser(signIn, page, complete)
  } finally {
    await page?.close()
  }
  log(
    `${name} then redirects to a URL that starts with ${redirectUrl.origin}${redirectUrl.pathname}. ` +
      'Copy it, even if the browser cannot show that page.',
  )
  return complete(await askForReturn(signIn, log))
}

/** Parses the URL that a provider redirected to. Throws ServiceError `usage`; the message never contains the URL. */
export function readReturn(url: string): { readonly parameters: Parameters; readonly state: string } {
  const parameters = Object.fromEntries(parseUrl(url.trim())?.searchParams ?? [])
  const { state } = parameters
  if (state !== undefined) return { parameters, state }
  throw new ServiceError('usage', 'Stdin does not contain a URL with the parameter state.', {
    suggestions: ['Write the complete URL that the provider redirected to into stdin.'],
  })
}

async function completeInBrowser(
  { name }: LiveSignIn,
  page: ReturnPage,
  complete: Steps['complete'],
): Promise<LinkResult> {
  const { parameters, respond } = await page.wait(LINK_TOKEN_MS, interruptSignal())
  try {
    const result = await complete(parameters)
    respond(outcome(name, result))
    return result
  } catch (error) {
    respond({ status: 500, title: `${name} is not connected`, text: 'The terminal says why.' })
    throw error
  }
}

function outcome(name: string, { state, error }: LinkResult): BrowserPage {
  if (state === 'success') {
    return { status: 200, title: `${name} is connected`, text: 'You can close this window and return to the terminal.' }
  }
  return { status: 200, title: `${name} is not connected`, text: error ?? 'The terminal says why.' }
}

/** Asks until the URL belongs to this sign-in. It contains a code, so it is not echoed. */
async function askForReturn({ redirectUrl, state }: LiveSignIn, log: Steps['log']): Promise<Parameters> {
  for (;;) {
    const pasted = await askSecret('Paste the URL here (it is not shown)')
    try {
      return readPastedReturn(pasted, redirectUrl, state)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      log([error.message, ...error.suggestions].join(' '))
    }
  }
}
