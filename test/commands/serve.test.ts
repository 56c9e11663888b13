import { expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { serve } from '../kit/serve.ts'

const sandbox = new InProcessSandbox()

test('serves the folder while commands use it, accepts the key that it printed, and exits with 0', async () => {
  await sandbox.json(['user', 'create', 'ada'])
  const server = await serve(sandbox)
  const response = await fetch(`${server.url}/v2/user/resolve/ada`, {
    headers: { 'x-service-api-key': server.api_key },
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ client_user_id: 'ada', team_id: server.team_id })
  expect((await fetch(`${server.url}/v2/user`)).status).toBe(401)

  await sandbox.json(['user', 'create', 'eve'])
  const env = { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key }
  expect(await sandbox.json(['user', 'get', 'eve'], { env })).toMatchObject({ client_user_id: 'eve' })
  const local = await sandbox.run(['user', 'get', 'eve', '--json'])
  expect((await sandbox.run(['user', 'get', 'eve', '--json'], { env })).stdout).toBe(local.stdout)

  expect(await server.stop('SIGINT')).toBe(0)
})

test('reads a key from stdin, and exits with 0 on SIGTERM', async () => {
  const server = await serve(sandbox, ['--api-key-stdin'], { input: 'sk_us_0123456789abcdef0123\n' })
  expect(server.api_key).toBe('sk_us_0123456789abcdef0123')
  expect(await server.stop('SIGTERM')).toBe(0)
})

test('exits with 2 and a remedy if the port is in use', async () => {
  const { url } = await serve(sandbox)
  const second = await sandbox.run(['serve', '--port', new URL(url).port, '--json'])
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
    const server = await serve(sandbox, ['--log-format', 'json', ...args], { env })
    await fetch(`${server.url}/healthz`, { headers: { 'x-forwarded-for': '203.0.113.7, 198.51.100.1, 10.0.0.4' } })
    await server.stop('SIGTERM')
    return /"client_address":"([^"]*)"/.exec(server.log())?.[1]
  }
  expect(await addressOf([])).toBe('127.0.0.1')
  expect(await addressOf(['--trust-proxy', '127.0.0.1,10.0.0.0/8'])).toBe('198.51.100.1')
  expect(await addressOf(['--trust-proxy', '127.0.0.0/8', '--trust-proxy', '10.0.0.0/8'])).toBe('198.51.100.1')
  expect(await addressOf([], { SVC_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' })).toBe('198.51.100.1')
  expect(await addressOf([], { SVC_TRUST_PROXY: '' })).toBe('127.0.0.1')
})
