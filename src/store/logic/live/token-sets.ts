/** Stores token sets as rows. A user has at most one active token set per provider. Older token sets remain until they are revoked. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { NewTokenSet, TokenSetKey, TokenSetLease, TokenSetRecord, TokenSetState } from '../../live/token-sets.ts'
import { part, read, writeAbout } from '../part.ts'
import { TOKEN_SETS, type TokenSetRow } from '../rows/tables.ts'
import { command, facts, many, one, run, type Steps } from '../steps.ts'

const FIND_TOKEN_SET = TOKEN_SETS.query('WHERE user_id=? AND provider=? AND grant_id=?')
const TOKEN_SETS_AT = TOKEN_SETS.query('WHERE user_id=? AND provider=?')
const TOKEN_SETS_OF_USER = TOKEN_SETS.query('WHERE user_id=? ORDER BY provider, grant_id')
/** Selects the due token sets of each team and provider in turn, because those of an unavailable provider stay due for a long time. */
const DUE = TOKEN_SETS.query(
  `WHERE due_at<=?
  ORDER BY row_number() OVER (PARTITION BY team_id, provider ORDER BY due_at), due_at LIMIT ?`,
)
const DUE_OF_USER = TOKEN_SETS.query('WHERE user_id=? AND due_at<=?')
const REMOVE_TOKEN_SET = command('DELETE FROM provider_grant WHERE user_id=? AND provider=? AND grant_id=?')

const ownerId = ({ userId }: TokenSetKey): UserId => userId

export class TokenSetStore extends part({
  find: read(findActive),
  lease: writeAbout(leaseTokenSet, ownerId),
  refresh: writeAbout(storeRefreshed, ownerId),
  release: writeAbout(releaseTokenSet, ownerId),
  revoking: read(listRevoking),
  ofUser: read(listActive),
  /** Removes a token set that was revoked or given up. */
  remove: writeAbout((key: TokenSetKey) => run(REMOVE_TOKEN_SET, keyValues(key)), ownerId),
  retry: writeAbout(retryRevocation, ownerId),
}) {}

/** Adds a link's token set, and queues the previous token set for revocation. Replaces a token set that has the same ID. */
export function* putTokenSet(userId: UserId, teamId: TeamId, provider: string, tokenSet: NewTokenSet): Steps<void> {
  yield* queueRevocations(userId, provider, tokenSet.grantId)
  const row = {
    user_id: userId,
    provider,
    grant_id: tokenSet.grantId,
    team_id: teamId,
    state: 'active' satisfies TokenSetState,
    sealed: tokenSet.sealed,
    key_id: tokenSet.keyId,
    expires_at: tokenSet.expiresAt,
    rev: 0,
    ...UNLEASED,
    tries: 0,
    due_at: null,
  }
  const known = yield* one(FIND_TOKEN_SET, [userId, provider, tokenSet.grantId])
  // a refresh of the replaced token set must not end the lease on this one or store its own tokens here
  yield* TOKEN_SETS.put({ ...row, rev: known ? known.rev + 1 : 0 })
}

const UNLEASED = { leased_by: null, leased_until: 0, renewing_since: null } as const

/**
 * Queues a user's token sets for revocation at the provider, except for one. A token set that is being refreshed waits until the refresh
 * has ended, because the outcome determines what to revoke.
 */
export function* queueRevocations(userId: UserId, provider: string | null, except: string | null = null): Steps<void> {
  const { realNow } = yield* facts()
  const rows =
    provider === null ? yield* many(TOKEN_SETS_OF_USER, [userId]) : yield* many(TOKEN_SETS_AT, [userId, provider])
  for (const row of rows) {
    if (row.grant_id === except) continue
    // it is now used by another store
    if (row.state === 'moved') yield* run(REMOVE_TOKEN_SET, [userId, row.provider, row.grant_id])
    else if (row.state === 'active') {
      const dueAt = row.leased_by === null ? realNow : Math.max(realNow, row.leased_until)
      yield* TOKEN_SETS.replace({ ...row, state: 'revoking' satisfies TokenSetState, due_at: dueAt })
    }
  }
}

/** Returns the active token set, even if it is `moved`, or null if there is none. */
function* findActive(userId: UserId, provider: string): Steps<TokenSetRecord | null> {
  const row = (yield* many(TOKEN_SETS_AT, [userId, provider])).find(({ state }) => state !== 'revoking')
  return row ? fromRow(row) : null
}

