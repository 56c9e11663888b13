/** `svc listen` and `svc event test-consumer` as processes: their stdout, and how they end. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { beforeAll, expect, test } from 'vitest'
import { type RunOptions, Sandbox } from '../kit/sandbox.ts'
import { serve } from '../kit/serve.ts'
import { openSink } from '../kit/sink.ts'
import { until } from '../kit/until.ts'

const sandbox = new Sandbox()

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada'])
  await sandbox.json(['link', 'demo', 'ada', 'oura'])
})

interface Listening {
  readonly child: ChildProcess
  /** Returns the next line on stdout, parsed as JSON. */
  next(): Promise<Record<string, unknown>>
  /** Waits until stderr matches. */
  prints(what: RegExp): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

function start(args: readonly string[], options: RunOptions = {}): Listening {
  const { child, stderr, stop } = sandbox.start(args, options)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    next: async () => JSON.parse((await lines.next()).value as string),
    prints: async what => {
      await until(() => what.test(stderr()), { why: () => `${what} does not appear: ${stderr()}` })
    },
    stop: (signal = 'SIGINT') => stop(signal),
  }
}

async function happens(): Promise<void> {
  await sandbox.json(['provider', 'fail', 'ada', 'oura', '--error-type', 'unknown'])
}

test('forwards without a server, with signatures that the published libraries verify, and prints a line for each attempt', async () => {
  const handler = await openSink((_received, _response, index) => (index === 0 ? 500 : 200))
  const { secret } = await sandbox.json<{ secret: string }>(['listen', '--print-secret'])
  const listening = start(['listen', '--forward-to', handler.url, '--events', 'provider.*', '--header-prefix', 'svix'])
  await listening.prints(/Ready/)
  await happens()
  const failed = await listening.next()
  expect(failed).toMatchObject({
    event_type: 'provider.connection.error',
    client_user_id: 'ada',
    attempt: 1,
    status: 500,
    state: 'waiting',
    retry_in_ms: expect.any(Number),
  })
  expect(await listening.next()).toMatchObject({
    event_id: failed['event_id'],
    attempt: 2,
    status: 200,
    state: 'delivered',
    retry_in_ms: null,
  })
  for (const { headers, body } of handler.received) {
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ client_user_id: 'ada' })
    const { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature } = headers
    const svix = { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature } as Record<string, string>
    expect(new SvixWebhook(secret).verify(body, svix)).toMatchObject({ event_type: 'provider.connection.error' })
    expect(headers['webhook-sequence']).toBe(String(failed['sequence']))
    expect(headers['content-type']).toBe('application/json')
  }
  expect(await listening.stop()).toBe(0)
  await listening.prints(/1 event in .*: 1 delivered; 2 attempts\./)
})

test('shows past and new events without a target, with their bodies, and ends on SIGTERM', async () => {
  const listening = start(['listen', '--since', '1h', '--user', 'ada', '--payload', '--json'])
  const first = await listening.next()
  expect(first).toMatchObject({
    event_type: 'provider.connection.created',
    payload: { event_type: 'provider.connection.created', data: { provider: { slug: 'oura' } } },
  })
  expect(first).not.toHaveProperty('status')
  expect(await listening.stop('SIGTERM')).toBe(0)
  await listening.prints(/events? in /)
})

test('waits for a server that stops, and misses no event from that time', async () => {
  const key = 'sk_us_0123456789abcdef0123'
  const serveOn = (port: string) => serve(sandbox, ['--port', port, '--api-key-stdin'], { input: `${key}\n` })
  const first = await serveOn('0')
  const { url } = first
  const listening = start(['listen', '--events', 'provider.*'], { env: { SVC_BASE_URL: url, SVC_API_KEY: key } })
  await listening.prints(/Ready/)
  expect(await first.stop('SIGKILL')).toBe(null)
  await listening.prints(/cannot be reached: .*Waiting for it/)
  await happens()
  await serveOn(new URL(url).port)
  expect(await listening.next()).toMatchObject({ event_type: 'provider.connection.error' })
  await listening.prints(/is back/)
  expect(await listening.stop()).toBe(0)
})

test('ends when its reader exits', async () => {
  const listening = start(['listen', '--since', '1h'])
  await listening.next()
  listening.child.stdout?.destroy()
  const ended = once(listening.child, 'exit')
  await happens()
  expect((await ended)[0]).toBe(0)
})

test('test-consumer tests a handler that uses the secret of listen', async () => {
  const { secret } = await sandbox.json<{ secret: string }>(['listen', '--print-secret'])
  const handler = await openSink(({ headers, body }) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>, { jsonParse: false })
      return 204
    } catch {
      return 401
    }
  })
  const url = `${handler.url}/hooks`
  const args = ['event', 'test-consumer', url, '--user', 'ada', '--skip', 'oversize']
  const report = await sandbox.json<{ cases: { case: string }[] }>(args)
  expect(report).toMatchObject({ url, passed: true, cases: expect.any(Array) })
  const [genuine] = handler.received
  expect(JSON.parse(genuine?.body ?? '')).toMatchObject({
    event_type: 'daily.data.steps.created',
    client_user_id: 'ada',
  })

  const sloppy = await openSink(() => 200)
  const run = await sandbox.run(['event', 'test-consumer', sloppy.url, '--only', 'bad-signature', '--json'])
  expect(run.status).toBe(5)
  expect(JSON.parse(run.stdout)).toMatchObject({ passed: false, cases: [{ case: 'bad-signature', passed: false }] })
  expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: 'consumer_failed', category: 'refused' } })
})
