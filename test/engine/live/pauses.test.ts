/** Pauses that providers request: they have a limit, whatever was requested, and a new setup ends them. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { dexcomConnector } from '../../../src/connectors/live/dexcom/connector.ts'
import { googleHealthConnector } from '../../../src/connectors/live/google-health/connector.ts'
import { ouraConnector } from '../../../src/connectors/live/oura/connector.ts'
import { polarConnector } from '../../../src/connectors/live/polar/connector.ts'
import { whoopConnector } from '../../../src/connectors/live/whoop/connector.ts'
import { withingsConnector } from '../../../src/connectors/live/withings/connector.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/core/time.ts'
import { detectFailure } from '../../../src/engine/live/detect-failure.ts'
import { NOON, openHarness } from '../../kit/harness.ts'
import { DAYS } from '../../providers/pulled-connector.ts'
import { openPull, type PullHarness } from './pull-harness.ts'
import { changeConnector } from './pulled-connectors.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('./pulled-connectors.ts'))

const LIMIT_MS = 6 * HOUR_MS
const FAR = Date.parse('2058-01-01T00:00:00Z')

let pulled: PullHarness

beforeEach(async () => {
  changeConnector({})
  pulled = await openPull()
})

/** Milliseconds from now, by the frozen clock. */
async function status() {
  const { providers, connections } = await pulled.live.h.call('provider.status', {})
  const [provider, connection] = [providers[0], connections[0]]
  if (!provider || !connection) throw new Error('nothing is connected')
  const due = connection.collections.map(({ due_at }) => Date.parse(due_at ?? ''))
  return {
    blocked: provider.blocked_until && Date.parse(provider.blocked_until) - pulled.live.h.time.ms,
    nextPull: Date.parse(connection.next_pull_at ?? '') - pulled.live.h.time.ms,
    // several are pulled at once, and the store determines which of them encounters the pause first and is postponed
    putOff: Math.max(...due) - pulled.live.h.time.ms,
  }
}
const refuse = (headers: Record<string, string>, more: object = {}) =>
  pulled.live.fake.fail({ path: /data/, status: 429, headers, times: 100, ...more })

describe('a pause', () => {
  it.each([
    ['years in seconds', { 'retry-after': '999999999' }],
    ['more seconds than there are', { 'retry-after': '9'.repeat(400) }],
    ['years as a date', { 'retry-after': 'Tue, 01 Jan 2058 00:00:00 GMT' }],
    ['7 hours', { 'retry-after': String(7 * 3_600) }],
  ])('of %s lasts 6 hours', async (_name, headers) => {
    refuse(headers)
    expect((await pulled.pull()).failure).toBe('rate_limited')
    expect(await status()).toEqual({ blocked: LIMIT_MS, nextPull: LIMIT_MS, putOff: LIMIT_MS })
  })

  it('of years that a failing provider requests moves the next pull by 6 hours', async () => {
    refuse({ 'retry-after': '999999999' }, { status: 503 })
    expect((await pulled.pull()).failure).toBe('unavailable')
    expect(await status()).toMatchObject({ blocked: null, nextPull: LIMIT_MS })
  })

  it('until a date uses the provider’s clock', async () => {
    refuse({ date: 'Sat, 03 Feb 2035 10:00:00 GMT', 'retry-after': 'Sat, 03 Feb 2035 10:20:00 GMT' })
    await pulled.pull()
    expect(await status()).toMatchObject({ blocked: 20 * MINUTE_MS, nextPull: 20 * MINUTE_MS })
  })

  it.each([
    ['garbage', { 'retry-after': 'soon' }],
    ['a number that is negative', { 'retry-after': '-999999999' }],
    ['nothing', { 'retry-after': '0' }],
    ['a date that is past', { date: new Date(NOON).toUTCString(), 'retry-after': 'Mon, 01 Jan 2001 00:00:00 GMT' }],
    ['a date that is none', { 'retry-after': 'Tue, 99 Foo 2058 00:00:00 GMT' }],
  ])('that is %s is replaced by our own', async (_name, headers) => {
    const began = performance.now()
    pulled.live.h.time.now = () => NOON + Math.ceil(performance.now() - began)
    refuse(headers)
    await pulled.pull()
    const { blocked, nextPull } = await status()
    expect(blocked ?? 0).toBeLessThan(SECOND_MS)
    expect(nextPull).toBeGreaterThanOrEqual(30 * SECOND_MS)
    expect(nextPull).toBeLessThanOrEqual(MINUTE_MS + 10 * SECOND_MS)
  })

  it.each([dexcomConnector, googleHealthConnector, ouraConnector, polarConnector, whoopConnector, withingsConnector])(
    'of $provider lasts 6 hours at most, whatever header requests it',
    connector => {
      const request = { method: 'GET', url: new URL('https://provider.example/data') } as const
      for (const value of ['999999999', '1e300', '9'.repeat(40), '999999999, 999999999', '-1', 'NaN', '']) {
        const headers: Record<string, string> = {
          'retry-after': value,
          'x-ratelimit-reset': value,
          'ratelimit-reset': value,
          'ratelimit-usage': '9, 9',
          'ratelimit-limit': '1, 1',
        }
        const response = { status: 429, header: (name: string) => headers[name] ?? null, text: '{}', json: () => ({}) }
        const asked =
          detectFailure(connector, { request, response, purpose: 'data', isLong: false, now: NOON })?.retryAfterMs ?? 0
        expect(asked, value).toBeGreaterThanOrEqual(0)
        expect(asked, value).toBeLessThanOrEqual(LIMIT_MS)
      }
    },
  )
})

