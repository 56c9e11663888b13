/**
 * Signs in through a provider's consent page: its URL, the requested scopes, and the user's decision. See
 * docs/interface/linking.md#linking-24.
 */
import type { Provider, ProviderScope } from '../../catalogue/provider.ts'
import { splitScopes } from '../../catalogue/resource-availability.ts'
import { signInByName } from '../../connectors/synthetic/sandbox.ts'
import type { LinkErrorType } from '../../contract/links/link.ts'
import { didYouMean, invalid } from '../../core/errors.ts'
import { hashSecret } from '../../core/ids.ts'
import type { LinkTokenRecord } from '../../store/link.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { chooseRedirectUrl, findLiveApp, type LiveApp } from '../live/oauth-apps/live-app.ts'
import { connect } from './connect.ts'
import { failed, refusedBy } from './results.ts'
import { type AskedState, browserHash, tokenOfState } from './states.ts'
import { type RefusedToken, tokenOfCall, tokenRefusal, userSecret } from './tokens.ts'

export const linkOAuth: Handler<'link.oauth'> = async (engine, { params }, call) => {
  const provider = engine.providers.find(params.provider) as Provider
  const found = await tokenOfCall(engine, call, provider.slug)
  if (found.kind === 'refused') throw tokenRefusal(found)
  const { token } = found
  const state = userSecret(token.userId, engine.random)
  const live = await findLiveApp(engine, token.teamId, provider.slug)
  await engine.store.links.addOAuthStart(token.userId, token.hash, {
    provider: provider.slug,
    stateHash: hashSecret(state),
    startedAt: call.now,
    ...(live ? { isLive: true } : {}),
    ...(call.browser !== null && returnsHere(engine, live) ? { browserHash: browserHash(state, call.browser) } : {}),
  })
  return ok({
    id: engine.providers.number(provider.slug),
    name: provider.name,
    slug: provider.slug,
    description: provider.description,
    logo: provider.logo,
    oauth_url: live ? await liveUrl(engine, live, state) : consentUrl(engine, provider.slug, state),
    auth_type: provider.authType,
    source_type: provider.sourceTypes[0] ?? 'unknown',
    is_active: true,
    backfill_num_days: provider.historyDays,
    group: null,
    state,
  })
}

/** Returns whether the sign-in ends at the host where the browser started it. No other host receives the page's cookie. */
function returnsHere(engine: EngineContext, live: LiveApp | null): boolean {
  const here = engine.publicUrl()
  const end = live ? chooseRedirectUrl(engine, live.oauthApp) : here
  return here !== null && end !== null && new URL(here).host === new URL(end).host
}

async function liveUrl(engine: EngineContext, live: LiveApp, state: string): Promise<string | null> {
  const { authorizationUrl } = await import('../live/linking/authorization.ts')
  return authorizationUrl(engine, live, state)
}

function consentUrl(engine: EngineContext, provider: string, state: string): string | null {
  const base = engine.publicUrl()
  return base === null ? null : `${base}/oauth/${provider}?state=${encodeURIComponent(state)}`
}

export const oauthConsent: Handler<'link.oauth_consent'> = async (engine, { params, body }, call) => {
  const provider = engine.providers.find(params.provider) as Provider
  const granted = grantedNames(provider, body.scopes ?? null)
  const teamId = call.team?.teamId ?? null
  const state = call.linkToken ?? ''
  const asked = { provider: provider.slug, mode: 'simulated', state, teamId, now: call.now } as const
  const found = await tokenOfState(engine, asked)
  if (found.kind === 'refused') return refusedBy(found, provider.slug)
  const { token, user } = found
  const fail = (errorType: LinkErrorType, error: string) => failed(token, provider.slug, errorType, error)
  if (body.decision === 'deny') return fail('provider_credential_error', 'The user denied access (access_denied)')
  const account = body.account?.trim() || null
  const outcome = signInByName({ provider, name: account, region: null })
  if (outcome.kind === 'error') return fail(outcome.errorType, outcome.error)
  const consent = splitScopes(provider.scopes, granted)
  const { required } = consent.denied
  if (required.length > 0) {
    return fail('required_scopes_not_granted', `Not all required scopes were granted: ${required.join(', ')}`)
  }
  return connect(engine, call, { token, user, provider, account, region: null, consent })
}

/** Returns the granted scopes. Null means all scopes. Throws 422 for a name that is not one of the provider's scopes. */
function grantedNames(provider: Provider, names: readonly string[] | null): readonly string[] {
  const known = provider.scopes.map(each => each.name)
  const issues = (names ?? []).flatMap((name, i) => {
    if (known.includes(name)) return []
    const msg = `must be one of the scopes of ${provider.slug}.${didYouMean(name, known)} Allowed: ${known.join(', ') || 'none'}`
    return [{ loc: ['body', 'scopes', i], msg, type: 'enum' }]
  })
  if (issues.length > 0) throw invalid(issues)
  return names ?? known
}

/** The content of a consent page, or the reason why there is none. */
export type ConsentPage =
  | {
      readonly kind: 'open'
      readonly provider: Provider
      readonly token: LinkTokenRecord
      readonly scopes: readonly ProviderScope[]
    }
  | { readonly kind: 'unknown_provider' }
  | (RefusedToken & { readonly provider: Provider })

/** Returns a provider's current consent page for a state in a browser. `mode` says whether the page is the provider's own or simulated. */
export async function consentPage(
  engine: EngineContext,
  asked: Pick<AskedState, 'provider' | 'state' | 'mode' | 'browser' | 'now'>,
): Promise<ConsentPage> {
  const provider = engine.providers.find(asked.provider)
  if (provider?.authType !== 'oauth') return { kind: 'unknown_provider' }
  const found = await tokenOfState(engine, { ...asked, teamId: null })
  if (found.kind === 'refused') return { ...found, provider }
  return { kind: 'open', provider, token: found.token, scopes: provider.scopes }
}
