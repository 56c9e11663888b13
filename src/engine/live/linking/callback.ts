/** Completes a sign-in at a live provider: exchanges the code, checks the granted scopes, and creates the connection. */
import type { Provider } from '../../../catalogue/provider.ts'
import { resourceAvailability, type ScopeConsent, splitScopes } from '../../../catalogue/resource-availability.ts'
import type { AccountProfile } from '../../../connectors/connector.ts'
import type { AppSession } from '../../../connectors/provider-session.ts'
import type { TokenSet } from '../../../connectors/token-set.ts'
import type { Reply } from '../../../contract/kernel/operation.ts'
import type { LinkErrorType } from '../../../contract/links/link.ts'
import { ServiceError } from '../../../core/errors.ts'
import { hashSecret } from '../../../core/ids.ts'
import { randomUuid } from '../../../core/random.ts'
import { SECOND_MS } from '../../../core/time.ts'
import { isTimeZone } from '../../../core/zones.ts'
import type { LinkOutcome, LinkTokenRecord } from '../../../store/link.ts'
import type { UserRecord } from '../../../store/user.ts'
import type { CallContext, EngineContext, Handler } from '../../context.ts'
import { linked } from '../../links/connect.ts'
import { failed, type LinkResult, refusedBy } from '../../links/results.ts'
import { tokenOfState } from '../../links/states.ts'
import { linkFailure } from '../failures.ts'
import { fixedSession } from '../fixed-session.ts'
import { chooseRedirectUrl, findLiveApp, type LiveApp } from '../oauth-apps/live-app.ts'
import { revokeUnstored } from '../revoke.ts'
import { sealTokenSet } from '../sealed-token-set.ts'
import { openAppSession } from '../session.ts'
import { deriveCodeVerifier } from './authorization.ts'
import { firstProgress } from './first-progress.ts'

/** Time limit for the exchange and the profile request, in milliseconds. */
const EXCHANGE_MS = 60 * SECOND_MS

const GONE = 'The OAuth app was removed or changed during the sign-in'

/** Error codes from RFC 6749, 4.1.2.1. Any other value can be arbitrary text, and is not repeated. */
const KNOWN_ERRORS: readonly string[] = [
  'invalid_request',
  'unauthorized_client',
  'unsupported_response_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
]

export const oauthCallback: Handler<'link.oauth_callback'> = async (engine, { params, body }, call) => {
  const provider = engine.providers.find(params.provider) as Provider
  const state = call.linkToken ?? ''
  const teamId = call.team?.teamId ?? null
  const asked = { provider: provider.slug, mode: 'live', state, teamId, now: call.now } as const
  const found = await tokenOfState(engine, asked)
  if (found.kind === 'refused') return refusedBy(found, provider.slug)
  const { token, user } = found
  const fail = (errorType: LinkErrorType, error: string) => failed(token, provider.slug, errorType, error)
  const parameters = new URLSearchParams(body.parameters)
  if ((parameters.get('state') ?? state) !== state) {
    return fail('token_not_validated', 'The state in the parameters is not the state of this sign-in')
  }
  if (!(await engine.store.links.takeOAuthAnswer(user.userId, hashSecret(state), call.now))) {
    return fail('token_not_validated', 'This sign-in was already completed; start another one')
  }
  const refusal = parameters.get('error')
  if (refusal === 'access_denied') return fail('provider_credential_error', 'The user denied access (access_denied)')
  if (refusal !== null) {
    const code = KNOWN_ERRORS.includes(refusal) ? refusal : 'an unknown error code'
    return fail('provider_api_error', `The provider ended the sign-in with ${code}`)
  }
  const code = parameters.get('code')
  if (code === null) return fail('provider_api_error', 'The provider sent no code')
  const live = await findLiveApp(engine, token.teamId, provider.slug)
  const redirectUrl = live && chooseRedirectUrl(engine, live.oauthApp)
  if (live === null || redirectUrl === null) {
    return fail('provider_api_error', GONE)
  }
  const signal = AbortSignal.timeout(EXCHANGE_MS)
  const { connector, app } = live
  const session = openAppSession(engine, { teamId: token.teamId, connector, app, signal })
  const codeVerifier = deriveCodeVerifier(engine, state)
  let tokenSet: TokenSet
  try {
    tokenSet = await connector.exchange(session, { code, redirectUrl, codeVerifier, parameters })
  } catch (error) {
    const { errorType, error: text } = linkFailure(error, 'when the code was exchanged')
    return fail(errorType, text)
  }
  return connectConsented(engine, call, { token, user, live, session, tokenSet })
}

