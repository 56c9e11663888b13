/** `svc open`: a one-time URL, from a running server or one that it starts. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { Sandbox } from '../kit/sandbox.ts'
import { serve } from '../kit/serve.ts'
import { until } from '../kit/until.ts'

/** Opens the URL of `svc open`, and returns the status and the cookie. */
async function signIn(url: string): Promise<{ status: number; cookie: string }> {
  const response = await fetch(url, { redirect: 'manual' })
  return { status: response.status, cookie: response.headers.get('set-cookie') ?? '' }
}

const NO_BROWSER = { BROWSER: '', DISPLAY: '', WAYLAND_DISPLAY: '' }

test('prints a one-time URL of the server that runs on the data folder', async () => {
  const sandbox = new InProcessSandbox()
  const server = await serve(sandbox)
  const { url, expires_at } = (await sandbox.json(['open', '--no-browser'])) as { url: string; expires_at: string }
  expect(url).toMatch(new RegExp(`^${server.url}/console/sign-in\\?token=[\\w-]{43}$`))
  expect(expires_at).toMatch(/^\d{4}-\d\d-\d\dT/)
  const { status, cookie } = await signIn(url)
  expect([status, cookie]).toEqual([303, expect.stringContaining('SameSite=Strict')])
  const session = await fetch(`${server.url}/console/session`, { headers: { cookie: cookie.split(';')[0] ?? '' } })
  expect(await session.json()).toMatchObject({ key: { label: null, is_operator: true } })
  expect((await signIn(url)).status).toBe(401)
})

test('requests a URL for the profile’s key from the profile’s server', async () => {
  const sandbox = new InProcessSandbox()
  const server = await serve(sandbox)
  const env = { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key }
  const { url } = (await sandbox.json(['open', '--no-browser'], { env })) as { url: string }
  const { cookie } = await signIn(url)
  const session = await fetch(`${server.url}/console/session`, { headers: { cookie: cookie.split(';')[0] ?? '' } })
  expect(await session.json()).toMatchObject({ key: { label: expect.stringMatching(/^session /) } })
})

test('reports that there is no browser, and prints the URL', async () => {
  const sandbox = new InProcessSandbox()
  await serve(sandbox)
  const run = await sandbox.run(['open', '--output', 'table'], { env: NO_BROWSER })
  expect(run.status).toBe(0)
  expect(run.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/sign-in\?token=\S+\n$/)
  expect(run.stderr).toMatch(/No browser could be opened/)
})

test.each([['--json'], ['--output=ndjson'], ['--output=csv'], ['--jq=.url']])(
  'opens no browser with %s, because a program reads the URL',
  async flag => {
    const sandbox = new InProcessSandbox()
    await serve(sandbox)
    const opened = path.join(sandbox.folder, 'opened')
    const browser = path.join(sandbox.folder, 'browser')
    writeFileSync(browser, `#!/bin/sh\ntouch '${opened}'\n`)
    chmodSync(browser, 0o755)
    const run = await sandbox.run(['open', flag], { env: { BROWSER: browser } })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    const [, signInUrl = ''] = /(http:\S+token=[\w-]{43})/.exec(run.stdout) ?? []
    expect((await signIn(signInUrl)).status).toBe(303)
    expect(read(opened)).toBeNull()
  },
)

test('starts a server if none runs, opens the browser, and stops with exit code 0 on Ctrl-C', async () => {
  const sandbox = new Sandbox()
  const opened = path.join(sandbox.folder, 'opened')
  const browser = path.join(sandbox.folder, 'browser')
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`)
  chmodSync(browser, 0o755)
  const run = sandbox.start(['open'], { input: '', env: { BROWSER: browser } })
  const url = await until(() => read(opened))
  const { cookie } = await signIn(url)
  const { origin } = new URL(url)
  const users = await fetch(`${origin}/v2/user`, { headers: { cookie: cookie.split(';')[0] ?? '' } })
  expect(users.status).toBe(200)
  await until(() => /until you press Ctrl-C/.test(run.stderr()))
  expect(await run.stop('SIGINT')).toBe(0)
  await expect(fetch(origin)).rejects.toThrow()
})

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
