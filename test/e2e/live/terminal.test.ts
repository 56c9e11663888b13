/** Setting up a live provider and linking an account, with a person at a real terminal, a browser, and a fake provider. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { freePort } from '../../kit/free-port.ts'
import { Sandbox } from '../../kit/sandbox.ts'
import { Terminal } from '../../kit/terminal.ts'
import { until } from '../../kit/until.ts'
import { type FakeProvider, openFakeProvider } from '../../providers/fake-provider.ts'

const NO_BROWSER = { BROWSER: '', DISPLAY: '', WAYLAND_DISPLAY: '' }
const sandbox = new Sandbox()
let provider: FakeProvider
let redirectUrl: string
let browser: Record<string, string>
let terminal: Terminal | undefined
/** The delay of the provider's responses to requests for data. */
let responseMs = 0

beforeAll(async () => {
  redirectUrl = `http://localhost:${await freePort()}/callback`
  provider = await openFakeProvider({
    authorizePath: '/oauth/authorize',
    tokenPath: '/oauth/token',
    clientAuth: 'body',
    refresh: 'rotates',
    expiresInS: 86_400,
    redirectUrls: [redirectUrl],
    async handle({ path: requestPath, tokenSet }) {
      if (tokenSet === null) return { status: 401 }
      if (requestPath === '/oauth/revoke') return {}
      if (requestPath === '/v2/usercollection/personal_info') return { body: { id: tokenSet.account, weight: 70 } }
      await pause(responseMs)
      return { body: { data: [], next_token: null } }
    },
  })
  atEndOfFile(() => provider.close())
  browser = { BROWSER: newBrowser() }
  for (const user of ['ada', 'ben', 'cleo', 'dora', 'eve', 'flo']) await sandbox.json(['user', 'create', user])
  await sandbox.json(setupCommand('--client-secret-stdin'), { input: `${provider.clientSecret}\n` })
})
afterEach(() => terminal?.close())

/** A program that exits at once, while its window passes the provider's page and follows the redirect. */
function newBrowser(): string {
  const file = path.join(sandbox.folder, 'browser')
  const go = `fetch(process.argv[1]).then(async page => require('node:fs').writeFileSync('seen', page.status + (await page.text())))`
  writeFileSync(file, `#!/bin/sh\n'${process.execPath}' -e "${go}" "$1" >/dev/null 2>&1 &\n`)
  chmodSync(file, 0o700)
  return file
}

function setupCommand(...flags: readonly string[]): string[] {
  const urls = ['--authorize-url', provider.authorizeUrl, '--token-url', provider.tokenUrl]
  return [
    ...['provider', 'setup', 'oura', '--client-id', provider.clientId, '--redirect-url', redirectUrl, ...urls],
    ...['--api-url', provider.url, '--setting', `revoke_url=${provider.url}/oauth/revoke`, ...flags],
  ]
}

function svc(args: readonly string[], env: Readonly<Record<string, string>> = {}): Terminal {
  terminal = new Terminal(sandbox, args, 'stty -a', { env })
  return terminal
}

const link = (user: string, env: Readonly<Record<string, string>>) =>
  svc(['link', 'oauth', 'oura', '--user', user], env)

/** Passes the provider's page, and returns the URL that it redirects to. */
async function consent(account: string, consentUrl: string): Promise<string> {
  provider.consent = { account }
  const { headers } = await fetch(consentUrl, { redirect: 'manual' })
  return headers.get('location') ?? ''
}

async function readUrl(screen: Terminal): Promise<string> {
  await screen.sees(/complete its page/)
  await screen.sees(/Paste the URL/)
  return new RegExp(`${provider.url}/oauth/authorize\\S+`).exec(screen.text)?.[0] ?? ''
}

async function connectionMode(user: string): Promise<unknown> {
  const { providers } = await sandbox.json<{ providers: { slug: string; mode: string }[] }>([
    ...['provider', 'list', '--user', user],
  ])
  return providers.find(each => each.slug === 'oura')?.mode
}

