/** Signs in at a provider with a password or e-mail, and completes the second step with a code. See docs/interface/linking.md. */
import type { Provider } from '../../catalogue/provider.ts'
import { checkCode, signIn, signInByName } from '../../connectors/synthetic/sandbox.ts'
import type { Reply } from '../../contract/kernel/operation.ts'
import { MOST_WRONG_CODES } from '../../contract/links/link.ts'
import { invalid } from '../../core/errors.ts'
import { type CallContext, type EngineContext, type Handler, ok } from '../context.ts'
import { activeUser } from '../users/users.ts'
import { connect } from './connect.ts'
import { emptyResult, failed, type LinkResult, refusedBy } from './results.ts'
import { checkToken, type FoundToken, tokenOfCall } from './tokens.ts'

export const linkPassword: Handler<'link.password'> = async (engine, { params, body }, call) => {
  const provider = engine.providers.find(params.provider) as Provider
  const found = await tokenOfCall(engine, call, provider.slug)
  if (found.kind === 'refused') return refusedBy(found, provider.slug)
  const { token, user } = found
  const region = body.region ?? null
  const outcome = signIn({ provider, username: body.username, password: body.password, region })
  switch (outcome.kind) {
    case 'region_missing': {
      const msg = `is required for ${provider.slug}. Allowed: ${outcome.allowed.join(', ')}`
      throw invalid([{ loc: ['body', 'region'], msg, type: 'missing' }])
    }
    case 'error':
      return failed(token, provider.slug, outcome.errorType, outcome.error)
    case 'mfa': {
      const { method, hint } = outcome
      const pending = { provider: provider.slug, username: body.username, region, method, hint, wrongCodes: 0 }
      const reply = ok({
        ...emptyResult(token, provider.slug),
        state: 'pending_provider_mfa' as const,
        provider_mfa: { method, hint },
      })
      return call.settle(
        () => engine.store.links.setPendingMfa(token.userId, token.hash, pending),
        () => reply,
      )
    }
    case 'success':
      return connect(engine, call, { token, user, provider, account: body.username, region, consent: null })
  }
}

export const linkEmail: Handler<'link.email'> = async (engine, { params, body }, call) => {
  const provider = engine.providers.find(params.provider) as Provider
  const found = await tokenOfCall(engine, call, provider.slug)
  if (found.kind === 'refused') return refusedBy(found, provider.slug)
  const { token, user } = found
  const { regions } = provider
  const usual = regions.includes('us') ? 'us' : (regions[0] ?? null)
  const region = body.region ?? usual
  const email = body.email.trim()
  const outcome = signInByName({ provider, name: email, region })
  if (outcome.kind === 'error') return failed(token, provider.slug, outcome.errorType, outcome.error)
  return connect(engine, call, { token, user, provider, account: email, region, consent: null })
}

export const completeMfa: Handler<'link.complete_mfa'> = async (engine, { params, body }, call) => {
  const found = await tokenOfCall(engine, call, params.provider)
  return completeWith(engine, call, found, params.provider, body.mfa_code)
}

export const completeMfaForUser: Handler<'link.complete_mfa_for_user'> = async (engine, { params, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const token = await engine.store.links.pendingToken(user.userId, params.provider)
  if (!token) return failed(null, params.provider, 'token_not_validated', NOTHING_PENDING)
  const found = await checkToken(engine, token, params.provider, call.now)
  return completeWith(engine, call, found, params.provider, body.mfa_code)
}

const NOTHING_PENDING = 'No sign-in at this provider is waiting for a code'

async function completeWith(
  engine: EngineContext,
  call: CallContext,
  found: FoundToken,
  slug: string,
  code: string,
): Promise<Reply<LinkResult>> {
  if (found.kind === 'refused') return refusedBy(found, slug)
  const { token, user } = found
  const pending = token.pending
  if (!pending || pending.provider !== slug) return failed(token, slug, 'token_not_validated', NOTHING_PENDING)
  if (!checkCode(code)) {
    const wrong = await engine.store.links.countWrongCode(token.userId, token.hash, MOST_WRONG_CODES)
    const left = MOST_WRONG_CODES - wrong
    const rest =
      left > 0 ? `${left} ${left === 1 ? 'attempt is' : 'attempts are'} left` : 'sign in again for a new code'
    return failed(token, slug, 'incorrect_mfa_code', `The code is wrong; ${rest}`)
  }
  const provider = engine.providers.find(slug) as Provider
  const { username: account, region } = pending
  return connect(engine, call, { token, user, provider, account, region, consent: null })
}
