/** Signing in at a provider with a user name and password, and the second step with a code (interface.md 2.5, 4.7, 4.8). */
import { type Provider, providerNamed } from '../catalogue/providers.ts'
import { checkCode, signIn } from '../connectors/synthetic/sandbox.ts'
import type { LinkErrorType } from '../contract/link.ts'
import type { Reply, ReplyBody } from '../contract/operation.ts'
import type { Operations } from '../contract/operations.ts'
import { invalid } from '../core/errors.ts'
import type { EpochMs } from '../core/time.ts'
import type { LinkTokenRecord, UserRecord } from '../store/port.ts'
import { type EngineContext, type Handler, ok } from './context.ts'
import { withinBounds } from './ingestion.ts'
import { checkToken, type FoundToken, tokenOfCall } from './link-tokens.ts'
import { activeUser } from './users.ts'

type LinkResult = ReplyBody<Operations['link.password']>

/** After this many wrong codes the pending step is void (interface-gaps, link token). */
export const MOST_WRONG_CODES = 5
/** How far back a simulated provider's history reaches. */
const HISTORY_DAYS = 30

export const linkPassword: Handler<'link.password'> = async (engine, { params, body }, call) => {
  const provider = providerNamed(params.provider) as Provider
  const found = await tokenOfCall(engine, call, provider.slug)
  if (found.kind === 'refused') return refusedBy(found, provider.slug)
  const { token, user } = found
  const region = body.region ?? null
  const outcome = signIn({ provider, username: body.username, password: body.password, region })
  switch (outcome.kind) {
    case 'region_missing': {
      const msg = `${provider.slug} asks for a region; allowed: ${outcome.allowed.join(', ')}`
      throw invalid([{ loc: ['body', 'region'], msg, type: 'missing' }])
    }
    case 'error':
      return failed(token, provider.slug, outcome.errorType, outcome.error)
    case 'mfa': {
      const { method, hint } = outcome
      const pending = { provider: provider.slug, username: body.username, region, method, hint, wrongCodes: 0 }
      await engine.store.setPendingMfa(token.userId, token.hash, pending)
      return ok({
        ...resultOf(token, provider.slug),
        state: 'pending_provider_mfa' as const,
        provider_mfa: { method, hint },
      })
    }
    case 'success':
      return connect(engine, { token, user, provider, username: body.username, region, now: call.now })
  }
}

export const completeMfa: Handler<'link.complete_mfa'> = async (engine, { params, body }, call) => {
  const found = await tokenOfCall(engine, call, params.provider)
  return completeWith(engine, found, params.provider, body.mfa_code, call.now)
}

export const completeMfaForUser: Handler<'link.complete_mfa_for_user'> = async (engine, { params, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const token = await engine.store.pendingLinkToken(user.userId, params.provider)
  if (!token) return failed(null, params.provider, 'token_not_validated', NOTHING_PENDING)
  const found = await checkToken(engine, token, params.provider, call.now)
  return completeWith(engine, found, params.provider, body.mfa_code, call.now)
}

const NOTHING_PENDING = 'No sign-in at this provider waits for a code'

async function completeWith(
  engine: EngineContext,
  found: FoundToken,
  slug: string,
  code: string,
  now: EpochMs,
): Promise<Reply<LinkResult>> {
  if (found.kind === 'refused') return refusedBy(found, slug)
  const { token, user } = found
  const pending = token.pending
  if (!pending || pending.provider !== slug) return failed(token, slug, 'token_not_validated', NOTHING_PENDING)
  if (!checkCode(code)) {
    const wrong = await engine.store.countWrongCode(token.userId, token.hash, MOST_WRONG_CODES)
    const left = MOST_WRONG_CODES - wrong
    const rest = left > 0 ? `${left} ${left === 1 ? 'try is' : 'tries are'} left` : 'sign in again for a new code'
    return failed(token, slug, 'incorrect_mfa_code', `The code is wrong; ${rest}`)
  }
  const provider = providerNamed(slug) as Provider
  return connect(engine, { token, user, provider, username: pending.username, region: pending.region, now })
}

interface Link {
  readonly token: LinkTokenRecord
  readonly user: UserRecord
  readonly provider: Provider
  readonly username: string
  readonly region: string | null
  readonly now: EpochMs
}

/** Makes the connection and pulls its history, all in one transaction: the history is complete before the call answers. */
async function connect(engine: EngineContext, link: Link): Promise<Reply<LinkResult>> {
  const { token, user, provider, username, region, now } = link
  const team = await engine.store.team(user.teamId)
  if (team?.rejectDuplicateConnection) {
    const taken = await engine.store.accountTaken(user.teamId, user.userId, provider.slug, username)
    if (taken) {
      const error = 'This provider account is already connected to another user of the team'
      return failed(token, provider.slug, 'duplicate_connection', error)
    }
  }
  const { syntheticHistory } = await import('../connectors/synthetic/person.ts')
  const timeZone = user.fallbackTimeZone?.value ?? null
  const history = syntheticHistory({
    seed: engine.seed,
    userId: user.userId,
    provider: provider.slug,
    timeZone,
    now,
    days: HISTORY_DAYS,
  })
  const { data } = withinBounds(user, history)
  const outcome = await engine.store.write(user.userId, {
    at: now,
    teamId: user.teamId,
    ...data,
    events: { kind: 'historical', provider: provider.slug, from: history.from, to: now },
    importing: null,
    connections: [{ userId: user.userId, provider: provider.slug, createdOn: now, externalUserId: username, region }],
    consumeToken: token.hash,
  })
  if (outcome.kind === 'token_consumed') {
    return failed(token, provider.slug, 'token_consumed', 'The link token has been used')
  }
  return ok({ ...resultOf(token, provider.slug), state: 'success' as const, connected: true })
}

function resultOf(token: LinkTokenRecord | null, provider: string): LinkResult {
  return {
    state: 'error',
    provider,
    connected: false,
    provider_id: null,
    redirect_url: token?.redirectUrl ?? null,
    error_type: null,
    error: null,
    provider_mfa: null,
  }
}

function failed(
  token: LinkTokenRecord | null,
  provider: string,
  errorType: LinkErrorType,
  error: string,
): Reply<LinkResult> {
  return ok({ ...resultOf(token, provider), error_type: errorType, error })
}

function refusedBy(found: Extract<FoundToken, { kind: 'refused' }>, provider: string): Reply<LinkResult> {
  return failed(found.token, provider, found.errorType, found.error)
}
