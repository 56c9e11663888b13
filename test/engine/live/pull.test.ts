/** Pulls from a live provider: history, polls, changes, failures, and stops at any point. */
import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/core/time.ts'
import type { EngineContext } from '../../../src/engine/context.ts'
import type { LivePullStore } from '../../../src/store/logic/live/pulls.ts'
import { times } from '../../kit/effort.ts'
import { NOON } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'
import { DAYS, PULSE } from '../../providers/pulled-connector.ts'
import { openPull, type PullHarness } from './pull-harness.ts'
import { changeConnector } from './pulled-connectors.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('./pulled-connectors.ts'))

let pulled: PullHarness

beforeEach(async () => {
  changeConnector({})
  pulled = await openPull()
})

const dataRequests = () => pulled.live.fake.requests.filter(({ path }) => path.startsWith('/data/'))
const connection = async () =>
  (await pulled.live.h.call('user.providers', { params: { user_id: pulled.key.userId } })).providers[0]
const progress = async () => (await pulled.context.store.live.pulls.find(pulled.key))?.progress ?? {}

function fill(items: PullHarness['items'], everyMs: number, count: number): void {
  for (let i = 0; i < count; i++) {
    items.put(DAYS, `d${i}`, NOON - MINUTE_MS - i * everyMs, 100 + i)
    items.put(PULSE, `p${i}`, NOON - MINUTE_MS - i * everyMs, 60 + (i % 40))
  }
}

describe('the history of a new connection', () => {
  it('is pulled in windows, newest first, and announced once for each resource', async () => {
    fill(pulled.items, 12 * HOUR_MS, 50)
    expect(await pulled.pull()).toMatchObject({ outcome: 'done', failure: null })
    expect(await pulled.stored()).toEqual(pulled.items.samples())
    const windows = dataRequests()
      .filter(({ path, query }) => path === '/data/days' && query.get('page') === '0')
      .map(({ query }) => [(NOON - Number(query.get('to'))) / DAY_MS, (NOON - Number(query.get('from'))) / DAY_MS])
    expect(windows).toEqual([
      [0, 10],
      [10, 20],
      [20, 30],
    ])
    const types = await pulled.events()
    expect(types.filter(type => type.startsWith('daily.'))).toEqual([])
    expect(types.filter(type => type.startsWith('historical.')).sort()).toEqual([
      'historical.data.heartrate.created',
      'historical.data.steps.created',
    ])
    expect(await pulled.pull()).toMatchObject({ outcome: 'done', received: 0 })
  })

  it('ends without a limit after empty windows', async () => {
    pulled.items.put(PULSE, 'p', NOON - 95 * DAY_MS, 60)
    pulled.items.put(PULSE, 'q', NOON - 15 * DAY_MS, 60)
    await pulled.pull()
    expect((await pulled.stored()).length).toBe(1)
    expect((await progress())[PULSE]).toMatchObject({ isComplete: true, empty: 2, reached: NOON - 40 * DAY_MS })
  })

  it('respects the user’s ingestion bounds, and requests nothing before them', async () => {
    await pulled.live.h.call('user.patch', {
      params: { user_id: pulled.key.userId },
      body: { ingestion_start: '2026-11-15' },
    })
    fill(pulled.items, DAY_MS, 20)
    await pulled.pull()
    const oldest = Math.min(...dataRequests().map(({ query }) => Number(query.get('from'))))
    expect(oldest).toBeGreaterThan(NOON - 9 * DAY_MS)
    expect((await pulled.stored()).every(line => Number(line.split(' ')[1]) >= Date.UTC(2026, 10, 14))).toBe(true)
  })

  it('leaves out resources that the person did not grant', async () => {
    await pulled.live.h.call('user.disconnect', {
      params: { user_id: pulled.key.userId, provider: pulled.key.provider },
    })
    pulled.live.fake.consent = { scopes: ['daily'] }
    await pulled.live.link()
    pulled.live.fake.forget()
    fill(pulled.items, DAY_MS, 5)
    await pulled.pull()
    expect([...new Set(dataRequests().map(({ path }) => path))]).toEqual(['/data/days'])
  })
})

describe('a poll', () => {
  beforeEach(async () => {
    fill(pulled.items, DAY_MS, 10)
    await pulled.pull()
    pulled.live.fake.forget()
  })

  it('runs at the provider’s interval, and overlaps the last one', async () => {
    const { time } = pulled.live.h
    time.ms = NOON + HOUR_MS / 2
    await pulled.pull()
    expect(dataRequests()).toEqual([])
    time.ms = NOON + 2 * HOUR_MS
    pulled.items.put(DAYS, 'new', NOON + HOUR_MS, 7)
    pulled.items.put(DAYS, 'late', NOON - DAY_MS - HOUR_MS, 8)
    pulled.items.put(DAYS, 'd0', NOON - MINUTE_MS, 999)
    await pulled.pull()
    expect(await pulled.stored()).toEqual(pulled.items.samples())
    expect(dataRequests().every(({ query }) => Number(query.get('from')) === NOON - 2 * DAY_MS)).toBe(true)
    expect(await pulled.events()).toContain('daily.data.steps.created')
  })

  it('moves a record whose time changed, leaving nothing behind', async () => {
    pulled.live.h.time.ms = NOON + 2 * HOUR_MS
    pulled.items.put(DAYS, 'd0', NOON - 2 * HOUR_MS, 100)
    await pulled.pull()
    expect(await pulled.stored()).toEqual(pulled.items.samples())
  })
})

