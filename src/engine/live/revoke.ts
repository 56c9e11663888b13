/** Revokes access at providers for removed connections, purged users, and failed links. */

import { ProviderError, type ProviderErrorKind } from '../../connectors/provider-session.ts'
import type { TokenSet } from '../../connectors/token-set.ts'
import type { UserId } from '../../core/ids.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import type { LiveConnectionRecord, LiveKey } from '../../store/live/connections.ts'
import type { TokenSetRecord } from '../../store/live/token-sets.ts'
import type { UserRecord } from '../../store/user.ts'
import type { EngineContext } from '../context.ts'
import { fixedSession } from './fixed-session.ts'
import { removePersonSubscriptions } from './notifications/ended-access.ts'
import { findLiveApp, type LiveApp } from './oauth-apps/live-app.ts'
import { openTokenSet } from './sealed-token-set.ts'
import { openAppSession } from './session.ts'
import { refreshRevoking, refreshTokenSet } from './token-sets.ts'

/** How long a caller waits for a provider to revoke access, in milliseconds. */
export const REVOKE_MS = 10 * SECOND_MS
/** How long a reset waits for providers to revoke access, in milliseconds. */
const REVOKE_EVERYTHING_MS = 30 * SECOND_MS
const REVOKED_AT_ONCE = 8
/** Maximum number of token sets that are read. Fewer than this are ever waiting, because each is given up after a week. */
const MOST_WAITING = 100_000
const AT_ONCE = 100
const FIRST_PAUSE_MS = MINUTE_MS
const LONGEST_PAUSE_MS = 12 * HOUR_MS
/** How long a provider's revocation is retried. */
const GIVEN_UP_AFTER_MS = 7 * DAY_MS

/** Failures that mean that the access has already ended or can no longer be revoked. */
const ENDED: ReadonlySet<ProviderErrorKind> = new Set(['grant_lost', 'access_refused', 'not_found'])

/**
 * Revokes the waiting token sets of these users, or of all users (null). Failures are retried later, with increasing pauses, for at most 7
 * days. Returns the number of finished token sets. Throws the signal's reason.
 */
export async function revokeDue(
  engine: EngineContext,
  userIds: readonly UserId[] | null,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { tokenSets } = engine.store.live
  let done = 0
  for (;;) {
    // each token set is removed or postponed, so the next query finds others
    const waiting = await tokenSets.revoking(engine.wall.now(), userIds, AT_ONCE)
    done += await revokeEach(engine, waiting, signal)
    if (waiting.length < AT_ONCE) return done
  }
}

/** Revokes these token sets one after the other. */
export async function revokeEach(
  engine: EngineContext,
  waiting: readonly TokenSetRecord[],
  signal: AbortSignal | undefined,
): Promise<number> {
  let done = 0
  for (const record of waiting) {
    signal?.throwIfAborted()
    if (await tried(engine, record, signal)) done++
  }
  return done
}

/** Revokes waiting token sets for a caller, who waits at most 10 s. */
export async function revokeSoon(engine: EngineContext, userIds: readonly UserId[]): Promise<void> {
  await inTime(signal => revokeDue(engine, userIds, signal))
}

/**
 * Revokes as much as possible of a person's access within 10 s, because the person's data is being purged and no record of the access
 * remains afterwards.
 */
export async function revokeAll(engine: EngineContext, userId: UserId): Promise<void> {
  const { tokenSets } = engine.store.live
  const all = [
    ...(await tokenSets.ofUser(userId)),
    ...(await tokenSets.revoking(Number.MAX_SAFE_INTEGER, [userId], AT_ONCE)),
  ].filter(each => each.state !== 'moved')
  if (all.length === 0) return
  await inTime(async signal => {
    await Promise.all(all.map(record => revoked(engine, record, signal).catch(() => {})))
  })
}

/**
 * Revokes as much as possible of all access in the store within 30 s, before its users are removed. Returns the number of token sets that
 * were not revoked. Throws the reason of the caller's signal.
 */
export async function revokeEverything(engine: EngineContext, signal: AbortSignal | undefined): Promise<number> {
  const all = await allTokenSets(engine)
  const late = AbortSignal.timeout(REVOKE_EVERYTHING_MS)
  const ending = signal ? AbortSignal.any([signal, late]) : late
  const waiting = all.values()
  let left = all.length
  const work = async (): Promise<void> => {
    for (const record of waiting) {
      if (ending.aborted) return
      const isRevoked = await revoked(engine, record, ending).then(
        () => true,
        error => error instanceof ProviderError && ENDED.has(error.kind),
      )
      if (isRevoked) left--
    }
  }
  await Promise.all(Array.from({ length: REVOKED_AT_ONCE }, work))
  signal?.throwIfAborted()
  return left
}

