/** Obtains tokens from Withings. The token URL wraps OAuth in Withings' own envelope, and every call has an action. */
import { createHmac } from 'node:crypto'
import { SECOND_MS } from '../../../core/time.ts'
import type { CodeExchange } from '../../connector.ts'
import { type AppSession, ProviderError, type ProviderErrorKind, type TokenSession } from '../../provider-session.ts'
import { asObject, asText, member } from '../../shared/json-fields.ts'
import type { TokenSet } from '../../token-set.ts'
import { withTexts } from '../field-table.ts'
import { checkedUrl } from '../oauth.ts'
import { issuedTokens } from '../token-response.ts'
import { callApi } from './requests.ts'
import { classifyStatus, readResponse, statusFailure, type WithingsResponse } from './status.ts'

/**
 * Exchanges a code for a token set. Throws ProviderError, with `code_refused` if the code was refused, or `credentials` if the client was
 * refused.
 */
export async function exchange(session: AppSession, { code, redirectUrl }: CodeExchange): Promise<TokenSet> {
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUrl }
  return buildTokenSet(session, await request(session, form, 'code_refused'), null)
}

/** Refreshes a token set. Throws ProviderError, with `grant_lost` if the refresh token was refused. */
export async function refresh(session: AppSession, tokenSet: TokenSet): Promise<TokenSet> {
  const { refreshToken } = tokenSet
  if (refreshToken === null) throw new ProviderError('grant_lost', 'The access has ended and cannot be refreshed.')
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
  return buildTokenSet(session, await request(session, form, 'grant_lost'), tokenSet)
}

/** Revokes access. Does nothing if access has already ended. Throws ProviderError. */
export async function revoke(session: TokenSession): Promise<void> {
  const { clientId, tokenUrl } = session.app
  const userId = session.tokenSet.extra['userid']
  if (userId === undefined) throw new ProviderError('bad_request', 'The token set does not identify its person.')
  const timestamp = String(Math.floor(session.now() / SECOND_MS))
  const asked = signed(session, { action: 'getnonce', client_id: clientId, timestamp })
  const nonce = asText(member(await callApi(session, '/v2/signature', asked), 'nonce')) ?? ''
  if (nonce === '') throw new ProviderError('bad_answer', 'The response has no nonce.')
  const form = { ...signed(session, { action: 'revoke', client_id: clientId, nonce }), userid: userId }
  const response = await session.send({ method: 'POST', url: checkedUrl(tokenUrl, 'token'), form })
  const { status } = readResponse(response)
  // access has already ended
  if (classifyStatus(status) === 'access_refused') return
  const failure = statusFailure(status)
  if (failure) throw failure
}

/** Adds the signature over the values, sorted by parameter name. */
function signed({ app }: AppSession, form: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const values = Object.keys(form)
    .sort()
    .map(name => form[name])
  const signature = createHmac('sha256', app.clientSecret).update(values.join(',')).digest('hex')
  return { ...form, signature }
}

async function request(
  session: AppSession,
  form: Readonly<Record<string, string>>,
  refused: ProviderErrorKind,
): Promise<unknown> {
  const { clientId, clientSecret, tokenUrl } = session.app
  const response = readResponse(
    await session.send({
      method: 'POST',
      url: checkedUrl(tokenUrl, 'token'),
      form: { action: 'requesttoken', client_id: clientId, client_secret: clientSecret, ...form },
    }),
  )
  if (response.status === 0) return response.body
  const kind = tokenFailure(response, refused)
  throw new ProviderError(kind, `${SENTENCES[kind] ?? 'Withings failed to respond.'} Status ${response.status}.`)
}

/** The status observed for an invalid refresh token. It is in none of the groups. */
const BAD_TOKEN = 503

function tokenFailure({ status, error }: WithingsResponse, refused: ProviderErrorKind): ProviderErrorKind {
  const kind = classifyStatus(status)
  if (kind === 'rate_limited') return kind
  // the status for a wrong secret is not documented, but the error text contains the parameter's name
  if (/client/i.test(error)) return 'credentials'
  return status === BAD_TOKEN || kind !== 'unavailable' ? refused : kind
}

const SENTENCES: Partial<Record<ProviderErrorKind, string>> = {
  credentials: 'The client id or the client secret was refused.',
  code_refused: 'The code or its redirect URL was refused. A code works once, for 30 seconds.',
  grant_lost: 'The refresh token was refused. The person has to connect again.',
  rate_limited: 'Too many requests were sent to Withings.',
}

function buildTokenSet(session: AppSession, body: unknown, earlier: TokenSet | null): TokenSet {
  const tokens = issuedTokens(session, body)
  if (tokens.refreshToken === null) {
    throw new ProviderError('bad_answer', 'The response to a token request has no refresh_token.')
  }
  const scope = asText(member(body, 'scope'))
  const userid = withTexts(asObject(body), 'userid')?.userid
  return {
    ...tokens,
    scopes: scope === undefined ? (earlier?.scopes ?? null) : scope.split(/[\s,]+/).filter(name => name !== ''),
    extra: { ...earlier?.extra, ...(userid === undefined ? {} : { userid }) },
  }
}