describe('a failure', () => {
  const runClock = (): void => {
    const began = performance.now()
    pulled.live.h.time.now = () => NOON + Math.floor(performance.now() - began)
  }

  it('that is temporary is retried, and has no visible effect', async () => {
    fill(pulled.items, DAY_MS, 10)
    const { fake } = pulled.live
    fake.fail({ path: /data/, status: 503 })
    fake.fail({ path: /data/, reset: 'before' })
    fake.fail({ path: /data/, body: '<!doctype html><p>Back soon', headers: { 'content-type': 'text/html' } })
    expect(await pulled.pull()).toMatchObject({ outcome: 'done', failure: null })
    expect(await pulled.stored()).toEqual(pulled.items.samples())
  })

  it('that lasts is recorded without values, and the pull is due again later', async () => {
    pulled.live.fake.fail({ path: /data/, status: 500, times: 100, body: { secret: 'canary' } })
    expect(await pulled.pull()).toMatchObject({ outcome: 'unfinished', failure: 'unavailable' })
    const noted = Object.values(await progress()).find(({ failures }) => failures > 0)
    expect(noted).toMatchObject({
      failures: 1,
      lastError: { kind: 'unavailable', message: 'garmin responded with 500.' },
    })
    expect((await pulled.context.store.live.pulls.find(pulled.key))?.dueAt).toBeGreaterThan(NOON + 20_000)
    expect(await connection()).toMatchObject({ status: 'connected' })
    expect(await pulled.context.store.live.pulls.due(NOON, null, 10)).toEqual([])
  })

  it('of one collection does not delay the others', async () => {
    fill(pulled.items, DAY_MS, 10)
    pulled.live.fake.fail({ path: /days/, body: '{"data": [', times: 1 })
    expect(await pulled.pull()).toMatchObject({ outcome: 'unfinished', failure: 'bad_answer' })
    expect((await pulled.stored()).every(line => line.startsWith('heartrate'))).toBe(true)
    expect((await pulled.stored()).length).toBe(10)
  })

  it('with Retry-After prevents all requests until then', async () => {
    runClock()
    fill(pulled.items, DAY_MS, 3)
    pulled.live.fake.fail({ path: /data/, status: 429, headers: { 'retry-after': '1' } })
    expect(await pulled.pull()).toMatchObject({ outcome: 'done' })
    const [first, ...others] = dataRequests()
    const early = others.filter(({ at }) => at - (first?.at ?? 0) < 950)
    // the other collection may have been requested at the same time as the refused one
    expect(early.length).toBeLessThanOrEqual(1)
    expect(others.length).toBeGreaterThan(early.length)
  })

  it('with a long Retry-After ends the pull until then', async () => {
    pulled.live.fake.fail({ path: /data/, status: 429, headers: { 'retry-after': '7200' } })
    expect(await pulled.pull()).toMatchObject({ outcome: 'unfinished', failure: 'rate_limited' })
    expect((await pulled.context.store.live.pulls.find(pulled.key))?.dueAt).toBeGreaterThanOrEqual(NOON + 2 * HOUR_MS)
  })

  it('to respond in time ends the request', async () => {
    changeConnector({ responseTimeoutMs: 30 })
    pulled.live.fake.fail({ path: /data/, delayMs: 300, times: 9 })
    expect(await pulled.pull()).toMatchObject({ failure: 'unavailable' })
    expect(Object.values(await progress()).map(({ lastError }) => lastError?.message)).toContain(
      'garmin did not respond: no response within 0.03 s.',
    )
  })

  it('of the access token causes one token refresh, and the pull continues', async () => {
    fill(pulled.items, DAY_MS, 3)
    const [tokenSet] = pulled.live.fake.tokenSets
    if (tokenSet) tokenSet.accessToken = 'changed'
    expect(await pulled.pull()).toMatchObject({ outcome: 'done' })
    expect(tokenSet?.refreshes).toBe(1)
    expect(await pulled.stored()).toEqual(pulled.items.samples())
  })

  it('that only the person can resolve sets the connection to error, and requests stop', async () => {
    const [tokenSet] = pulled.live.fake.tokenSets
    if (tokenSet) tokenSet.isRevoked = true
    expect(await pulled.pull()).toMatchObject({ outcome: 'failed', failure: 'grant_lost' })
    expect(await connection()).toMatchObject({ status: 'error', error_details: { error_type: 'token_refresh_failed' } })
    expect(await pulled.events()).toContain('provider.connection.error')
    expect(await pulled.context.store.live.pulls.due(NOON + 100 * DAY_MS, null, 10)).toEqual([])
    expect(await pulled.pull()).toMatchObject({ outcome: 'none' })
  })

  it('for a missing scope skips the collection; if all are refused, the connection is in error', async () => {
    fill(pulled.items, DAY_MS, 3)
    pulled.live.fake.fail({ path: /days/, status: 403 })
    expect(await pulled.pull()).toMatchObject({ outcome: 'unfinished', failure: 'scope_missing' })
    expect(await connection()).toMatchObject({ status: 'connected' })
    expect(await pulled.events()).toContain('historical.data.heartrate.created')
    pulled.live.fake.fail({ path: /data/, status: 403, times: 10 })
    await pulled.context.store.live.pulls.hasten(pulled.key, null, NOON)
    expect(await pulled.pull()).toMatchObject({ outcome: 'failed' })
    expect(await connection()).toMatchObject({ error_details: { error_type: 'required_scopes_not_granted' } })
  })
})

