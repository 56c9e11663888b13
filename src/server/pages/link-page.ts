/**
 * The link page, which `link_web_url` points to. Every step is a plain request, and the link token is the only state that is passed on. A
 * sign-in at a provider also requires the cookie of the browser that started it.
 */
import type { FastifyRequest } from 'fastify'
import type { Provider } from '../../catalogue/provider.ts'
import { ServiceError } from '../../core/errors.ts'
import { randomToken } from '../../core/random.ts'
import { engineNow, runOperation } from '../../engine/engine.ts'
import { linkableProviders } from '../../engine/links/providers.ts'
import type { LinkResult } from '../../engine/links/results.ts'
import { checkToken, linkTokenNamed } from '../../engine/links/tokens.ts'
import { runGuarded } from '../threads/guarded-call.ts'
import { browserCookie } from './browser-cookie.ts'
import { queryText, readForm } from './form.ts'
import { awayStep, closeLink, codeStep, type OpenLink, refusal, renderStep, settle, signInStep } from './link-steps.ts'
import type { PageOutcome } from './outcome.ts'
import type { PageContext } from './page-context.ts'
import type { Faults } from './parts.ts'
import { findProblem } from './problems.ts'

/** Handles GET /link?token=…: shows the token's current step. */
export async function showLink(context: PageContext, request: FastifyRequest): Promise<PageOutcome> {
  const found = await openLink(context, request, queryText(request, 'token'))
  if (found.kind === 'closed') return found.outcome
  const problem = findProblem(queryText(request, 'problem'))
  return renderStep(found.link, {
    provider: queryText(request, 'provider'),
    problem,
    isAgain: queryText(request, 'again') !== '' || problem !== null,
    isChoosing: queryText(request, 'choose') !== '',
  })
}

/** Handles POST /link: the user submitted a step or cancelled. */
export async function submitLink(context: PageContext, request: FastifyRequest): Promise<PageOutcome> {
  const form = await readForm(request)
  const found = await openLink(context, request, form.get('token') ?? '')
  if (found.kind === 'closed') return found.outcome
  const { link } = found
  if (form.get('action') === 'close') return closeLink(link)
  const slug = form.get('provider') ?? ''
  const provider = link.providers.find(each => each.slug === slug)
  if (!provider) return renderStep(link, { provider: slug })
  const sent = { context, request, link, provider, form }
  switch (form.get('action')) {
    case 'consent':
      return beginConsent(sent)
    case 'code':
      return sendCode(sent)
    default:
      return sendCredentials(sent)
  }
}

/** Returns the link if its token can still be used, otherwise the page that explains why not. A wrong token counts as a guess. */
async function openLink(
  { engine, guesses, base }: PageContext,
  request: FastifyRequest,
  token: string,
): Promise<
  { readonly kind: 'open'; readonly link: OpenLink } | { readonly kind: 'closed'; readonly outcome: PageOutcome }
> {
  const record = await linkTokenNamed(engine, token)
  if (!record) {
    if (token !== '') guesses.failed('link_token', request.clientAddress)
    return { kind: 'closed', outcome: refusal(null, 'invalid_token', 'The link token is unknown') }
  }
  const found = await checkToken(engine, record, null, await engineNow(engine))
  if (found.kind === 'refused') return { kind: 'closed', outcome: refusal(record, found.errorType, found.error) }
  const apps = await engine.store.live.oauthApps.list(record.teamId)
  const live = new Set(apps.map(each => each.provider))
  return { kind: 'open', link: { base, token, record, providers: linkableProviders(engine, record), live } }
}

interface Sent {
  readonly context: PageContext
  readonly request: FastifyRequest
  readonly link: OpenLink
  readonly provider: Provider
  readonly form: URLSearchParams
}

async function beginConsent(sent: Sent): Promise<PageOutcome> {
  const { context, link, provider } = sent
  const { engine } = context
  const browser = randomToken(engine.random)
  const source = (await call(sent, 'link.oauth', { browser })) as {
    readonly state: string
    readonly oauth_url: string | null
  }
  const cookie = browserCookie({ publicUrl: engine.publicUrl(), state: source.state }, browser)
  if (link.live.has(provider.slug) && source.oauth_url !== null) {
    return { ...awayStep(provider, source.oauth_url), cookie }
  }
  const query = new URLSearchParams({ state: source.state, from: link.token })
  return { to: `${context.base}/oauth/${encodeURIComponent(provider.slug)}?${query}`, cookie }
}

