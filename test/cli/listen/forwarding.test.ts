/** The events that reach a handler, their order, and retries. */
import { afterEach, describe, expect, test } from 'vitest'
import { Forwarding } from '../../../src/cli/listen/forwarding.ts'
import type { HeardEvent, MadeAttempt } from '../../../src/cli/listen/heard-event.ts'
import { openPoster, type PostOutcome, type WebhookPoster } from '../../../src/cli/webhooks/webhook-post.ts'
import { openSink } from '../../kit/sink.ts'
import { until } from '../../kit/until.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map(stop => stop()))
})

interface ForwardingRun {
  readonly forwarding: Forwarding
  readonly made: MadeAttempt[]
  readonly outages: string[]
  readonly abort: AbortController
}

function setUp(poster: Pick<WebhookPoster, 'post'>): ForwardingRun {
  const made: MadeAttempt[] = []
  const outages: string[] = []
  const abort = new AbortController()
  const forwarding = new Forwarding({
    poster,
    headers: event => ({ 'webhook-id': event.event_id }),
    // the shortest possible waits: 0.8 times each
    random: { bytes: (count: number) => new Uint8Array(count) },
    signal: abort.signal,
    onAttempt: each => made.push(each),
    onDown: reason => outages.push(`down: ${reason}`),
    onUp: () => outages.push('up'),
  })
  stops.push(() => forwarding.stop(0))
  return { forwarding, made, outages, abort }
}

async function toHandler(url: string): Promise<ForwardingRun> {
  const poster = await openPoster(url, { allowPrivate: false })
  stops.push(() => poster.close())
  return setUp(poster)
}

let count = 0
function heard(user: string): HeardEvent {
  count += 1
  const event = { event_id: `event-${count}`, event_type: 'daily.data.steps.created', at: '', sequence: count }
  return { number: count, event: { ...event, user_id: user, client_user_id: user }, attempts: [], state: 'waiting' }
}

const outcomeWith = (status: number, retryAfterMs: number | null = null): PostOutcome => ({
  status,
  error: null,
  failure: null,
  ms: 1,
  retryAfterMs,
  responseText: '',
})

describe('a handler that responds', () => {
  test('gets the events of one user in sequence and those of several users in parallel', async () => {
    let atOnce = 0
    let most = 0
    const handler = await openSink((_, response) => {
      atOnce += 1
      most = Math.max(most, atOnce)
      setTimeout(() => {
        atOnce -= 1
        response.writeHead(204).end()
      }, 20)
      return undefined
    })
    const { forwarding, made } = await toHandler(handler.url)
    const events = ['ada', 'ada', 'eve', 'ada', 'eve'].map(heard)
    for (const each of events) await forwarding.offer(each, '{}')
    await until(() => made.length === 5)
    const ids = (user: string) => events.filter(each => each.event.user_id === user).map(each => each.event.event_id)
    const got = handler.received.map(each => String(each.headers['webhook-id']))
    expect(got.filter(id => ids('ada').includes(id))).toEqual(ids('ada'))
    expect(got.filter(id => ids('eve').includes(id))).toEqual(ids('eve'))
    expect(most).toBe(2)
    expect(forwarding.counts).toEqual({ delivered: 5, given_up: 0, attempts: 5 })
  })

  test('gets an event again after it failed, and later events of the user before the retry', async () => {
    const handler = await openSink((_received, _response, index) => (index === 0 ? 500 : 200))
    const { forwarding, made } = await toHandler(handler.url)
    const [first, second] = [heard('ada'), heard('ada')]
    await forwarding.offer(first, '{"n":1}')
    await forwarding.offer(second, '{"n":2}')
    await until(() => made.length === 3)
    expect(handler.received.map(each => each.body)).toEqual(['{"n":1}', '{"n":2}', '{"n":1}'])
    expect(made[0]).toMatchObject({ againMs: 800, attempt: { number: 1, status: 500 } })
    expect(made[2]).toMatchObject({ againMs: null, attempt: { number: 2, status: 200 } })
    expect([first.state, second.state]).toEqual(['delivered', 'delivered'])
  })

  test('does not get an event again after 410, and gets nothing for as long as its 503 requests', async () => {
    const responses = [outcomeWith(410), outcomeWith(503, 7_000), outcomeWith(503, 3_600_000)]
    const { forwarding, made } = setUp({ post: async () => responses.shift() as PostOutcome })
    for (const each of ['ada', 'eve', 'lin']) await forwarding.offer(heard(each), '{}')
    await until(() => made.length === 3)
    expect(made.map(each => each.againMs)).toEqual([null, 7_000, 300_000])
    expect(forwarding.counts).toMatchObject({ delivered: 0, given_up: 1 })
  })

  test('can be sent an event manually before its next attempt, which is then dropped', async () => {
    const handler = await openSink((_received, _response, index) => (index === 0 ? 500 : 200))
    const { forwarding, made } = await toHandler(handler.url)
    const event = heard('ada')
    await forwarding.offer(event, '{}')
    await until(() => made.length === 1)
    await forwarding.resend(event, '{}')
    expect(made).toHaveLength(2)
    await new Promise(resolve => setTimeout(resolve, 900))
    expect(handler.received).toHaveLength(2)
    expect(forwarding.counts).toEqual({ delivered: 1, given_up: 0, attempts: 2 })
  })
})

