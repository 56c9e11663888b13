/** Link tokens: issuing one, and finding the one that a call carries (interface.md 5.3, interface-gaps 2.5). */
import type { LinkErrorType } from '../contract/link.ts'
import { hashSecret, type UserId, uuidBytes } from '../core/ids.ts'
import { type EpochMs, MINUTE_MS } from '../core/time.ts'
import type { LinkTokenRecord, UserRecord } from '../store/port.ts'
import { type CallContext, type EngineContext, type Handler, ok } from './context.ts'
import { activeUser } from './users.ts'

/** Lifetime of a link token (interface-gaps 2.5). */
export const LINK_TOKEN_LIFETIME_MS = 60 * MINUTE_MS
const RANDOM_BYTES = 32
const TOKEN_BYTES = 16 + RANDOM_BYTES

export const createLinkToken: Handler<'link.token'> = async (engine, { body }, call) => {
  const user = await activeUser(engine, call.team.teamId, body.user_id)
  // the user's bytes lead, so that a token that comes alone says where to look (design 4); 256 random bits follow
  const token = Buffer.concat([uuidBytes(user.userId), engine.random.bytes(RANDOM_BYTES)]).toString('base64url')
  await engine.store.addLinkToken({
    userId: user.userId,
    teamId: user.teamId,
    hash: hashSecret(token),
    createdOn: call.now,
    redirectUrl: body.redirect_url ?? null,
    provider: body.provider ?? null,
    filterOnProviders: body.filter_on_providers ?? null,
    onError: body.on_error ?? null,
    onClose: body.on_close ?? null,
    consumedAt: null,
    pending: null,
  })
  const base = engine.publicUrl()
  return ok({
    link_token: token,
    link_web_url: base === null ? null : `${base}/link?token=${encodeURIComponent(token)}`,
  })
}

export type FoundToken =
  | { readonly kind: 'found'; readonly token: LinkTokenRecord; readonly user: UserRecord }
  /** `token` is known where the token exists: its redirect URL is echoed in the result. */
  | {
      readonly kind: 'refused'
      readonly errorType: LinkErrorType
      readonly error: string
      readonly token: LinkTokenRecord | null
    }

/** The token a call carries, when it is good for a sign-in at the provider. */
export async function tokenOfCall(engine: EngineContext, call: CallContext, provider: string): Promise<FoundToken> {
  if (call.linkToken === null) {
    return {
      kind: 'refused',
      errorType: 'invalid_token',
      error: 'The x-service-link-token header is missing',
      token: null,
    }
  }
  const userId = userOfToken(call.linkToken)
  const token = userId && (await engine.store.linkToken(userId, hashSecret(call.linkToken)))
  if (!token || (call.team && call.team.teamId !== token.teamId)) {
    return { kind: 'refused', errorType: 'invalid_token', error: 'The link token is unknown', token: null }
  }
  return checkToken(engine, token, provider, call.now)
}

/** Whether a token may be used now, at this provider. */
export async function checkToken(
  engine: EngineContext,
  token: LinkTokenRecord,
  provider: string,
  now: EpochMs,
): Promise<FoundToken> {
  const refuse = (errorType: LinkErrorType, error: string): FoundToken => ({ kind: 'refused', errorType, error, token })
  if (token.consumedAt !== null) return refuse('token_consumed', 'The link token has been used')
  if (now - token.createdOn > LINK_TOKEN_LIFETIME_MS)
    return refuse('token_expired', 'The link token is older than 60 minutes')
  const allowed = token.filterOnProviders === null || token.filterOnProviders.includes(provider)
  if (!allowed || (token.provider !== null && token.provider !== provider)) {
    return refuse('token_not_validated', 'The link token was not issued for this provider')
  }
  const user = await engine.store.user(token.teamId, token.userId)
  if (!user || user.deletedAt !== null) return refuse('invalid_token', 'The user of the link token is deleted')
  return { kind: 'found', token, user }
}

function userOfToken(token: string): UserId | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== TOKEN_BYTES) return undefined
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}` as UserId
}