async function sendCredentials(sent: Sent): Promise<PageOutcome> {
  const { link, provider, form } = sent
  const given = (name: string): string => form.get(name) ?? ''
  const typed = { username: given('username'), email: given('email'), region: given('region') }
  const isEmail = provider.authType === 'email'
  const needed: Readonly<Record<string, string>> = isEmail
    ? { email: typed.email.trim() }
    : { username: typed.username, password: given('password') }
  const region: Readonly<Record<string, string>> = typed.region === '' ? {} : { region: typed.region }
  const body = { ...needed, ...region }
  const asksRegion = !isEmail && provider.regions.length > 0
  const missing = findMissing(asksRegion ? { ...needed, region: typed.region } : needed)
  if (missing) return signInStep(link, provider, { typed, faults: missing })
  const result = await attempt(() => call(sent, isEmail ? 'link.email' : 'link.password', { body }))
  if ('faults' in result) return signInStep(link, provider, { typed, faults: result.faults })
  return settle(link, result, problem => signInStep(link, provider, { typed, problem }))
}

async function sendCode(sent: Sent): Promise<PageOutcome> {
  const { link, provider, form } = sent
  const result = await attempt(() =>
    call(sent, 'link.complete_mfa', { body: { mfa_code: form.get('mfa_code') ?? '' } }),
  )
  if ('faults' in result) return codeStep(link, provider, { faults: result.faults })
  if (result.error_type !== 'incorrect_mfa_code') {
    return settle(link, result, problem => signInStep(link, provider, { problem }))
  }
  // the service reports the remaining attempts; after the last one, the step is no longer valid
  const fresh = await linkTokenNamed(sent.context.engine, link.token)
  return settle(link, result, problem => {
    const described = problem && { ...problem, advice: `${result.error ?? problem.advice}.` }
    return fresh?.pending
      ? codeStep(link, provider, { problem: described })
      : signInStep(link, provider, { problem: described })
  })
}

/** Runs an operation with the link token, as an application would. The caller provides the response type. */
async function call(
  { context, request, link, provider }: Sent,
  id: 'link.password' | 'link.email' | 'link.complete_mfa' | 'link.oauth',
  { body, browser }: { readonly body?: object; readonly browser?: string },
): Promise<unknown> {
  const credentials = { apiKey: null, linkToken: link.token } as const
  const guess = { id, address: request.clientAddress, ...credentials }
  const reply = await runGuarded(context.guesses, guess, () =>
    runOperation(context.engine, id, {
      input: { params: { provider: provider.slug }, query: {}, body },
      credentials: { kind: 'headers', ...credentials },
      accept: 'application/json',
      browser,
    }),
  )
  return reply.kind === 'json' ? reply.body : undefined
}

const FAULTS: Readonly<Record<string, string>> = {
  username: 'Enter your user name',
  password: 'Enter your password',
  email: 'Enter an e-mail address, such as name@example.com',
  region: 'Choose the region of your account',
  mfa_code: 'Enter the code',
}

/** Returns an error for every empty field, so that all errors are shown at once; null if there are none. */
function findMissing(fields: Readonly<Record<string, string>>): Faults | null {
  const names = Object.keys(fields).filter(name => fields[name] === '')
  return names.length === 0 ? null : readFaults(names)
}

function readFaults(names: readonly string[]): Faults {
  return Object.fromEntries(names.map(name => [name, FAULTS[name] ?? 'This value is not valid']))
}

/** Returns the result, or errors for the refused fields. */
async function attempt(run: () => Promise<unknown>): Promise<LinkResult | { readonly faults: Faults }> {
  try {
    return (await run()) as LinkResult
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 422 || !Array.isArray(error.body['detail'])) throw error
    const names = (error.body['detail'] as { readonly loc: readonly unknown[] }[]).map(each => String(each.loc[1]))
    return { faults: readFaults(names) }
  }
}