describe.skipIf(process.platform === 'win32')('a live provider on a terminal', () => {
  test('is set up with a secret that is never shown', async () => {
    const screen = svc(setupCommand())
    await screen.sees(/Client secret/)
    screen.types(`${provider.clientSecret}\r`)
    expect(await screen.ended()).toBe(0)
    expect(screen.text).toMatch(/provider +oura/)
    expect(screen.text).toContain(`exactly as shown: ${redirectUrl}`)
    expect(screen.raw).not.toContain(provider.clientSecret)
  })

  test('is linked in the browser, which shows the outcome, and its history is pulled', async () => {
    provider.consent = { account: 'account-of-ada' }
    const screen = link('ada', browser)
    await screen.sees(/state +success/)
    await screen.sees(/The history is complete/)
    expect(await screen.ended()).toBe(0)
    await until(() => existsSync(path.join(sandbox.folder, 'seen')))
    expect(readFileSync(path.join(sandbox.folder, 'seen'), 'utf8')).toMatch(/^200.*Oura is connected/s)
    expect(await connectionMode('ada')).toBe('live')
    const { connections } = await sandbox.json<{ connections: { collections: { state: string }[] }[] }>([
      ...['provider', 'status', '--user', 'ada'],
    ])
    const states = connections.flatMap(({ collections }) => collections.map(each => each.state))
    expect(new Set(states)).toEqual(new Set(['polling']))
    for (const { accessToken, refreshToken } of provider.tokenSets) {
      expect(screen.raw).not.toContain(accessToken)
      expect(screen.raw).not.toContain(refreshToken)
    }
  })

  test('is linked with a pasted URL if there is no browser, and a wrong URL is refused', async () => {
    const screen = link('ben', NO_BROWSER)
    const leadTo = await consent('account-of-ben', await readUrl(screen))
    screen.types(`${leadTo.replace(/state=[^&]+/, 'state=another')}\r`)
    await screen.sees(/belongs to another sign-in/)
    await screen.sees(/Paste the URL/)
    screen.types(`${leadTo}\r`)
    await screen.sees(/state +success/)
    expect(await screen.ended()).toBe(0)
    expect(screen.raw).not.toContain(new URL(leadTo).searchParams.get('code'))
    expect(screen.text).toMatch(/(?<!-)\becho\b/)
  })

  describe('whose history takes a while', () => {
    beforeAll(() => {
      // several collections are pulled at once, and each command below must find some remaining ones
      responseMs = 2_000
    })
    afterAll(() => {
      responseMs = 0
    })

    test('shows the progress of its history, and Ctrl-C leaves the rest for later', async () => {
      provider.consent = { account: 'account-of-flo' }
      const screen = link('flo', browser)
      await screen.sees(/state +success/)
      await screen.sees(/Pulling the history of Oura .*\d of \d+ parts/)
      screen.types('\u0003')
      await screen.sees(/To pull the rest, use `svc user refresh flo`/)
      expect(await screen.ended()).toBe(0)
      expect(await connectionMode('flo')).toBe('live')
    })

    test.each([
      [
        'svc user refresh',
        ['user', 'refresh', 'flo', '--timeout', '60'],
        /Pulling the history of flo .*\d of \d+ parts/,
      ],
      ['svc engine run-due', ['engine', 'run-due'], /Pulling histories .*\d of \d+ parts/],
    ])('shows the progress of its history while %s pulls it', async (_, args, progress) => {
      const screen = svc(args)
      await screen.sees(progress)
      screen.types('\u0003')
      expect(await screen.ended()).toBe(130)
    })
  })

  test('is not linked if the person denies it', async () => {
    provider.consent = { isDenied: true }
    const screen = link('cleo', browser)
    await screen.sees(/error_type +provider_credential_error/)
    expect(await screen.ended()).toBe(6)
  })

  test('leaves the terminal and the port free after Ctrl-C', async () => {
    const screen = link('cleo', { BROWSER: '/bin/true' })
    await screen.sees(/complete its page/)
    await expect.poll(() => fetch(redirectUrl).then(({ status }) => status)).toBe(400)
    screen.types('\u0003')
    expect(await screen.ended()).toBe(130)
    expect(screen.text).toMatch(/(?<!-)\becho\b/)
    await expect(fetch(redirectUrl)).rejects.toThrow()
  })

  test('suggests a remedy if another process uses the port', async () => {
    const other = createServer().listen(Number(new URL(redirectUrl).port), '127.0.0.1')
    try {
      const screen = link('cleo', browser)
      await screen.sees(/another process uses localhost/)
      expect(await screen.ended()).not.toBe(0)
    } finally {
      other.close()
    }
  })

  test('shows its state, and asks for confirmation before it is simulated again', async () => {
    const status = svc(['provider', 'status', 'oura'])
    await status.sees(/connected +/)
    expect(await status.ended()).toBe(0)
    status.close()
    const screen = svc(['provider', 'teardown', 'oura'])
    await screen.sees(/Remove the OAuth app of oura\?/)
    screen.types('n\r')
    await screen.sees(/oura is still live/)
    expect(await screen.ended()).toBe(130)
  })
})

