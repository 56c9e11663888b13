/** Sessions with a live provider: budgets over several processes, response sizes, and retries. */
import { PassThrough } from 'node:stream'
import { deflateSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { RequestLimit } from '../../../src/connectors/live/live-connector.ts'
import { PAGE_LIMITS } from '../../../src/connectors/live/response-limits.ts'
import type { ProviderError, ProviderRequest } from '../../../src/connectors/provider-session.ts'
import { MINUTE_MS } from '../../../src/core/time.ts'
import type { EngineContext } from '../../../src/engine/context.ts'
import { findLiveApp } from '../../../src/engine/live/oauth-apps/live-app.ts'
import { openTokenSession } from '../../../src/engine/live/person-session.ts'
import { readResponseBody } from '../../../src/engine/live/responses/body.ts'
import { openAppSession } from '../../../src/engine/live/session.ts'
import { NOON, openHarness } from '../../kit/harness.ts'
import { until } from '../../kit/until.ts'
import { pulledConnector } from '../../providers/pulled-connector.ts'
import { openPull, PACE, type PullHarness } from './pull-harness.ts'
import { changeConnector } from './pulled-connectors.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('./pulled-connectors.ts'))

let pulled: PullHarness

beforeEach(async () => {
  changeConnector({})
  pulled = await openPull()
  pulled.live.fake.forget()
})

const get = (path = '/data/days', more: Partial<ProviderRequest> = {}): ProviderRequest => ({
  method: 'GET',
  url: new URL(pulled.live.fake.url + path),
  ...more,
})
const catchFailure = (run: Promise<unknown>): Promise<ProviderError> =>
  run.then(
    () => Promise.reject(new Error('it did not fail')),
    error => error,
  )

async function session(engine: EngineContext = pulled.context, limits: readonly RequestLimit[] = []) {
  const oauthApp = await findLiveApp(engine, pulled.live.h.team.teamId, pulled.key.provider)
  if (!oauthApp) throw new Error('nothing is set up')
  const connector = { ...pulledConnector, limits }
  const options = {
    teamId: oauthApp.oauthApp.teamId,
    userId: pulled.key.userId,
    connector,
    app: oauthApp.app,
    pace: PACE,
  }
  return openTokenSession(engine, options)
}

describe('the budget of a provider', () => {
  it.each(['app', 'person'] as const)('of the %s is never exceeded by two processes together', async scope => {
    const limits = [{ scope, most: 10, windowMs: 1_000 }]
    changeConnector({ limits })
    pulled = await openPull()
    pulled.live.fake.forget()
    const began = performance.now()
    const now = (): number => NOON + Math.floor(performance.now() - began)
    const { h } = pulled.live
    h.time.now = now
    const other = await openHarness({ dataDir: h.dataDir })
    other.time.now = now
    const sessions = [await session(h.engine.context, limits), await session(other.engine.context, limits)]
    await Promise.all(Array.from({ length: 30 }, (_, i) => sessions[i % 2]?.send(get())))
    expect(pulled.live.fake.requests).toHaveLength(30)
    expect(pulled.live.fake.mostWithin(1_000)).toBeLessThanOrEqual(10)
    await other.engine.close()
  })

  it('is shown, with all requests sent', async () => {
    changeConnector({ limits: [{ scope: 'app', most: 50, windowMs: 60_000 }] })
    pulled = await openPull()
    await pulled.pull()
    const sent = pulled.live.fake.requests.filter(({ path }) => path !== '/authorize')
    const { providers } = await pulled.live.h.call('provider.status', {})
    const [limit] = providers[0]?.limits ?? []
    expect(limit).toMatchObject({ most: 50, window_seconds: 60 })
    // permits are taken in batches
    expect(limit?.used).toBeGreaterThanOrEqual(sent.length)
    expect(limit?.used).toBeLessThanOrEqual(sent.length * 2)
  })
})

describe('a response', () => {
  it('can be compressed', async () => {
    const body = gzipSync('{"a":1}')
    pulled.live.fake.fail({ body, headers: { 'content-encoding': 'gzip' } })
    expect((await (await session()).send(get())).json()).toEqual({ a: 1 })
  })

  it('of more than 32 MiB is not read, compressed or not', async () => {
    const { fake } = pulled.live
    const big = Buffer.alloc(33 * 1024 * 1024, 0x20)
    fake.fail({ body: big })
    fake.fail({ body: gzipSync(big), headers: { 'content-encoding': 'gzip' } })
    const open = await session()
    for (let i = 0; i < 2; i++) expect(await catchFailure(open.send(get()))).toMatchObject({ kind: 'bad_answer' })
  })

  it('that never ends is dropped when its provider fills the memory, and other responses continue', async () => {
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const arriving = (share: string, mib: number) => {
      const body = new PassThrough()
      const options = { provider: 'p', share, status: 200, headers: {}, limits: PAGE_LIMITS }
      const read = readResponseBody(body, options).catch((error: ProviderError) => error)
      for (let i = 0; i < mib; i++) body.write(piece)
      return { body, read, isOver: () => body.destroyed }
    }
    const other = arriving('b p', 30)
    await until(() => other.body.readableLength === 0)
    const greedy = Array.from({ length: 20 }, () => arriving('a p', 30))
    await until(() => greedy.every(({ body, isOver }) => isOver() || body.readableLength === 0))
    const [over, left] = [greedy.filter(each => each.isOver()), greedy.filter(each => !each.isOver())]
    // 600 MiB in 256 MiB, in addition to 30 of another provider
    expect(over.length).toBeGreaterThanOrEqual(13)
    for (const { read } of over) expect(await read).toMatchObject({ kind: 'unavailable' })
    expect(left.length).toBeGreaterThan(0)
    for (const { body, read } of [...left, other]) {
      body.end()
      expect(await read).toHaveLength(30 * 1024 * 1024)
    }
  })

  const packed = gzipSync('{"a":1}')
  const headers = { 'content-encoding': 'gzip' }

  it('that is marked as compressed can be empty', async () => {
    pulled.live.fake.fail({ body: '', headers })
    expect((await (await session()).send(get())).text).toBe('')
  })

  it.each([
    ['half of it', packed.subarray(0, 15)],
    ['garbage after it', Buffer.concat([packed, Buffer.alloc(1_000, 'x')])],
    ['deflated bytes', deflateSync('{"a":1}')],
  ])('that is marked as compressed is refused with %s', async (_name, body) => {
    pulled.live.fake.fail({ body, headers })
    expect(await catchFailure((await session()).send(get()))).toMatchObject({ kind: 'bad_answer' })
  })

  it.each([
    [400, 'bad_request'],
    [403, 'scope_missing'],
    [404, 'not_found'],
    [418, 'bad_request'],
    [302, 'bad_answer'],
    [501, 'unavailable'],
  ])('with status %i is %s, and reveals nothing about the person', async (status, kind) => {
    const headers = { location: 'http://127.0.0.1:1/elsewhere' }
    pulled.live.fake.fail({ status, times: 9, body: 'canary', headers })
    const failure = await catchFailure((await session()).send(get('/data/days?token=canary')))
    expect(failure).toMatchObject({ kind, status })
    expect(JSON.stringify([failure.message, failure])).not.toContain('canary')
  })

  it('that the connector accepts is not a failure', async () => {
    pulled.live.fake.fail({ status: 404, body: 'gone' })
    expect((await (await session()).send(get('/x', { accepted: [404] }))).text).toBe('gone')
  })
})

describe('a request', () => {
  it('that may have an effect is not repeated after a failure', async () => {
    pulled.live.fake.fail({ reset: 'after' })
    const failure = await catchFailure((await session()).send(get('/data/days', { method: 'POST', json: { a: 1 } })))
    expect(failure.kind).toBe('unavailable')
    expect(pulled.live.fake.requests).toHaveLength(1)
  })

  it('is given up after several attempts', async () => {
    pulled.live.fake.fail({ status: 503, times: 20 })
    expect(await catchFailure((await session()).send(get()))).toMatchObject({ kind: 'unavailable' })
    expect(pulled.live.fake.requests).toHaveLength(PACE.tries)
  })

  it('with a token that is about to expire refreshes it first, together with others', async () => {
    pulled.live.h.time.ms += 3_600_000 - 30_000
    const open = await session()
    await Promise.all([open.send(get()), open.send(get()), open.send(get())])
    expect(pulled.live.fake.tokenSets[0]?.refreshes).toBe(1)
    expect(pulled.live.fake.reuses).toBe(0)
  })

  it.each([
    ['ahead', 10, 52],
    ['behind', -10, 65],
  ])(
    'gets a response even if the clock is minutes %s, and refreshes the token once',
    async (_which, offMinutes, atMinutes) => {
      const { time } = pulled.live.h
      time.ms += atMinutes * MINUTE_MS
      const open = await session({ ...pulled.context, wall: { now: () => time.ms + offMinutes * MINUTE_MS } })
      for (let i = 0; i < 3; i++) expect((await open.send(get())).status).toBe(200)
      expect(pulled.live.fake.tokenSets[0]?.refreshes).toBe(1)
      expect(pulled.live.fake.reuses).toBe(0)
    },
  )

  it('of the app itself carries no person’s token', async () => {
    const { app } = await session()
    const { teamId } = pulled.live.h.team
    const open = openAppSession(pulled.context, { teamId, connector: pulledConnector, app, pace: PACE })
    expect(await catchFailure(open.send(get()))).toMatchObject({ kind: 'access_refused' })
    expect(pulled.live.fake.requests[0]?.headers.authorization).toBeUndefined()
  })
})
