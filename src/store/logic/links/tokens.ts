/** Stores link tokens and their pending multi-factor steps as rows. Only a token's hash is stored. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { LinkTokenRecord, OAuthStart, PendingMfa } from '../../link.ts'
import { type DamageLocation, storedJson } from '../rows/damage.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'
import { requireActive } from '../users/users.ts'

type Options = Pick<LinkTokenRecord, 'redirectUrl' | 'provider' | 'filterOnProviders' | 'onError' | 'onClose'>

interface TokenRow {
  readonly user_id: string
  readonly team_id: string
  readonly hash: string
  readonly created_on: number
  readonly options: string
  readonly consumed_at: number | null
  readonly pending: string | null
}

/** Maximum number of consent pages that can be open for one token at the same time. */
const MOST_STARTS = 8

/** How long an old token can be distinguished from an unknown one. Adding a token removes older tokens. */
const KEPT_MS = 7 * DAY_MS

const COLUMNS = 'user_id, team_id, hash, created_on, options, consumed_at, pending'
const FIND_TOKEN = query<TokenRow>(`SELECT ${COLUMNS} FROM link_token WHERE user_id=? AND hash=?`)
const NEWEST_PENDING = query<TokenRow>(
  dialect => `SELECT ${COLUMNS} FROM link_token
    WHERE user_id=? AND consumed_at IS NULL AND pending IS NOT NULL AND ${dialect.jsonText('pending', 'provider')}=?
    ORDER BY created_on DESC, hash LIMIT 1`,
)
const TOKENS_WITH_STARTS = query<TokenRow & { readonly oauth: string }>(
  `SELECT ${COLUMNS}, oauth FROM link_token WHERE user_id=? AND oauth IS NOT NULL`,
)
const STARTS_OF_TOKEN = query<{ readonly oauth: string | null }>(
  'SELECT oauth FROM link_token WHERE user_id=? AND hash=? AND consumed_at IS NULL',
)
const ADD_TOKEN = command(`INSERT INTO link_token (${COLUMNS}) VALUES (?,?,?,?,?,?,?)`)
const DROP_OLD_TOKENS = command('DELETE FROM link_token WHERE user_id=? AND created_on<?')
const PUT_PENDING = command('UPDATE link_token SET pending=? WHERE user_id=? AND hash=? AND consumed_at IS NULL')
const PUT_STARTS = command('UPDATE link_token SET oauth=? WHERE user_id=? AND hash=?')

/**
 * Adds a token. Throws ServiceError `user_not_found` if the user was deleted in the meantime, because a purge in progress would not see the
 * row.
 */
export function* insertToken(token: LinkTokenRecord): Steps<void> {
  yield* requireActive(token.userId)
  const options: Options = {
    redirectUrl: token.redirectUrl,
    provider: token.provider,
    filterOnProviders: token.filterOnProviders,
    onError: token.onError,
    onClose: token.onClose,
  }
  yield* run(DROP_OLD_TOKENS, [token.userId, token.createdOn - KEPT_MS])
  yield* run(ADD_TOKEN, [
    token.userId,
    token.teamId,
    token.hash,
    token.createdOn,
    JSON.stringify(options),
    token.consumedAt,
    token.pending ? JSON.stringify(token.pending) : null,
  ])
}

export function* findToken(userId: UserId, hash: string): Steps<LinkTokenRecord | null> {
  return fromRow(yield* one(FIND_TOKEN, [userId, hash]))
}

/** Returns the user's newest unconsumed token with a pending step at the provider, or null. */
export function* newestPending(userId: UserId, provider: string): Steps<LinkTokenRecord | null> {
  return fromRow(yield* one(NEWEST_PENDING, [userId, provider]))
}

/** Sets the pending step of an unconsumed token, or clears it (null). */
export function* putPending(userId: UserId, hash: string, pending: PendingMfa | null): Steps<void> {
  yield* run(PUT_PENDING, [pending ? JSON.stringify(pending) : null, userId, hash])
}

/** Counts a wrong code, and clears the pending step when the limit is reached. Returns the count, or the limit if no step is pending. */
export function* addWrongCode(userId: UserId, hash: string, limit: number): Steps<number> {
  const pending = (yield* findToken(userId, hash))?.pending
  if (!pending) return limit
  const wrongCodes = pending.wrongCodes + 1
  yield* putPending(userId, hash, wrongCodes >= limit ? null : { ...pending, wrongCodes })
  return wrongCodes
}

/**
 * Records a sign-in, and keeps the token's latest few sign-ins, because an earlier consent page may still be open. Does nothing if the
 * token has been consumed.
 */
export function* putStart(userId: UserId, hash: string, start: OAuthStart): Steps<void> {
  const row = yield* one(STARTS_OF_TOKEN, [userId, hash])
  if (!row) return
  const starts = [...parseStarts(row.oauth), start].slice(-MOST_STARTS)
  yield* run(PUT_STARTS, [JSON.stringify(starts), userId, hash])
}

/** Returns the token that opened a consent page, even if it has been consumed, together with the sign-in. Returns null if there is none. */
export function* findStart(
  userId: UserId,
  stateHash: string,
): Steps<{ readonly token: LinkTokenRecord; readonly start: OAuthStart } | null> {
  for (const row of yield* many(TOKENS_WITH_STARTS, [userId])) {
    const start = parseStarts(row.oauth).find(each => each.stateHash === stateHash)
    const token = start && fromRow(row)
    if (token) return { token, start }
  }
  return null
}

/**
 * Marks the provider's response to a live sign-in as used. Returns false if it was already used (a code is exchanged only once) or if there
 * is no such sign-in.
 */
export function* takeCallback(userId: UserId, stateHash: string, now: EpochMs): Steps<boolean> {
  for (const row of yield* many(TOKENS_WITH_STARTS, [userId])) {
    const starts = parseStarts(row.oauth)
    const start = starts.find(each => each.stateHash === stateHash)
    if (!start) continue
    if (start.answeredAt !== undefined) return false
    const marked = starts.map(each => (each === start ? { ...start, answeredAt: now } : each))
    yield* run(PUT_STARTS, [JSON.stringify(marked), userId, row.hash])
    return true
  }
  return false
}

const TOKEN = (): DamageLocation => ({ what: 'a link token', userId: null })

function parseStarts(text: string | null): OAuthStart[] {
  return text === null ? [] : storedJson<OAuthStart[]>(text, TOKEN)
}

function fromRow(row: TokenRow | undefined): LinkTokenRecord | null {
  if (!row) return null
  return {
    userId: row.user_id as UserId,
    teamId: row.team_id as TeamId,
    hash: row.hash,
    createdOn: row.created_on,
    ...storedJson<Options>(row.options, TOKEN),
    consumedAt: row.consumed_at,
    pending: row.pending === null ? null : storedJson<PendingMfa>(row.pending, TOKEN),
  }
}
