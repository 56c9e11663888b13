/** `svc serve` as a process: the line it prints, the key it accepts, and how it ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { binary, ensureBuilt, Sandbox } from './svc.ts'

interface Ready {
  readonly url: string
  readonly api_key: string
  readonly team_id: string
}

const sandbox = new Sandbox()
const running: ChildProcess[] = []

beforeAll(ensureBuilt)
afterEach(() => {
  for (const child of running.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
})
afterAll(() => sandbox.remove())

/** Starts a server and waits for its line. */
async function serve(args: readonly string[], input = '', more: Readonly<Record<string, string>> = {}) {
  const env = { ...sandbox.env, ...more }
  const child = spawn(process.execPath, [binary, 'serve', '--json', ...args], { cwd: sandbox.folder, env })
  running.push(child)
  child.stdin.end(input)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const early = once(child, 'close').then(([status]) => {
    throw new Error(`svc serve ended with ${status}: ${said}`)
  })
  // a later end of the server is expected
  early.catch(() => {})
  const [first] = (await Promise.race([once(child.stdout.setEncoding('utf8'), 'data'), early])) as [string]
  expect(first.endsWith('\n') && first.trim().split('\n').length === 1).toBe(true)
  return { child, ready: JSON.parse(first) as Ready }
}

test('serves the folder while commands use it, with the key it printed, and exits with 0', async () => {
  await sandbox.json(['user', 'create', 'ada'])
  const { child, ready } = await serve(['--port', '0'])
  const answer = await fetch(`${ready.url}/v2/user/resolve/ada`, { headers: { 'x-service-api-key': ready.api_key } })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ client_user_id: 'ada', team_id: ready.team_id })
  expect((await fetch(`${ready.url}/v2/user`)).status).toBe(401)

  await sandbox.json(['user', 'create', 'eve'])
  const env = { SVC_BASE_URL: ready.url, SVC_API_KEY: ready.api_key }
  expect(await sandbox.json(['user', 'get', 'eve'], { env })).toMatchObject({ client_user_id: 'eve' })
  const local = await sandbox.run(['user', 'get', 'eve', '--json'])
  expect((await sandbox.run(['user', 'get', 'eve', '--json'], { env })).stdout).toBe(local.stdout)

  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('reads a key from stdin, and exits with 0 on SIGTERM', async () => {
  const { child, ready } = await serve(['--port', '0', '--api-key-stdin'], 'sk_us_0123456789abcdef0123\n')
  expect(ready.api_key).toBe('sk_us_0123456789abcdef0123')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('exits with 2 if the port is in use, and says what to do', async () => {
  const { ready } = await serve(['--port', '0'])
  const second = await sandbox.run(['serve', '--port', new URL(ready.url).port, '--json'])
  expect(second.status).toBe(2)
  expect(JSON.parse(second.stderr)).toMatchObject({ error: { code: 'port_in_use' } })
})

test.each([
  [['--trust-proxy', 'proxy.example'], {}],
  [['--trust-proxy', '10.0.0.1,10.0.0.0/33'], {}],
  [['--trust-proxy', '10.0.0.1', '--trust-proxy', ''], {}],
  [[], { SVC_TRUST_PROXY: '10.0.0.1, everybody' }],
])('refuses invalid proxy addresses with exit code 2: %j %j', async (args, env) => {
  const refused = await sandbox.run(['serve', '--port', '0', ...args], { env })
  expect(refused.status).toBe(2)
  expect(refused.stderr).toMatch(/--trust-proxy takes IP addresses and CIDR ranges[\s\S]*10\.0\.0\.0\/8/)
})

test('reads the client address from a trusted proxy, set by options or variables', async () => {
  const addressOf = async (args: readonly string[], env: Record<string, string> = {}) => {
    const { child, ready } = await serve(['--port', '0', '--log-format', 'json', ...args], '', env)
    let log = ''
    child.stderr?.on('data', text => {
      log += text
    })
    await fetch(`${ready.url}/healthz`, { headers: { 'x-forwarded-for': '203.0.113.7, 198.51.100.1, 10.0.0.4' } })
    child.kill('SIGTERM')
    await once(child, 'close')
    return /"client_address":"([^"]*)"/.exec(log)?.[1]
  }
  expect(await addressOf([])).toBe('127.0.0.1')
  expect(await addressOf(['--trust-proxy', '127.0.0.1,10.0.0.0/8'])).toBe('198.51.100.1')
  expect(await addressOf(['--trust-proxy', '127.0.0.0/8', '--trust-proxy', '10.0.0.0/8'])).toBe('198.51.100.1')
  expect(await addressOf([], { SVC_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' })).toBe('198.51.100.1')
  expect(await addressOf([], { SVC_TRUST_PROXY: '' })).toBe('127.0.0.1')
})
