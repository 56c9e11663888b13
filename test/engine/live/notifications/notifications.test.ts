/** Notifications of a live provider: the resulting reads, repetitions, reordering, unknown people, and storage until they are processed. */
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Hint, NotifiedEvent } from '../../../../src/connectors/notifications.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/core/time.ts'
import { runLiveDue } from '../../../../src/engine/live/due-live.ts'
import { receiveNotification } from '../../../../src/engine/live/notifications/notification-queue.ts'
import { dueNotifications, processNotified } from '../../../../src/engine/live/notifications/notified.ts'
import { openAppSecrets } from '../../../../src/engine/live/oauth-apps/app-secrets.ts'
import type { LiveObservation } from '../../../../src/engine/live/observation.ts'
import { NOON } from '../../../kit/harness.ts'
import { DAYS, PULSE, signed } from '../../../providers/pulled-connector.ts'
import { openPull, PACE, type PullHarness } from '../pull-harness.ts'
import { changeConnector } from '../pulled-connectors.ts'

vi.mock('../../../../src/connectors/live/live-connectors.ts', () => import('../pulled-connectors.ts'))

let pulled: PullHarness
let seen: LiveObservation[]
let engine: PullHarness['context']

beforeEach(async () => {
  changeConnector({})
  pulled = await openPull()
  for (let i = 0; i < 5; i++) pulled.items.put(DAYS, `d${i}`, NOON - MINUTE_MS - i * DAY_MS, 100 + i)
  await pulled.pull()
  pulled.live.fake.forget()
  seen = []
  engine = { ...pulled.context, observe: each => seen.push(each) }
})

const outcomes = () => seen.flatMap(each => (each.kind === 'notification' ? [`${each.outcome} ${each.count}`] : []))

async function secrets() {
  const [oauthApp] = await engine.store.live.oauthApps.list(null)
  if (!oauthApp) throw new Error('nothing is set up')
  return openAppSecrets(engine, oauthApp)
}

interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly signature?: string
  readonly token?: string
  readonly query?: string
}

async function send(events: readonly NotifiedEvent[], { method = 'POST', query = '', ...sent }: Sent = {}) {
  const { notificationToken, clientSecret } = await secrets()
  const body = Buffer.from(JSON.stringify(events))
  const signature = sent.signature ?? signed(body, clientSecret)
  return receiveNotification(
    engine,
    { provider: pulled.key.provider, token: sent.token ?? notificationToken },
    {
      method,
      header: name => (name === 'x-signature' ? signature : null),
      query: new URLSearchParams(query),
      body,
      receivedAt: engine.wall.now(),
    },
  )
}

const event = (eventId: string, ...hints: readonly Hint[]): NotifiedEvent => ({ eventId, accountId: 'person-1', hints })
const record = (recordId: string, collection = DAYS): Hint => ({ kind: 'record', collection, recordId })
const deleted = (recordId: string, collection = DAYS): Hint => ({ kind: 'deleted', collection, recordId })

async function work(): Promise<void> {
  for (const each of await dueNotifications(engine)) await processNotified(engine, each, { holder: 'n', pace: PACE })
}