describe('a new setup', () => {
  it.each(['app', 'person'] as const)('ends a pause of the %s, and failed work is due', async scope => {
    changeConnector({ limits: [{ scope, most: 1_000, windowMs: MINUTE_MS }] })
    pulled = await openPull()
    refuse({ 'retry-after': '20000' })
    await pulled.pull()
    pulled.live.fake.forget()
    expect((await status()).nextPull).toBe(20_000 * SECOND_MS)
    // an operator does that in another process
    const other = await openHarness({ dataDir: pulled.live.h.dataDir })
    other.time.ms = pulled.live.h.time.ms
    const { clientId, clientSecret, authorizeUrl, tokenUrl, url } = pulled.live.fake
    const urls = { authorize_url: authorizeUrl, token_url: tokenUrl, api_url: url }
    await other.call('provider.setup', {
      params: { provider: pulled.key.provider },
      body: { client_id: clientId, client_secret: clientSecret, ...urls },
    })
    expect(await status()).toEqual({ blocked: null, nextPull: 0, putOff: 0 })
    await new Promise(resolve => setTimeout(resolve, 2_100))
    await pulled.pull()
    expect(pulled.live.fake.requests.length).toBeGreaterThan(0)
    await other.engine.close()
  })
})

describe('work that was postponed for years before there was a limit', () => {
  it('includes a pause, which is over', async () => {
    const { context, live, key } = pulled
    await context.store.live.budgets.block(live.h.team.teamId, key.provider, null, FAR)
    expect((await status()).blocked).toBeNull()
    expect((await pulled.pull()).outcome).toBe('done')
    // a pause that the provider requests now counts
    refuse({ 'retry-after': '600' })
    live.h.time.ms += DAY_MS
    await pulled.pull()
    expect((await status()).blocked).toBe(600 * SECOND_MS)
  })

  it('is pulled now, even if only one collection was postponed', async () => {
    const { context, key, live } = pulled
    await pulled.pull()
    const put = async (names: readonly string[], dueAt: number) => {
      const record = await context.store.live.pulls.lease(key, { holder: 'x', now: live.h.time.ms, until: FAR })
      const progress = Object.fromEntries(
        Object.entries(record?.progress ?? {}).map(([name, state]) => [
          name,
          names.includes(name) ? { ...state, dueAt: FAR, failures: 1 } : state,
        ]),
      )
      await context.store.live.pulls.note(key, { holder: 'x', progress, dueAt })
      await context.store.live.pulls.release(key, 'x')
    }
    await put([DAYS, 'pulse'], FAR)
    expect((await status()).nextPull).toBeGreaterThan(10 * 365 * DAY_MS)
    await live.h.call('engine.run_due', {})
    expect((await status()).nextPull).toBeLessThanOrEqual(HOUR_MS)
    await put([DAYS], live.h.time.ms)
    await live.h.call('engine.run_due', {})
    expect((await status()).putOff).toBeLessThanOrEqual(HOUR_MS)
  })

  it('includes a notification, which is read now', async () => {
    const { context, live, key } = pulled
    const of = { teamId: live.h.team.teamId, provider: key.provider, notificationId: 'a' }
    const times = { receivedAt: live.h.time.ms, dueAt: FAR, tries: 0 }
    await context.store.live.notifications.add([{ ...of, ...times, sealed: Buffer.from('no longer readable') }])
    await live.h.call('engine.run_due', {})
    expect((await live.h.call('provider.status', {})).providers[0]?.waiting_notifications).toBe(0)
  })
})
