/** The consent pages of OAuth providers, which `oauth_url` points to. In this service, they replace the providers' own pages. */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { hashSecret } from '../../core/ids.ts'
import { engineNow, runOperation } from '../../engine/engine.ts'
import { type ConsentPage, consentPage } from '../../engine/links/oauth.ts'
import type { LinkResult } from '../../engine/links/results.ts'
import type { LinkTokenRecord } from '../../store/link.ts'
import { browserSecret } from './browser-cookie.ts'
import { consentView } from './consent-view.ts'
import { queryText, readForm } from './form.ts'
import { failedPage, failedStep, SIMULATED } from './link-steps.ts'
import { failedView } from './link-views.ts'
import type { PageOutcome } from './outcome.ts'
import type { PageContext } from './page-context.ts'
import { OTHER_BROWSER } from './problems.ts'
import { endUrl } from './return-url.ts'

/** Handles GET /oauth/{provider}?state=…: shows the data that the application may read. */
export async function showConsent(context: PageContext, request: FastifyRequest): Promise<PageOutcome> {
  const state = queryText(request, 'state')
  const consent = await openConsent(context, request, { state, mode: 'simulated' })
  if (consent.kind !== 'open') return refused(context, consent, queryText(request, 'from'))
  const { provider, token } = consent
  const from = isLinkToken(token, queryText(request, 'from')) ? queryText(request, 'from') : ''
  const body = consentView({ base: context.base, provider, state, from })
  return { page: { title: `Share ${provider.name} data?`, body, leadsTo: token.redirectUrl, notice: SIMULATED } }
}

/** Handles POST /oauth/{provider}: the user has granted some scopes or denied all of them. */
export async function submitConsent(context: PageContext, request: FastifyRequest): Promise<PageOutcome> {
  const form = await readForm(request)
  const state = form.get('state') ?? ''
  const from = form.get('from') ?? ''
  const consent = await openConsent(context, request, { state, mode: 'simulated' })
  if (consent.kind !== 'open') return refused(context, consent, from)
  const { provider, token } = consent
  const account = form.get('account')?.trim() || null
  const reply = await runOperation(context.engine, 'link.oauth_consent', {
    input: {
      params: { provider: provider.slug },
      query: {},
      body: { decision: form.get('decision') ?? 'deny', scopes: form.getAll('scope'), account },
    },
    credentials: { kind: 'headers', apiKey: null, linkToken: state },
    accept: 'application/json',
  })
  // the response type of every operation that ends a link
  const result = (reply.kind === 'json' ? reply.body : {}) as LinkResult
  return endConsent(context, { token, provider: provider.slug, result, from })
}

/** Returns the user's next page after the choice: the application, another attempt, or the last page. */
export function endConsent(
  context: PageContext,
  ended: Pick<Failed, 'token' | 'provider' | 'from'> & { readonly result: LinkResult; readonly isLive?: boolean },
): PageOutcome {
  const { token, provider, result, isLive = false } = ended
  if (result.state !== 'success') {
    const errorType = result.error_type ?? 'provider_api_error'
    return back(context, { ...ended, errorType, error: result.error ?? '' })
  }
  const done = `${context.base}/link/done?provider=${encodeURIComponent(provider)}${isLive ? '&live=1' : ''}`
  return { to: endUrl(token, { state: 'success' }) ?? done }
}

/** Returns the sign-in for a state. A state without a sign-in counts as a guess. */
export async function openConsent(
  { engine, guesses }: PageContext,
  request: FastifyRequest,
  consent: Pick<Parameters<typeof consentPage>[1], 'state' | 'mode'>,
): Promise<ConsentPage> {
  const { provider } = request.params as { readonly provider: string }
  const browser = browserSecret({ publicUrl: engine.publicUrl(), state: consent.state }, request.headers)
  const found = await consentPage(engine, { ...consent, provider, browser, now: await engineNow(engine) })
  if (found.kind === 'refused' && found.token === null && consent.state !== '') {
    guesses.failed('link_token', request.clientAddress)
  }
  return found
}

/** Returns the next page for a user who cannot sign in here. */
export function refused(
  context: PageContext,
  consent: Exclude<ConsentPage, { kind: 'open' }>,
  from: string,
): PageOutcome {
  if (consent.kind === 'unknown_provider') {
    const title = 'Page not found'
    return {
      page: {
        title,
        body: failedView({ title, advice: 'No provider has a consent page at this URL.' }, null),
        status: 404,
      },
    }
  }
  const { token, errorType, error, provider, isOtherBrowser } = consent
  // this may not be the user who started the sign-in, so nothing is sent to the application on their behalf
  if (isOtherBrowser) return failedPage(OTHER_BROWSER, null)
  return token === null
    ? failedStep(errorType, null)
    : back(context, { token, provider: provider.slug, errorType, error, from })
}

interface Failed {
  readonly token: LinkTokenRecord
  readonly provider: string
  readonly errorType: string
  readonly error: string
  /** The link token of the page that the user came from, or ''. */
  readonly from: string
}

/** Returns to the link page for another attempt if the user came from there, otherwise to the application. */
function back({ base }: PageContext, { token, provider, errorType, error, from }: Failed): PageOutcome {
  if (isLinkToken(token, from) && (token.onError !== 'redirect' || token.redirectUrl === null)) {
    const query = new URLSearchParams({ token: from, provider, problem: errorType })
    return { to: `${base}/link?${query}` }
  }
  const to = endUrl(token, { state: 'error', errorType, error })
  return to === null ? failedStep(errorType, null) : { to }
}

/** Returns whether the token belongs to the record. A URL may contain any token, but only the record's own token is passed on. */
function isLinkToken(record: LinkTokenRecord, token: string): boolean {
  return timingSafeEqual(Buffer.from(record.hash, 'hex'), Buffer.from(hashSecret(token), 'hex'))
}
