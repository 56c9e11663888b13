/**
 * Stores the token sets of live connections, and refreshes them. Several providers revoke a token set whose refresh token is used twice.
 * Therefore, only one process at a time refreshes a token set, under a lease in the store, and the new pair is durable before its first
 * use.
 *
 * The clocks of processes differ, so times from different processes are never compared. A holder sends nothing after its lease has ended by
 * its own monotonic clock. Another process takes over a lease only after it has seen the same lease for a full lease period by its own
 * monotonic clock. The holder acquired the lease before that period, so it has stopped sending.
 *
 * A refused refresh token is deleted in the transaction that ends the lease, so no process sends it again.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Connector } from '../../connectors/connector.ts'
import type { LiveConnector } from '../../connectors/live/live-connector.ts'
import { type AppSession, ProviderError, type ProviderErrorKind } from '../../connectors/provider-session.ts'
import type { TokenSet } from '../../connectors/token-set.ts'
import { SECOND_MS } from '../../core/time.ts'
import type { LiveKey } from '../../store/live/connections.ts'
import type { TokenSetKey, TokenSetRecord } from '../../store/live/token-sets.ts'
import type { EngineContext } from '../context.ts'
import { openTokenSet, sealTokenSet } from './sealed-token-set.ts'
import { openAppSession } from './session.ts'

/** A connection's current token set. `rev` counts the refreshes. */
export interface HeldTokenSet extends TokenSetKey {
  readonly rev: number
  readonly tokenSet: TokenSet
}

export type StaleTokenSet = Pick<HeldTokenSet, keyof TokenSetKey | 'rev'>

/** How much longer a refresh may take than one provider response, to allow for the provider's limits and pauses. */
const MARGIN_MS = 30 * SECOND_MS
/** How much longer the lease lasts than the refresh, so that there is time to store the new pair. */
const STORING_MS = 30 * SECOND_MS
/** How often the store is polled for another process's result. */
const POLL_MS = 50
const RETRY_MS = 200

/** Failures after which a provider never accepts the refresh token again. */
const REFUSALS: ReadonlySet<ProviderErrorKind> = new Set(['grant_lost', 'code_refused', 'access_refused'])

/** Returns a connection's token set. Throws ProviderError `grant_lost` if no token set can be used here. */
export async function currentTokenSet(engine: EngineContext, key: LiveKey): Promise<HeldTokenSet> {
  const record = await engine.store.live.tokenSets.find(key.userId, key.provider)
  if (record === null) throw lost('This connection has no stored tokens, because it was restored or copied.')
  return held(engine, record)
}

/**
 * Returns the token set that replaces a stale one. It was refreshed here, or by another process in the meantime. Throws ProviderError
 * `grant_lost` if only the person can resolve the problem, and `unavailable` if another process takes too long.
 */
export function refreshTokenSet(
  engine: EngineContext,
  session: Pick<AppSession, 'app' | 'signal'>,
  connector: LiveConnector,
  stale: StaleTokenSet,
): Promise<HeldTokenSet> {
  const { tokenSets } = engine.store.live
  return refreshStored(engine, session, connector, stale, () => tokenSets.find(stale.userId, stale.provider))
}

/** Refreshes a token set that is waiting to be revoked, in the same way as `refreshTokenSet`. */
export function refreshRevoking(
  engine: EngineContext,
  session: Pick<AppSession, 'app' | 'signal'>,
  connector: LiveConnector,
  stale: StaleTokenSet,
): Promise<HeldTokenSet> {
  return refreshStored(engine, session, connector, stale, async () => {
    const waiting = await engine.store.live.tokenSets.revoking(Number.MAX_SAFE_INTEGER, [stale.userId], 100)
    return waiting.find(each => each.provider === stale.provider && each.grantId === stale.grantId) ?? null
  })
}

