/** `svc listen` and `svc event test-consumer` as processes: what they print on stdout, and how they end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startHandler } from '../cli/handler.ts'
import { binary, ensureBuilt, Sandbox } from './svc.ts'

const sandbox = new Sandbox()
const running: ChildProcess[] = []

beforeAll(async () => {
  await ensureBuilt()
  await sandbox.json(['user', 'create', 'ada'])
  await sandbox.json(['link', 'demo', 'ada', 'oura'])
})
afterEach(() => {
  for (const child of running.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
})
afterAll(() => sandbox.remove())

interface Listening {
  readonly child: ChildProcess
  /** Returns the next line on stdout, parsed as JSON. */
  next(): Promise<Record<string, unknown>>
  /** Waits until stderr matches. */
  says(what: RegExp): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Listening {
  const child = spawn(process.execPath, [binary, ...args], {
    cwd: sandbox.folder,
    env: { ...sandbox.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  running.push(child)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    next: async () => JSON.parse((await lines.next()).value as string),
    says: async what => {
      for (const deadline = Date.now() + 30_000; !what.test(stderr); ) {
        if (Date.now() > deadline) throw new Error(`${what} does not appear: ${stderr}`)
        await new Promise(resolve => setTimeout(resolve, 20))
      }
    },
    stop: async (signal = 'SIGINT') => {
      const ended = once(child, 'exit')
      child.kill(signal)
      return (await ended)[0] as number | null
    },
  }
}

async function happens(): Promise<void> {
  await sandbox.json(['provider', 'fail', 'ada', 'oura', '--error-type', 'unknown'])
}

test('forwards without a server, signed so that the published libraries verify it, and prints a line per attempt', async () => {
  const handler = await startHandler((_, index) => (index === 0 ? 500 : 200))
  const { secret } = await sandbox.json<{ secret: string }>(['listen', '--print-secret'])
  const listening = start(['listen', '--forward-to', handler.url, '--events', 'provider.*', '--header-prefix', 'svix'])
  await listening.says(/Ready/)
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
  await listening.says(/1 event in .*: 1 delivered; 2 attempts\./)
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
  await listening.says(/events? in /)
})

test('waits for a server that goes away, and misses no event of that time', async () => {
  const key = 'sk_us_0123456789abcdef0123'
  const serve = (port: string): Listening => {
    const server = start(['serve', '--json', '--port', port, '--api-key-stdin'])
    server.child.stdin?.end(`${key}\n`)
    return server
  }
  const first = serve('0')
  const { url } = (await first.next()) as { url: string }
  const listening = start(['listen', '--events', 'provider.*'], { SVC_BASE_URL: url, SVC_API_KEY: key })
  await listening.says(/Ready/)
  expect(await first.stop('SIGKILL')).toBe(null)
  await listening.says(/cannot be reached: .*Waiting for it/)
  await happens()
  const second = serve(new URL(url).port)
  await second.next()
  expect(await listening.next()).toMatchObject({ event_type: 'provider.connection.error' })
  await listening.says(/is back/)
  expect(await listening.stop()).toBe(0)
})

test('ends when nobody reads its output', async () => {
  const listening = start(['listen', '--since', '1h'])
  await listening.next()
  listening.child.stdout?.destroy()
  const ended = once(listening.child, 'exit')
  await happens()
  expect((await ended)[0]).toBe(0)
})

test('test-consumer tests a handler that uses the secret of listen', async () => {
  const { secret } = await sandbox.json<{ secret: string }>(['listen', '--print-secret'])
  const handler = await startHandler(({ headers, body }) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>, { jsonParse: false })
      return 204
    } catch {
      return 401
    }
  })
  const args = ['event', 'test-consumer', handler.url, '--user', 'ada', '--skip', 'oversize']
  const report = await sandbox.json<{ cases: { case: string }[] }>(args)
  expect(report).toMatchObject({ url: handler.url, passed: true, cases: expect.any(Array) })
  const [genuine] = handler.received
  expect(JSON.parse(genuine?.body ?? '')).toMatchObject({
    event_type: 'daily.data.steps.created',
    client_user_id: 'ada',
  })

  const sloppy = await startHandler(() => 200)
  const run = await sandbox.run(['event', 'test-consumer', sloppy.url, '--only', 'bad-signature', '--json'])
  expect(run.status).toBe(5)
  expect(JSON.parse(run.stdout)).toMatchObject({ passed: false, cases: [{ case: 'bad-signature', passed: false }] })
  expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: 'consumer_failed', category: 'refused' } })
})