interface Consented {
  readonly token: LinkTokenRecord
  readonly user: UserRecord
  readonly live: LiveApp
  readonly session: AppSession
  readonly tokenSet: TokenSet
}

/** Connects the account for a new token set. If no connection is created, revokes the token set. */
async function connectConsented(
  engine: EngineContext,
  call: CallContext,
  consented: Consented,
): Promise<Reply<LinkResult>> {
  const { token, user, live, session, tokenSet } = consented
  const { connector, app } = live
  const slug = connector.provider
  const endAccess = () => revokeUnstored(engine, live, user, tokenSet)
  const names = tokenSet.scopes ?? app.scopes
  const scopes = splitScopes(connector.scopes, names)
  const { required } = scopes.denied
  if (required.length > 0) {
    await endAccess()
    const error = `Not all required scopes were granted: ${required.join(', ')}`
    return failed(token, slug, 'required_scopes_not_granted', error)
  }
  let profile: AccountProfile
  try {
    profile = await connector.profile(fixedSession(session, tokenSet))
  } catch (error) {
    await endAccess()
    const { errorType, error: text } = linkFailure(error, 'when the profile was read')
    return failed(token, slug, errorType, text)
  }
  let outcome: LinkOutcome | undefined
  let reply: Reply<LinkResult>
  try {
    reply = await call.settle(
      () => written(engine, call, consented, { scopes, names, profile }),
      written => {
        outcome = written
        return linked(written, token, slug)
      },
    )
  } catch (error) {
    if (error instanceof ServiceError) await endAccess()
    if (!(error instanceof ServiceError && error.code === 'conflict')) throw error
    return failed(token, slug, 'provider_api_error', GONE)
  }
  if (outcome?.kind === 'written') await setZone(engine, call, user, { provider: slug, zone: profile.timeZone })
  // do not revoke if another user has connected the account, because some providers revoke all access to an account at once
  else if (outcome?.kind !== 'account_taken') await endAccess()
  return reply
}

async function written(
  engine: EngineContext,
  { now }: CallContext,
  { token, user, live, tokenSet }: Consented,
  told: { readonly scopes: ScopeConsent; readonly names: readonly string[]; readonly profile: AccountProfile },
): Promise<LinkOutcome> {
  const { connector } = live
  const { provider, resources } = connector
  const { userId, teamId } = user
  const { scopes, names, profile } = told
  const team = await engine.store.teams.find(teamId)
  const grantId = randomUuid(engine.random)
  const availability = resourceAvailability({ scopes: connector.scopes, supportedResources: resources }, scopes)
  const realNow = engine.wall.now()
  return engine.store.links.connect(
    userId,
    {
      at: now,
      teamId,
      batches: [],
      summaries: [],
      streams: [],
      events: { kind: 'daily' },
      importing: null,
      connections: [
        {
          userId,
          provider,
          createdOn: now,
          externalUserId: profile.accountId,
          region: null,
          link: { scopes, isDemo: false, availability },
        },
      ],
      live: {
        tokenSet: { grantId, ...sealTokenSet(engine, { userId, provider, grantId }, tokenSet) },
        progress: firstProgress(connector, names, realNow),
        dueAt: realNow,
        at: realNow,
      },
      consumeToken: token.hash,
    },
    { onlyUserOf: team?.rejectDuplicateConnection ? profile.accountId : null },
  )
}

/** Sets the fallback zone for a user who has none, because some of the provider's times have no offset. */
async function setZone(
  engine: EngineContext,
  { now }: CallContext,
  { teamId, userId, fallbackTimeZone }: UserRecord,
  { provider, zone }: { readonly provider: string; readonly zone: string | undefined },
): Promise<void> {
  if (zone === undefined || fallbackTimeZone !== null || !isTimeZone(zone)) return
  const told = { value: zone, sourceSlug: provider, updatedAt: now }
  await engine.store.users.patch(teamId, userId, { fallbackTimeZone: told }, now)
}