describe('a live provider without a terminal', () => {
  test('is linked in two steps, the second of which reads the URL from stdin', async () => {
    const first = await sandbox.run(['link', 'oauth', 'oura', '--user', 'dora', '--json'])
    expect(first).toMatchObject({ status: 0, stderr: expect.stringContaining('--callback-url-stdin') })
    const leadTo = await consent('account-of-dora', JSON.parse(first.stdout).oauth_url)
    const args = ['link', 'oauth', 'oura', '--user', 'dora', '--callback-url-stdin']
    const second = await sandbox.run([...args, '--json'], { input: `${leadTo}\n` })
    expect(second).toMatchObject({ status: 0, stderr: expect.stringContaining('The history is complete') })
    expect(JSON.parse(second.stdout)).toMatchObject({ state: 'success', connected: true })
    const again = await sandbox.run([...args, '--json'], { input: `${leadTo}\n` })
    expect(again.status).toBe(6)
    expect(JSON.parse(again.stdout)).toMatchObject({ state: 'error', connected: false })
  })

  test('does not wait for the history with --no-wait, and a refresh pulls it', async () => {
    const first = await sandbox.json<{ oauth_url: string }>(['link', 'oauth', 'oura', '--user', 'eve'])
    const leadTo = await consent('account-of-eve', first.oauth_url)
    const args = ['link', 'oauth', 'oura', '--user', 'eve', '--callback-url-stdin', '--no-wait']
    const second = await sandbox.run(args, { input: leadTo })
    expect(second).toMatchObject({ status: 0, stderr: expect.stringContaining('svc user refresh eve') })
    const { refreshed_sources } = await sandbox.json<{ refreshed_sources: string[] }>([
      ...['user', 'refresh', 'eve', '--timeout', '60'],
    ])
    expect(refreshed_sources).toContain('oura/sleep')
  })

  test('whose access the person revoked fails a refresh, with a hint where to find the reason', async () => {
    for (const tokenSet of provider.tokenSets) if (tokenSet.account === 'account-of-eve') tokenSet.isRevoked = true
    const run = await sandbox.run(['user', 'refresh', 'eve', '--timeout', '60', '--json'])
    expect(run).toMatchObject({ status: 0, stderr: expect.stringContaining('svc provider status --user eve') })
    expect(JSON.parse(run.stdout)).toMatchObject({ failed_sources: expect.arrayContaining(['oura/sleep']) })
  })

  test('needs the secret on stdin, and says so', async () => {
    const run = await sandbox.run(setupCommand('--json'))
    expect(run.status).toBe(2)
    expect(JSON.parse(run.stderr).error).toMatchObject({ code: 'missing_input' })
  })

  test('is not torn down while accounts are connected, unless they are to be disconnected', async () => {
    const refused = await sandbox.run(['provider', 'teardown', 'oura', '--yes', '--json'])
    expect(refused.status).not.toBe(0)
    const gone = await sandbox.json(['provider', 'teardown', 'oura', '--yes', '--disconnect'])
    expect(gone).toMatchObject({ provider: 'oura', disconnected: expect.any(Number), not_revoked: 0 })
    expect(await sandbox.json(['provider', 'setups'])).toEqual({ setups: [] })
    expect(provider.requests.some(each => each.path === '/oauth/revoke')).toBe(true)
  })
})