/** Returns a user's active token sets, for a deletion that must first revoke them. */
function* listActive(userId: UserId): Steps<TokenSetRecord[]> {
  return (yield* many(TOKEN_SETS_OF_USER, [userId])).filter(({ state }) => state === 'active').map(fromRow)
}

/**
 * Leases this revision of a token set for a refresh, even if it is waiting for revocation, and records that a refresh began. Returns false
 * if the token set was refreshed or leased in the meantime. A lease has no end time, because the clocks of processes differ. It ends when
 * it is released, when the next token set is stored, or when it is taken over by a caller that knows it has ended.
 */
function* leaseTokenSet(key: TokenSetKey, { rev, holder, insteadOf, now, until }: TokenSetLease): Steps<boolean> {
  const row = yield* one(FIND_TOKEN_SET, keyValues(key))
  if (!row || row.state === 'moved' || row.rev !== rev) return false
  if (row.leased_by !== null && row.leased_by !== insteadOf) return false
  yield* TOKEN_SETS.replace({ ...row, leased_by: holder, leased_until: until, renewing_since: now })
  return true
}

type RefreshedTokens = Pick<TokenSetRecord, 'sealed' | 'keyId' | 'expiresAt' | 'rev'>

/**
 * Durably stores the tokens that follow this revision, and ends any lease, even if the token set is waiting for revocation, because only
 * the newest tokens can be revoked. Returns false and stores nothing if other tokens already follow this revision, or if the token set no
 * longer exists. The holder of the lease does not matter, because only the next tokens are valid.
 */
function* storeRefreshed(key: TokenSetKey, { rev, sealed, keyId, expiresAt }: RefreshedTokens): Steps<boolean> {
  const row = yield* one(FIND_TOKEN_SET, keyValues(key))
  if (!row || row.state === 'moved' || row.rev !== rev) return false
  const { realNow } = yield* facts()
  yield* TOKEN_SETS.replace({
    ...row,
    ...UNLEASED,
    sealed,
    key_id: keyId,
    expires_at: expiresAt,
    rev: row.rev + 1,
    due_at: row.due_at === null ? null : Math.min(row.due_at, realNow),
  })
  return true
}

/**
 * Ends a lease without new tokens. `left` is the remaining token set after a refusal, without the refused refresh token. It is stored when
 * the lease ends. Does nothing if the lease has another holder.
 */
function* releaseTokenSet(
  key: TokenSetKey,
  holder: string,
  left?: Pick<TokenSetRecord, 'sealed' | 'keyId'>,
): Steps<void> {
  const row = yield* one(FIND_TOKEN_SET, keyValues(key))
  if (row?.leased_by !== holder) return
  // a token set that was moved to another store remains there
  const content = left && row.state !== 'moved' ? { sealed: left.sealed, key_id: left.keyId } : {}
  yield* TOKEN_SETS.replace({ ...row, ...UNLEASED, ...content })
}

/**
 * Returns the token sets that are waiting to be revoked, for these users or for all (null), beginning with the earliest of each team at
 * each provider.
 */
function* listRevoking(now: EpochMs, userIds: readonly UserId[] | null, limit: number): Steps<TokenSetRecord[]> {
  if (userIds === null) return (yield* many(DUE, [now, limit])).map(fromRow)
  const rows: TokenSetRow[] = []
  for (const userId of userIds) rows.push(...(yield* many(DUE_OF_USER, [userId, now])))
  return rows
    .sort((a, b) => (a.due_at ?? 0) - (b.due_at ?? 0))
    .slice(0, limit)
    .map(fromRow)
}

/** Schedules the next attempt to revoke the token set. */
function* retryRevocation(key: TokenSetKey, dueAt: EpochMs): Steps<void> {
  const row = yield* one(FIND_TOKEN_SET, keyValues(key))
  if (row?.state === 'revoking') yield* TOKEN_SETS.replace({ ...row, tries: row.tries + 1, due_at: dueAt })
}

function keyValues({ userId, provider, grantId }: TokenSetKey): string[] {
  return [userId, provider, grantId]
}

function fromRow(row: TokenSetRow): TokenSetRecord {
  return {
    ...TOKEN_SETS.record(row),
    userId: row.user_id as UserId,
    teamId: row.team_id as TeamId,
    state: row.state as TokenSetState, // the row's checksum is correct
    sealed: row.sealed ?? new Uint8Array(),
  }
}