async function refreshStored(
  engine: EngineContext,
  { app, signal }: Pick<AppSession, 'app' | 'signal'>,
  connector: LiveConnector,
  stale: StaleTokenSet,
  read: () => Promise<TokenSetRecord | null>,
): Promise<HeldTokenSet> {
  const holder = randomUUID()
  const refreshMs = connector.responseTimeoutMs + MARGIN_MS
  const leaseMs = refreshMs + STORING_MS
  const elapsed = (): number => engine.wall.elapsed?.() ?? engine.wall.now()
  let seen = { holder: '', since: 0 }
  for (let waitedMs = 0; waitedMs <= leaseMs + STORING_MS; waitedMs += POLL_MS) {
    const record = await read()
    if (record === null || record.grantId !== stale.grantId) throw lost('The connection was removed or linked again.')
    if (record.rev !== stale.rev) return held(engine, record)
    const { tokenSet } = held(engine, record)
    if (tokenSet.refreshToken === null)
      throw lost('The access has ended, and the provider does not offer a token refresh.')
    const { leasedBy } = record
    if (leasedBy !== null && leasedBy !== seen.holder) seen = { holder: leasedBy, since: elapsed() }
    const began = elapsed()
    const isOver = leasedBy !== null && began - seen.since >= leaseMs
    if (leasedBy === null || isOver) {
      const now = engine.wall.now()
      const lease = { rev: record.rev, holder, insteadOf: leasedBy, now, until: now + leaseMs }
      const isLeased = await engine.store.live.tokenSets.lease(record, lease)
      const leftMs = refreshMs - (elapsed() - began)
      if (isLeased && leftMs > 0) {
        // do not abort the request if the caller disconnects: from now on, only the token pair in the response is valid
        const ending = AbortSignal.timeout(Math.ceil(leftMs))
        const session = openAppSession(engine, { teamId: record.teamId, connector, app, signal: ending })
        return refreshed(engine, { record, tokenSet, holder, connector, session, read })
      }
      // the store took so long that another process may take over the lease
      if (isLeased) await engine.store.live.tokenSets.release(record, holder)
    }
    await pause(POLL_MS, undefined, signal ? { signal } : {})
  }
  throw new ProviderError('unavailable', 'Another process has been refreshing the tokens for too long.')
}

interface TokenRefresh {
  readonly record: TokenSetRecord
  readonly tokenSet: TokenSet
  readonly holder: string
  readonly connector: Connector
  readonly session: AppSession
  readonly read: () => Promise<TokenSetRecord | null>
}

async function refreshed(engine: EngineContext, refresh: TokenRefresh): Promise<HeldTokenSet> {
  const { record, tokenSet, holder, connector, session, read } = refresh
  let next: TokenSet
  try {
    next = await connector.refresh(session, tokenSet)
  } catch (error) {
    const isRefused = error instanceof ProviderError && REFUSALS.has(error.kind)
    const { tokenSets } = engine.store.live
    if (!isRefused) {
      await tokenSets.release(record, holder).catch(() => {})
      throw error instanceof ProviderError ? error : interrupted(error)
    }
    const left = sealTokenSet(engine, record, { ...tokenSet, refreshToken: null })
    // if the lease were not released, the next refresh would be refused too
    await patiently(() => tokenSets.release(record, holder, left)).catch(() => {})
    // if this process was suspended, the lease may have ended and another process may have refreshed the token set
    const latest = await read()
    if (latest && latest.grantId === record.grantId && latest.rev !== record.rev) return held(engine, latest)
    throw lost('The provider refused to refresh the tokens.', error)
  }
  if (await stored(engine, refresh, next)) return { ...pickKey(record), rev: record.rev + 1, tokenSet: next }
  const latest = await read()
  if (latest && latest.grantId === record.grantId && latest.rev !== record.rev) return held(engine, latest)
  throw lost('The connection was removed or linked again during the token refresh.')
}

/** Stores the next token pair. */
function stored(engine: EngineContext, { record }: TokenRefresh, next: TokenSet): Promise<boolean> {
  const sealed = { ...sealTokenSet(engine, record, next), rev: record.rev }
  return patiently(() => engine.store.live.tokenSets.refresh(record, sealed))
}

/** Stores the provider's decision, which the provider sends only once. Therefore, retries the write if the store is busy. */
async function patiently<T>(store: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    try {
      return await store()
    } catch (error) {
      if (waitedMs >= STORING_MS) throw error
      await pause(RETRY_MS)
    }
  }
}

function held(engine: EngineContext, record: TokenSetRecord): HeldTokenSet {
  return { ...pickKey(record), rev: record.rev, tokenSet: openTokenSet(engine, record) }
}

function pickKey({ userId, provider, grantId }: TokenSetKey): TokenSetKey {
  return { userId, provider, grantId }
}

function lost(message: string, cause?: unknown): ProviderError {
  return new ProviderError('grant_lost', message, cause === undefined ? {} : { cause })
}

/** Returns the error for a refresh that took too long and whose outcome is unknown. The next attempt uses the same refresh token. */
function interrupted(cause: unknown): unknown {
  const isLate = cause instanceof Error && (cause.name === 'TimeoutError' || cause.name === 'AbortError')
  return isLate
    ? new ProviderError('unavailable', 'The provider took too long to refresh the tokens.', { cause })
    : cause
}