/** Returns the token sets of all OAuth apps, and the token sets that are waiting to be revoked. */
async function allTokenSets(engine: EngineContext): Promise<readonly TokenSetRecord[]> {
  const { oauthApps, pulls, tokenSets } = engine.store.live
  const found: TokenSetRecord[] = [...(await tokenSets.revoking(Number.MAX_SAFE_INTEGER, null, MOST_WAITING))]
  for (const { teamId, provider } of await oauthApps.list(null)) {
    for (let after: LiveKey | null = null; ; ) {
      const some: readonly LiveConnectionRecord[] = await pulls.list(teamId, provider, after, AT_ONCE)
      for (const { userId } of some) {
        const tokenSet = await tokenSets.find(userId, provider)
        if (tokenSet?.state === 'active') found.push(tokenSet)
      }
      after = some.at(-1) ?? null
      if (some.length < AT_ONCE) break
    }
  }
  return found
}

/**
 * Revokes a token set that is not stored. If the user has a connection to the provider, keeps the access, because the connection may use
 * the same access.
 */
export async function revokeUnstored(
  engine: EngineContext,
  { connector, app }: LiveApp,
  { userId, teamId }: UserRecord,
  tokenSet: TokenSet,
): Promise<void> {
  const { provider } = connector
  const present = (await engine.store.connections.ofUsers([userId])).get(userId)
  if (present?.some(each => each.provider === provider && each.isLive)) return
  await inTime(async signal => {
    const session = openAppSession(engine, { teamId, connector, app, signal })
    await connector.revoke(fixedSession(session, tokenSet))
  })
}

/** Tries once to revoke a token set. Returns whether the token set is finished. */
async function tried(engine: EngineContext, record: TokenSetRecord, signal: AbortSignal | undefined): Promise<boolean> {
  const { tokenSets } = engine.store.live
  try {
    await revoked(engine, record, signal)
  } catch (error) {
    if (signal?.aborted) throw error
    const isEnded = error instanceof ProviderError && ENDED.has(error.kind)
    if (!isEnded && sumOfPauses(record.tries + 1) <= GIVEN_UP_AFTER_MS) {
      await tokenSets.retry(record, engine.wall.now() + pauseAfter(record.tries))
      return false
    }
  }
  await tokenSets.remove(record)
  return true
}

async function revoked(engine: EngineContext, record: TokenSetRecord, signal: AbortSignal | undefined): Promise<void> {
  const { teamId, userId, provider } = record
  const live = await findLiveApp(engine, teamId, provider)
  // the provider accepts no requests without the app's credentials
  if (live === null) return
  // the person has linked again, and some providers revoke all access to an account at once
  if (record.state === 'revoking' && (await engine.store.live.tokenSets.find(userId, provider)) !== null) return
  const { connector, app } = live
  const tokenSet = openTokenSet(engine, record)
  const session = openAppSession(engine, { teamId, connector, app, signal })
  const refresh = record.state === 'revoking' ? refreshRevoking : refreshTokenSet
  const end = async (ended: TokenSet): Promise<void> => {
    const ending = fixedSession(session, ended)
    await removePersonSubscriptions(engine, live, ending)
    await connector.revoke(ending)
  }
  const revokeRefreshed = async (): Promise<void> => {
    const refreshed = await refresh(engine, session, connector, record)
    await end(refreshed.tokenSet)
  }
  if (tokenSet.refreshToken !== null && tokenSet.expiresAt !== null && tokenSet.expiresAt <= session.now()) {
    return revokeRefreshed()
  }
  try {
    await end(tokenSet)
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'access_refused' || tokenSet.refreshToken === null)
      throw error
    await revokeRefreshed()
  }
}

/** Runs work that may fail or take too long, because it is retried later or can be skipped without harm. */
async function inTime(run: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  try {
    await run(AbortSignal.timeout(REVOKE_MS))
  } catch {
    // nothing depends on the outcome
  }
}

function pauseAfter(tries: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 4 ** Math.min(tries, 10))
}

/** Returns the total length of the pauses between this many attempts. */
function sumOfPauses(tries: number): number {
  return Array.from({ length: tries }, (_, i) => pauseAfter(i)).reduce((sum, ms) => sum + ms, 0)
}