describe('an unreachable handler', () => {
  test('is retried with one event, and the others follow in order', async () => {
    const gone = await openSink(() => 200)
    await gone.close()
    const { forwarding, made, outages } = await toHandler(gone.url)
    for (const user of ['ada', 'ada', 'eve']) await forwarding.offer(heard(user), '{}')
    await until(() => outages.length === 1)
    expect(outages[0]).toMatch(/nothing listens there/)
    expect(made).toEqual([])
    const back = await openSink(() => 200, Number(new URL(gone.url).port))
    await until(() => made.length === 3)
    expect(outages).toEqual([outages[0], 'up'])
    expect(back.received).toHaveLength(3)
    expect(made.every(each => each.attempt.number === 1)).toBe(true)
  })

  test('does not delay Ctrl-C, and undelivered events are not counted as delivered', async () => {
    const gone = await openSink(() => 200)
    await gone.close()
    const { forwarding, outages, abort } = await toHandler(gone.url)
    const event = heard('ada')
    await forwarding.offer(event, '{}')
    await until(() => outages.length === 1)
    const before = Date.now()
    abort.abort()
    await forwarding.stop(5_000)
    expect(Date.now() - before).toBeLessThan(1_000)
    expect(event.state).toBe('waiting')
    expect(forwarding.counts).toEqual({ delivered: 0, given_up: 0, attempts: 0 })
  })
})

test('requests in progress at the end may finish, but are aborted if they take too long', async () => {
  const handler = await openSink((_, response, index) => {
    if (index === 0) setTimeout(() => response.writeHead(200).end(), 100)
    return undefined
  })
  const { forwarding, made, abort } = await toHandler(handler.url)
  const [quick, hanging] = [heard('ada'), heard('eve')]
  await forwarding.offer(quick, '{}')
  await until(() => handler.received.length === 1)
  await forwarding.offer(hanging, '{}')
  await until(() => handler.received.length === 2)
  abort.abort()
  await forwarding.stop(1_500)
  expect(made.map(each => each.heard)).toEqual([quick])
  expect([quick.state, hanging.state]).toEqual(['delivered', 'waiting'])
})

test('stops reading while many events are still undelivered', async () => {
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const { forwarding } = setUp({
    post: async () => {
      await held
      return outcomeWith(200)
    },
  })
  const megabyte = 'x'.repeat(1024 * 1024)
  let taken = 0
  const offering = (async () => {
    for (; taken < 100; taken++) await forwarding.offer(heard('ada'), megabyte)
  })()
  await new Promise(resolve => setTimeout(resolve, 50))
  expect(taken).toBe(63)
  release()
  await offering
  expect(taken).toBe(100)
})
