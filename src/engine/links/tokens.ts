/** Issues link tokens, and finds the link token that a call uses. See docs/interface/linking.md#linking-1. */
import type { LinkErrorType } from '../../contract/links/link.ts'
import { ServiceError } from '../../core/errors.ts'
import { hashSecret, type UserId, uuidBytes, uuidText } from '../../core/ids.ts'
import type { RandomSource } from '../../core/random.ts'
import { type EpochMs, MINUTE_MS } from '../../core/time.ts'
import type { LinkTokenRecord } from '../../store/link.ts'
import type { UserRecord } from '../../store/user.ts'
import { type CallContext, type EngineContext, type Handler, ok } from '../context.ts'
import { activeUser } from '../users/users.ts'

/** Lifetime of a link token in milliseconds. See docs/interface/linking.md#linking-1. */
export const LINK_TOKEN_LIFETIME_MS = 60 * MINUTE_MS
const RANDOM_BYTES = 32
const TOKEN_BYTES = 16 + RANDOM_BYTES

export const createLinkToken: Handler<'link.token'> = async (engine, { body }, call) => {
  const user = await activeUser(engine, call.team.teamId, body.user_id)
  const token = userSecret(user.userId, engine.random)
  const record: LinkTokenRecord = {
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
  }
  const base = engine.publicUrl()
  const reply = ok({
    link_token: token,
    link_web_url: base === null ? null : `${base}/link?token=${encodeURIComponent(token)}`,
  })
  return call.settle(
    () => engine.store.links.addToken(record),
    () => reply,
  )
}

/**
 * Returns a new secret. It begins with the bytes of the user's ID, so that the token can be found using only the secret, followed by 256
 * random bits.
 */
export function userSecret(userId: UserId, random: RandomSource): string {
  return Buffer.concat([uuidBytes(userId), random.bytes(RANDOM_BYTES)]).toString('base64url')
}

/** Returns the user whose ID is in a secret, or undefined if the secret contains no user ID. */
export function userOfToken(secret: string): UserId | undefined {
  const bytes = Buffer.from(secret, 'base64url')
  if (bytes.length !== TOKEN_BYTES) return undefined
  return uuidText(bytes.subarray(0, 16)) as UserId
}

/** A refused token. `token` is present if the token exists, because the result repeats its redirect URL. */
export interface RefusedToken {
  readonly kind: 'refused'
  readonly errorType: LinkErrorType
  readonly error: string
  readonly token: LinkTokenRecord | null
  /** Present if a hosted page in another browser started the sign-in. In that case, someone else may have sent the URL to this person. */
  readonly isOtherBrowser?: true
}
export type FoundToken =
  | { readonly kind: 'found'; readonly token: LinkTokenRecord; readonly user: UserRecord }
  | RefusedToken

/** Returns the call's token if it can be used for a sign-in at the provider (null: any provider). */
export async function tokenOfCall(
  engine: EngineContext,
  call: CallContext,
  provider: string | null,
): Promise<FoundToken> {
  if (call.linkToken === null) {
    const error = 'The x-service-link-token header is missing'
    return { kind: 'refused', errorType: 'invalid_token', error, token: null }
  }
  const token = await linkTokenNamed(engine, call.linkToken)
  if (!token || (call.team && call.team.teamId !== token.teamId)) {
    return { kind: 'refused', errorType: 'invalid_token', error: 'The link token is unknown', token: null }
  }
  return checkToken(engine, token, provider, call.now)
}

/** Returns the token, even if it is used or expired, or null for an unknown token. */
export async function linkTokenNamed(engine: EngineContext, secret: string): Promise<LinkTokenRecord | null> {
  const userId = userOfToken(secret)
  return userId === undefined ? null : engine.store.links.token(userId, hashSecret(secret))
}

/** Returns the token. Also accepts the state of a consent page that was started with the token. */
export async function tokenNamed(engine: EngineContext, secret: string): Promise<LinkTokenRecord | null> {
  const userId = userOfToken(secret)
  if (userId === undefined) return null
  const hash = hashSecret(secret)
  return (
    (await engine.store.links.token(userId, hash)) ??
    (await engine.store.links.tokenOfState(userId, hash))?.token ??
    null
  )
}

/** Checks whether a token can be used now at this provider (null: any provider). */
export async function checkToken(
  engine: EngineContext,
  token: LinkTokenRecord,
  provider: string | null,
  now: EpochMs,
): Promise<FoundToken> {
  const refuse = (errorType: LinkErrorType, error: string): FoundToken => ({ kind: 'refused', errorType, error, token })
  if (token.consumedAt !== null) return refuse('token_consumed', 'The link token has been used')
  if (now - token.createdOn > LINK_TOKEN_LIFETIME_MS)
    return refuse('token_expired', 'The link token is older than 60 minutes')
  if (provider !== null && !isFor(token, provider)) {
    return refuse('token_not_validated', 'The link token was not issued for this provider')
  }
  const user = await engine.store.users.find(token.teamId, token.userId)
  if (!user || user.deletedAt !== null) return refuse('invalid_token', 'The user of the link token is deleted')
  return { kind: 'found', token, user }
}

/** Returns whether the token was issued for this provider or for any provider. */
export function isFor(token: LinkTokenRecord, provider: string): boolean {
  if (token.provider !== null && token.provider !== provider) return false
  return token.filterOnProviders === null || token.filterOnProviders.includes(provider)
}

/** Returns the 401 error for an operation whose response is not a link result. */
export function tokenRefusal({ errorType, error }: RefusedToken): ServiceError {
  return new ServiceError('invalid_link_token', error, {
    body: { detail: { error_type: errorType, error_message: error } },
  })
}