describe('a notification', () => {
  it('adds the record that it announces, with its event, and nothing else is requested', async () => {
    pulled.items.put(DAYS, 'd0', NOON - MINUTE_MS, 777)
    expect(await send([event('1', record('d0'))])).toEqual({ status: 204 })
    await work()
    expect(await pulled.stored()).toEqual(pulled.items.samples())
    expect(pulled.live.fake.requests.map(({ path }) => path)).toEqual(['/data/days/d0'])
    expect((await pulled.events()).filter(type => type.startsWith('daily.'))).toEqual(['daily.data.steps.updated'])
  })

  it('about a window adds new data in it, even if it is long past', async () => {
    pulled.items.put(PULSE, 'old', NOON - 50 * DAY_MS, 66)
    const window = { from: NOON - 51 * DAY_MS, to: NOON - 49 * DAY_MS }
    await send([event('1', { kind: 'window', collection: PULSE, window })])
    await work()
    expect(await pulled.stored()).toEqual(pulled.items.samples())
  })

  it('about a deleted record removes the record’s data', async () => {
    pulled.items.remove(DAYS, 'd1')
    await send([event('1', deleted('d1'))])
    await work()
    expect(await pulled.stored()).toEqual(pulled.items.samples())
  })

  it('about the deleted record of the best source lets the next source take over, and an event says so', async () => {
    const { h, user_id } = pulled.live
    pulled.items.put(PULSE, 'p', NOON - HOUR_MS, 50)
    await send([event('1', record('p', PULSE))])
    await work()
    const timestamp = new Date(NOON - HOUR_MS).toISOString()
    const samples = [{ resource: 'heartrate', provider: 'oura', source_type: 'ring', timestamp, value: 70 }]
    const stream = Readable.from([Buffer.from(JSON.stringify(samples))])
    await h.call('samples.push', { params: { user_id }, body: { kind: 'stream', stream } })
    const mean = async () => {
      const query = {
        timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'day', value: 30 } },
        queries: [{ select: [{ func: 'mean', arg: { timeseries: 'heartrate', field: 'value' } }], merge: true }],
      }
      const { results } = await h.call('aggregate.query', { params: { user_id }, body: query } as never)
      return (results as { table: Record<string, unknown> }[])[0]?.table
    }
    expect(await mean()).toEqual({ mean: [50] })
    pulled.items.remove(PULSE, 'p')
    await send([event('2', deleted('p', PULSE))])
    await work()
    expect(await mean()).toEqual({ mean: [70] })
    const [last] = (await h.call('event.list', { query: { order: 'desc', payload: true, limit: 1 } })).data
    const time = '2026-11-20T11:00:00+00:00'
    const source = { provider: pulled.key.provider, source_type: 'watch', source_id: expect.any(Number) }
    expect(last?.event_type).toBe('user.data.deleted')
    expect(last?.payload).toMatchObject({
      data: {
        user_id,
        reason: 'provider',
        timeseries: [{ resource: 'heartrate', ...source, start: time, end: time, samples: 1 }],
        summaries: [],
      },
    })
  })

  it('that arrives again is recognized, even after it was processed', async () => {
    await send([event('1', record('d0'))])
    await send([event('1', record('d0'))])
    await work()
    await send([event('1', record('d0'))])
    await work()
    expect(outcomes()).toEqual(['received 1', 'repeated 1', 'processed 1', 'repeated 1'])
    expect(pulled.live.fake.requests).toHaveLength(1)
  })

  it('leaves the same data as at the provider, in any order of arrival', async () => {
    pulled.items.put(DAYS, 'new', NOON - HOUR_MS, 5)
    pulled.items.remove(DAYS, 'd2')
    const events = [event('a', record('new')), event('b', record('d2')), event('c', deleted('d2'))]
    for (const each of [...events].reverse()) {
      await send([each])
      await work()
    }
    await send([...events, event('d', deleted('new'), record('new'))])
    await work()
    expect(await pulled.stored()).toEqual(pulled.items.samples())
  })

  it('that is forged is refused, and nothing is queued', async () => {
    expect(await send([event('1', record('d0'))], { signature: 'forged' })).toEqual({ status: 401 })
    expect(await send([], { token: 'x' })).toBeNull()
    const { notificationToken } = await secrets()
    expect(await send([], { token: `${notificationToken.slice(0, -2)}AA` })).toBeNull()
    expect(await dueNotifications(engine)).toEqual([])
    expect(outcomes()).toEqual(['refused 1', 'unknown_token 1', 'unknown_token 1'])
  })

  it('that is a handshake gets a response, and a wrong one does not', async () => {
    const { verificationToken } = await secrets()
    const response = await send([], { method: 'GET', query: `token=${verificationToken}&challenge=abc` })
    expect(response).toMatchObject({ status: 200, body: 'abc' })
    expect(await send([], { method: 'GET', query: 'token=wrong&challenge=abc' })).toEqual({ status: 401 })
  })

  it('about an unknown person is completed and counted', async () => {
    await send([{ ...event('1', record('d0')), accountId: 'stranger' }])
    await work()
    expect(outcomes()).toEqual(['received 1', 'unknown_user 1'])
    expect(await dueNotifications(engine)).toEqual([])
    expect(pulled.live.fake.requests).toEqual([])
  })

  it('that cannot be verified in time is left to be sent again', async () => {
    const { pulledConnector } = await import('../../../providers/pulled-connector.ts')
    const { notifications } = pulledConnector
    if (!notifications) throw new Error('the connector takes notifications')
    changeConnector({ notifications: { ...notifications, receive: () => new Promise(() => {}) } })
    expect(await send([event('1')])).toEqual({ status: 503, retryAfterS: 30 })
  })

  it('is kept until the provider can be read, and is then processed', async () => {
    pulled.items.put(DAYS, 'd0', NOON - MINUTE_MS, 778)
    pulled.live.fake.fail({ path: /data/, status: 500, times: 4 })
    await send([event('1', record('d0'))])
    await work()
    expect(await dueNotifications(engine)).toEqual([])
    pulled.live.h.time.ms += MINUTE_MS
    await work()
    expect(await pulled.stored()).toEqual(pulled.items.samples())
    expect(outcomes()).toEqual(['received 1', 'processed 1'])
  })

  it('waits while somebody else pulls the connection', async () => {
    const { pulls } = engine.store.live
    await pulls.lease(pulled.key, { holder: 'other', now: NOON, until: NOON + MINUTE_MS })
    pulled.items.put(DAYS, 'd0', NOON - MINUTE_MS, 779)
    await send([event('1', record('d0'))])
    await work()
    await pulls.release(pulled.key, 'other')
    pulled.live.h.time.ms += MINUTE_MS
    await work()
    expect(await pulled.stored()).toEqual(pulled.items.samples())
  })

  it('that the person revoked the access changes nothing if the provider still refreshes the tokens', async () => {
    await send([event('1', { kind: 'revoked' })])
    await work()
    const { providers } = await pulled.live.h.call('user.providers', { params: { user_id: pulled.key.userId } })
    expect(providers[0]).toMatchObject({ status: 'connected' })
    pulled.items.put(DAYS, 'd0', NOON - MINUTE_MS, 780)
    await send([event('2', record('d0'))])
    await work()
    expect(await pulled.stored()).toEqual(pulled.items.samples())
    expect(outcomes()).toEqual(['received 1', 'processed 1', 'received 1', 'processed 1'])
  })

  it('that the person revoked the access sets the connection to error and removes the token set', async () => {
    for (const tokenSet of pulled.live.fake.tokenSets) tokenSet.isRevoked = true
    await send([event('1', { kind: 'revoked' })])
    await work()
    const { providers } = await pulled.live.h.call('user.providers', { params: { user_id: pulled.key.userId } })
    expect(providers[0]).toMatchObject({ status: 'error', error_details: { error_type: 'deregistered_per_provider' } })
    expect(await engine.store.live.tokenSets.find(pulled.key.userId, pulled.key.provider)).toBeNull()
    await send([event('2', record('d0'))])
    await work()
    expect(outcomes()).toEqual(['received 1', 'processed 1', 'received 1', 'unknown_user 1'])
  })
})

describe('a run of due work', () => {
  it('pulls, and processes notifications', async () => {
    await send([event('1', record('d0')), event('2', record('d1'))])
    pulled.live.h.time.ms += 2 * HOUR_MS
    pulled.items.put(PULSE, 'p', NOON + HOUR_MS, 70)
    const { ran } = await pulled.live.h.call('engine.run_due', {})
    expect(ran).toEqual([
      { kind: 'notification', count: 2 },
      { kind: 'live_pull', count: 1 },
    ])
    expect(await pulled.stored()).toEqual(pulled.items.samples())
    expect(await runLiveDue(engine, undefined)).toEqual([])
  })
})