/** Returns an engine with other methods for the store of pulls. */
function withPulls(context: EngineContext, methods: Partial<LivePullStore>): EngineContext {
  const { live } = context.store
  const pulls: LivePullStore = Object.assign(Object.create(live.pulls), methods)
  const store = Object.assign(Object.create(context.store), { live: { ...live, pulls } })
  return { ...context, store }
}

describe('a stop at any point', () => {
  /** Fails at the n-th write of a pull: before it, or after it took effect. */
  function killedAt(context: EngineContext, n: number, isAfter: boolean): EngineContext {
    let count = 0
    const killing = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        const isHere = count++ === n
        if (isHere && !isAfter) throw new Error('killed')
        const result = await call(...args)
        if (isHere) throw new Error('killed')
        return result
      }
    }
    const { pulls } = context.store.live
    return withPulls(context, {
      bring: killing((...args: Parameters<LivePullStore['bring']>) => pulls.bring(...args)),
      note: killing((...args: Parameters<LivePullStore['note']>) => pulls.note(...args)),
    })
  }

  it('loses nothing, repeats nothing and announces each resource once', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(8), fc.boolean()), { maxLength: 4 }),
        fc.array(fc.constantFrom(500, 429, 0), { maxLength: 5 }),
        fc.boolean(),
        async (kills, faults, isEnded) => {
          pulled = await openPull()
          const { time } = pulled.live.h
          fill(pulled.items, 18 * HOUR_MS, 30)
          const [tokenSet] = pulled.live.fake.tokenSets
          if (isEnded && tokenSet) tokenSet.accessToken = 'ended'
          for (const status of faults) {
            if (status === 0) pulled.live.fake.fail({ path: /data/, body: 'no json' })
            else pulled.live.fake.fail({ path: /data/, status, headers: { 'retry-after': '0' } })
          }
          for (const [n, isAfter] of kills) {
            const engine = killedAt(pulled.context, n, isAfter)
            await pulled.pull({ engine, holder: `killed ${run++}` }).catch(error => {
              if (error.message !== 'killed') throw error
            })
            time.ms += 2 * MINUTE_MS
          }
          for (let i = 0; i < 10; i++) {
            time.ms += 20 * MINUTE_MS
            await pulled.pull({ holder: `last ${run++}` })
          }
          expect(await pulled.stored()).toEqual(pulled.items.samples())
          const announced = (await pulled.events()).filter(type => type.startsWith('historical.'))
          expect(announced.sort()).toEqual(['historical.data.heartrate.created', 'historical.data.steps.created'])
        },
      ),
      { seed, numRuns: times(15) },
    )
  })

  it('by a signal frees the lease at once, and leaves the rest due', async () => {
    fill(pulled.items, DAY_MS, 20)
    const controller = new AbortController()
    pulled.live.fake.fail({ path: /data/, delayMs: 500, times: 10 })
    const running = pulled.pull({ signal: controller.signal })
    setTimeout(() => controller.abort(new Error('stop')), 50)
    expect(await running).toMatchObject({ outcome: 'unfinished' })
    expect((await pulled.context.store.live.pulls.find(pulled.key))?.leasedBy).toBeNull()
    expect(await pulled.context.store.live.pulls.due(NOON, null, 10)).toHaveLength(1)
  })

  it('of a process does not let two processes pull at once', async () => {
    fill(pulled.items, DAY_MS, 2)
    let ended = 0
    let release = () => {}
    const othersEnded = new Promise<void>(resolve => {
      release = resolve
    })
    const { pulls } = pulled.context.store.live
    const engine = withPulls(pulled.context, {
      async bring(...args) {
        await othersEnded
        return pulls.bring(...args)
      },
    })
    const pull = async (holder: string) => {
      const { outcome } = await pulled.pull({ engine, holder })
      if (++ended === 2) release()
      return outcome
    }
    expect((await Promise.all(['a', 'b', 'c'].map(pull))).sort()).toEqual(['busy', 'busy', 'done'])
  })
})
