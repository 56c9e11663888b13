/**
 * Refreshes of one token set by several processes on two nodes whose clocks differ by ten minutes. Some are stopped at any step, at a
 * provider that fails now and then: no refresh token is used twice, and no token set is lost, unless the only response with the next one
 * was lost.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../../src/core/time.ts'
import type { EngineContext } from '../../../src/engine/context.ts'
import { findLiveApp } from '../../../src/engine/live/oauth-apps/live-app.ts'
import { currentTokenSet, type HeldTokenSet, refreshTokenSet } from '../../../src/engine/live/token-sets.ts'
import type { TokenSetStore } from '../../../src/store/logic/live/token-sets.ts'
import { times } from '../../kit/effort.ts'
import { openHarness } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'
import { TEST_PROVIDER, testConnector } from '../../providers/test-connector.ts'
import { type LiveHarness, openLive } from './live-harness.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('./live-connectors.ts'))

/** Where a process is stopped: before or after it has the lease, and before or after the next token set is stored. */
const STOPS = ['unleased', 'leased', 'unstored', 'stored'] as const
type Stop = (typeof STOPS)[number]
const FAULTS = ['none', 'none', 'slow', 'reset before', 'reset after', 'unavailable'] as const

const refreshes = fc.array(
  fc.record({
    fault: fc.constantFrom(...FAULTS),
    processes: fc.array(fc.option(fc.constantFrom(...STOPS), { nil: null, freq: 2 }), { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 4 },
)

let live: LiveHarness
let engines: readonly EngineContext[]
/** The number of processes that are not stopped and have or request a lease. */
let working = 0
let ticking: NodeJS.Timeout

beforeAll(async () => {
  live = await openLive()
  const other = (await openHarness({ dataDir: live.h.dataDir })).engine.context
  const { time } = live.h
  const elapsed = () => time.now()
  engines = [
    { ...live.h.engine.context, wall: { now: () => time.now(), elapsed } },
    { ...other, time, wall: { now: () => time.now() + 10 * MINUTE_MS, elapsed } },
  ]
  // time passes while all work belongs to stopped processes
  ticking = setInterval(() => {
    if (working === 0) time.ms += 5_000
  }, 5)
})
afterAll(() => clearInterval(ticking))

it('never use a refresh token twice, and keep the token set', async () => {
  let users = 0
  await fc.assert(
    fc.asyncProperty(refreshes, async rounds => {
      const { user_id } = await live.h.call('user.create', { body: { client_user_id: `person-${users++}` } })
      live.fake.forget()
      await live.link(await live.newToken(user_id))
      const key = { userId: user_id, provider: TEST_PROVIDER }
      const issued = live.fake.tokenSets.at(-1)
      const reusesBefore = live.fake.reuses
      let isResponseLost = false
      for (const { fault, processes } of rounds) {
        const held = await currentTokenSet(engines[0] as EngineContext, key)
        prepare(fault)
        const before = issued?.refreshes ?? 0
        const ends = await Promise.all(
          processes.map((stop, i) => refreshedBy(engines[i % 2] as EngineContext, held, stop)),
        )
        // consumes a failure that no process encountered
        await fetch(live.fake.tokenUrl, { method: 'POST' }).catch(() => {})
        // a process that is stopped with the lease keeps it until it expires
        live.h.time.ms += HOUR_MS
        const stored = await currentTokenSet(engines[0] as EngineContext, key)
        const refreshed = (issued?.refreshes ?? 0) - before
        expect(refreshed, 'at most one renewal is not known here').toBeLessThanOrEqual(stored.rev - held.rev + 1)
        if (refreshed > stored.rev - held.rev) isResponseLost = true
        expect(isResponseLost && !ends.includes('unstored') && fault !== 'reset after').toBe(false)
        if (isResponseLost) break
        expect(stored.tokenSet.refreshToken).toBe(issued?.refreshToken)
      }
      if (isResponseLost) return
      expect(live.fake.reuses).toBe(reusesBefore)
      const last = await currentTokenSet(engines[0] as EngineContext, key)
      expect(await refreshedBy(engines[1] as EngineContext, last, null)).toBe('renewed')
    }),
    { seed, numRuns: times(15), endOnFailure: true },
  )
})

function prepare(fault: (typeof FAULTS)[number]): void {
  if (fault === 'slow') live.fake.fail({ path: /token/, delayMs: 60 })
  if (fault === 'reset before') live.fake.fail({ path: /token/, reset: 'before' })
  if (fault === 'reset after') live.fake.fail({ path: /token/, reset: 'after' })
  if (fault === 'unavailable') live.fake.fail({ path: /token/, status: 503 })
}

/** Refreshes the token set as a process that may be stopped. Returns where it was stopped, `renewed` or `failed`. */
async function refreshedBy(
  engine: EngineContext,
  held: HeldTokenSet,
  stop: Stop | null,
): Promise<Stop | 'renewed' | 'failed'> {
  const oauthApp = await findLiveApp(engine, live.h.team.teamId, TEST_PROVIDER)
  if (!oauthApp) throw new Error('the provider is not set up')
  let stopAt: (at: Stop) => void = () => {}
  const stopped = new Promise<Stop>(resolve => {
    stopAt = resolve
  })
  const within = stopping(engine, stop, stopAt)
  const refreshing = refreshTokenSet(within, { app: oauthApp.app, signal: undefined }, testConnector, held).then(
    () => 'renewed' as const,
    () => 'failed' as const,
  )
  return Promise.race([refreshing, stopped])
}

/** Returns an engine that stops at this step, as if its process had been killed. */
function stopping(engine: EngineContext, stop: Stop | null, stopped: (at: Stop) => void): EngineContext {
  const { tokenSets } = engine.store.live
  const never = <T>(at: Stop): Promise<T> => {
    stopped(at)
    return new Promise<T>(() => {})
  }
  const done = <T>(promise: Promise<T>, isDone: (result: T) => boolean = () => true): Promise<T> =>
    promise.then(result => {
      if (isDone(result)) working--
      return result
    })
  const lease: TokenSetStore['lease'] = async (key, asked) => {
    if (stop === 'unleased') return never(stop)
    working++
    const has = await done(tokenSets.lease(key, asked), isLeased => !isLeased || stop === 'leased')
    return has && stop === 'leased' ? never(stop) : has
  }
  const refresh: TokenSetStore['refresh'] = async (key, refreshed) => {
    if (stop === 'unstored') {
      working--
      return never(stop)
    }
    const has = await done(tokenSets.refresh(key, refreshed))
    return stop === 'stored' ? never(stop) : has
  }
  const release: TokenSetStore['release'] = (key, holder) => done(tokenSets.release(key, holder))
  const killed = Object.assign(Object.create(tokenSets) as TokenSetStore, { lease, refresh, release })
  const store = Object.assign(Object.create(engine.store) as EngineContext['store'], {
    live: Object.assign(Object.create(engine.store.live) as EngineContext['store']['live'], { tokenSets: killed }),
  })
  return { ...engine, store }
}
