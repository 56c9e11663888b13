/** Signing in to the console and out of it: the cookie, what it allows, and when it ends. */
import { describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/core/time.ts'
import type { TestServer } from '../../kit/server.ts'
import { Browser, Hands, type Session, serveConsole } from './console-server.ts'

const NEW_USER = { body: '{"client_user_id":"ada"}' }

async function signInUrl(server: TestServer, key = server.apiKey): Promise<string> {
  const { json } = await server.ask('POST', '/svc/v1/console/sign-in-tokens', { key })
  const { url } = json as { url: string }
  return url.slice(server.url.length)
}

/** Opens a one-time URL without following its redirect. */
async function visit(server: TestServer, at: string): Promise<{ status: number; cookie: string; text: string }> {
  const response = await fetch(server.url + at, { redirect: 'manual' })
  return { status: response.status, cookie: response.headers.get('set-cookie') ?? '', text: await response.text() }
}

async function newKey(server: TestServer, is_operator = false): Promise<{ api_key: string; key_id: string }> {
  const { json } = await server.ask('POST', `/svc/v1/teams/${server.teamId}/keys`, {
    body: JSON.stringify({ label: 'laptop', is_operator }),
  })
  return json as { api_key: string; key_id: string }
}

describe('signing in with an API key', () => {
  it('sets a cookie that scripts and other sites cannot use', async () => {
    const server = await serveConsole({ version: '1.2.3' })
    const browser = new Browser(server)
    const response = await browser.signIn()
    expect(response.status).toBe(200)
    const { port } = new URL(server.url)
    expect(response.headers.get('set-cookie')).toMatch(
      new RegExp(`^svc_session_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    )
    expect(response.json).toEqual({
      team: { id: server.teamId, name: 'local' },
      key: { label: expect.stringContaining('session '), is_operator: true },
      person: null,
      forbidden: [],
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: expect.stringMatching(/^\d{4}-/),
      version: '1.2.3',
      public_url: server.url,
    })
    expect(await browser.session()).toEqual(response.json)
  })

  it('makes calls with the key’s rights, and the audit trail shows the key', async () => {
    const server = await serveConsole()
    const key = await newKey(server)
    const browser = new Browser(server)
    await browser.signIn(key.api_key)
    expect((await browser.ask('POST', '/v2/user', NEW_USER)).status).toBe(200)
    expect((await browser.ask('GET', '/svc/v1/status')).status).toBe(403)
    const { json } = await server.ask('GET', '/svc/v1/audit')
    expect(json).toMatchObject({
      entries: expect.arrayContaining([
        expect.objectContaining({ operation: 'user.create', actor: `key:${key.key_id}` }),
      ]),
    })
  })

  it('refuses a wrong key, and slows down guessing', async () => {
    const browser = new Browser(await serveConsole())
    const response = await browser.signIn('sk_us_wrong')
    expect(response.status).toBe(401)
    expect(response.headers.get('x-svc-error-code')).toBe('invalid_api_key')
    expect(browser.cookie).toBeNull()
    for (let i = 0; i < 19; i++) await browser.signIn('sk_us_wrong')
    expect((await browser.signIn('sk_us_wrong')).status).toBe(429)
    expect((await browser.signIn()).status).toBe(200)
  })

  it('refuses other sites, other media types and bodies without a key', async () => {
    const server = await serveConsole()
    const body = JSON.stringify({ api_key: server.apiKey })
    const status = async (headers: Record<string, string>, text = body) =>
      (await server.ask('POST', '/console/sign-in', { key: null, headers, body: text })).status
    expect(await status({})).toBe(403)
    expect(await status({ origin: 'https://elsewhere.example' })).toBe(403)
    expect(await status({ origin: server.url, 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await status({ origin: server.url, 'content-type': 'text/plain' })).toBe(415)
    expect(await status({ origin: server.url }, '{}')).toBe(422)
    expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(200)
  })
})

describe('a session', () => {
  it('can change something only with its own CSRF token', async () => {
    const server = await serveConsole()
    const browser = new Browser(server)
    const other = new Browser(server)
    await browser.signIn()
    await other.signIn()
    const create = async (headers: Record<string, string>) =>
      (await browser.ask('POST', '/v2/user', { ...NEW_USER, headers })).headers.get('x-svc-error-code')
    expect(await create({ 'x-svc-csrf-token': '' })).toBe('csrf_token_missing')
    expect(await create({ 'x-svc-csrf-token': other.csrf })).toBe('csrf_token_missing')
    expect(await create({})).toBeNull()
    expect((await browser.ask('GET', '/v2/user', { headers: { 'x-svc-csrf-token': '' } })).status).toBe(200)
  })

  it('is ignored if there is an API key or a link token', async () => {
    const server = await serveConsole()
    const browser = new Browser(server)
    await browser.signIn()
    const headers = { 'x-service-api-key': 'sk_us_wrong' }
    expect((await browser.ask('GET', '/v2/user', { headers })).status).toBe(401)
    const linking = await browser.ask('GET', '/v2/link/providers', { headers: { 'x-service-link-token': 'wrong' } })
    expect(linking.headers.get('x-svc-error-code')).toBe('invalid_link_token')
  })

  it('ends after half an hour without use, and after twelve hours at the latest', async () => {
    const time = new Hands()
    const server = await serveConsole({ engine: { time } })
    const idle = new Browser(server)
    await idle.signIn()
    time.advance(30 * MINUTE_MS - 1)
    expect((await idle.ask('GET', '/console/session')).status).toBe(200)
    time.advance(1)
    const refused = await idle.ask('GET', '/v2/user')
    expect([refused.status, refused.headers.get('x-svc-error-code')]).toEqual([401, 'session_ended'])
    expect((await idle.ask('GET', '/console/session')).status).toBe(401)

    const busy = new Browser(server)
    await busy.signIn()
    const end = time.now() + 12 * HOUR_MS
    while (time.now() + 20 * MINUTE_MS < end) {
      time.advance(20 * MINUTE_MS)
      expect((await busy.ask('GET', '/v2/user')).status).toBe(200)
      await settled(server)
    }
    expect((await busy.session()).expires_at).toBe(new Date(end).toISOString().replace('.000Z', '+00:00'))
    time.advance(end - time.now())
    expect((await busy.ask('GET', '/v2/user')).status).toBe(401)
  })

  it('ends with its key', async () => {
    const server = await serveConsole()
    const key = await newKey(server)
    const browser = new Browser(server)
    await browser.signIn(key.api_key)
    expect((await browser.ask('GET', '/v2/user')).status).toBe(200)
    await server.ask('DELETE', `/svc/v1/keys/${key.key_id}`)
    expect((await browser.ask('GET', '/v2/user')).status).toBe(401)
  })

  it('ends at sign-out, and everywhere on request', async () => {
    const server = await serveConsole()
    const key = await newKey(server)
    const [one, two, three] = [new Browser(server), new Browser(server), new Browser(server)]
    const stranger = new Browser(server)
    for (const browser of [one, two, three]) await browser.signIn(key.api_key)
    await stranger.signIn()
    const unconfirmed = await one.ask('POST', '/console/sign-out', { headers: { 'x-svc-csrf-token': '' }, body: '{}' })
    expect(unconfirmed.status).toBe(403)
    const { cookie } = one
    const response = await one.ask('POST', '/console/sign-out', { body: '{"everywhere":false}' })
    expect([response.status, one.cookie]).toEqual([204, null])
    one.cookie = cookie
    expect((await one.ask('GET', '/console/session')).status).toBe(401)
    expect((await two.ask('GET', '/console/session')).status).toBe(200)
    await two.ask('POST', '/console/sign-out', { body: '{"everywhere":true}' })
    expect((await three.ask('GET', '/console/session')).status).toBe(401)
    expect((await stranger.ask('GET', '/console/session')).status).toBe(200)
  })

  it('ends at a sign-out without a body', async () => {
    const browser = new Browser(await serveConsole())
    await browser.signIn()
    expect((await browser.ask('POST', '/console/sign-out')).status).toBe(204)
  })

  it('is replaced when the same browser signs in again', async () => {
    const browser = new Browser(await serveConsole())
    await browser.signIn()
    const { cookie } = browser
    await browser.signIn()
    browser.cookie = cookie
    expect((await browser.ask('GET', '/console/session')).status).toBe(401)
  })

  it('is accepted by every server on the store', async () => {
    const first = await serveConsole()
    const second = await serveConsole({ dataDir: first.dataDir, publicUrl: first.url })
    const browser = new Browser(first)
    await browser.signIn()
    const there = await second.ask('GET', '/console/session', {
      key: null,
      headers: { cookie: browser.cookie ?? '' },
    })
    expect((there.json as Session).csrf_token).toBe(browser.csrf)
    await browser.ask('POST', '/console/sign-out', { body: '{}' })
    const after = await second.ask('GET', '/v2/user', { key: null, headers: { cookie: browser.cookie ?? 'x=y' } })
    expect(after.status).toBe(401)
  })
})

describe('a one-time URL', () => {
  it('signs in once, with the rights of the key that requested it', async () => {
    const server = await serveConsole()
    const key = await newKey(server)
    const at = await signInUrl(server, key.api_key)
    const first = await visit(server, at)
    expect(first.status).toBe(303)
    expect(first.cookie).toMatch(/; HttpOnly; SameSite=Strict$/)
    const browser = new Browser(server)
    browser.cookie = first.cookie.split(';')[0] ?? ''
    expect((await browser.session()).key).toEqual({ label: 'laptop', is_operator: false })
    const second = await visit(server, at)
    expect([second.status, second.cookie]).toEqual([401, ''])
    expect(second.text).toContain('svc open')
  })

  it('signs in only one of several simultaneous users', async () => {
    const server = await serveConsole()
    const at = await signInUrl(server)
    const responses = await Promise.all(Array.from({ length: 8 }, () => visit(server, at)))
    expect(responses.map(each => each.status).sort()).toEqual([303, ...Array<number>(7).fill(401)])
  })

  it('works for a minute, and not after its key was revoked', async () => {
    const time = new Hands()
    const server = await serveConsole({ engine: { time } })
    const late = await signInUrl(server)
    time.advance(60 * SECOND_MS + 1)
    expect((await visit(server, late)).status).toBe(401)
    const key = await newKey(server)
    const revoked = await signInUrl(server, key.api_key)
    await server.ask('DELETE', `/svc/v1/keys/${key.key_id}`)
    expect((await visit(server, revoked)).status).toBe(401)
  })

  it.each(['cross-site', 'same-site'])('asks for a click if a %s page links to it, and is not used up', async site => {
    const server = await serveConsole()
    const at = await signInUrl(server)
    const page = await server.ask('GET', at, { key: null, headers: { 'sec-fetch-site': site } })
    expect([page.status, page.headers.get('set-cookie')]).toEqual([200, null])
    expect(page.text).toContain('Sign in only if you requested this URL')
    const body = new URLSearchParams({ token: at.split('token=')[1] ?? '' }).toString()
    const send = (headers: Record<string, string>) =>
      fetch(`${server.url}/console/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      })
    expect((await send({ 'sec-fetch-site': site })).status).toBe(403)
    expect((await send({ origin: 'null' })).status).toBe(403)
    const done = await send({ 'sec-fetch-site': 'same-origin' })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/console'])
    expect(done.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict$/)
    expect((await send({ 'sec-fetch-site': 'same-origin' })).status).toBe(401)
  })

  it.each(['none', 'same-origin'])('signs in at once if the browser came from no other site (%s)', async site => {
    const server = await serveConsole()
    const headers = { 'sec-fetch-site': site }
    const response = await fetch(server.url + (await signInUrl(server)), { redirect: 'manual', headers })
    expect(response.status).toBe(303)
  })

  it('is not used up by HEAD, and guesses are limited', async () => {
    const server = await serveConsole()
    const at = await signInUrl(server)
    expect((await fetch(server.url + at, { method: 'HEAD' })).status).not.toBe(303)
    expect((await visit(server, at)).status).toBe(303)
    for (let i = 0; i < 20; i++) await visit(server, `/console/sign-in?token=${i}`)
    expect((await visit(server, '/console/sign-in?token=21')).status).toBe(429)
    expect((await visit(server, await signInUrl(server))).status).toBe(303)
  })
})

describe('a one-time URL that a session requested', () => {
  /** Sends a request as the console would. */
  async function newSignInUrl(browser: Browser, server: TestServer): Promise<string> {
    const { json } = await browser.ask('POST', '/svc/v1/console/sign-in-tokens')
    return (json as { url: string }).url.slice(server.url.length)
  }

  async function opened(server: TestServer, at: string): Promise<Browser> {
    const browser = new Browser(server)
    const { status, cookie } = await visit(server, at)
    expect(status).toBe(303)
    browser.cookie = cookie.split(';')[0] ?? ''
    browser.csrf = (await browser.session()).csrf_token
    return browser
  }

  it('ends no later than that session, however often it is passed on', async () => {
    const time = new Hands()
    const server = await serveConsole({ engine: { time } })
    const first = new Browser(server)
    await first.signIn()
    const end = time.now() + 12 * HOUR_MS
    let last = first
    while (time.now() + 20 * MINUTE_MS < end) {
      time.advance(20 * MINUTE_MS)
      last = await opened(server, await newSignInUrl(last, server))
      expect((await last.ask('GET', '/v2/user')).status).toBe(200)
      await settled(server)
    }
    time.advance(end - time.now() - 10 * SECOND_MS)
    expect((await last.ask('GET', '/console/session')).status).toBe(200)
    const { json } = await last.ask('POST', '/svc/v1/console/sign-in-tokens')
    expect(Date.parse((json as { expires_at: string }).expires_at)).toBe(end)
    time.advance(10 * SECOND_MS)
    expect((await last.ask('GET', '/console/session')).status).toBe(401)
    expect((await visit(server, (json as { url: string }).url.slice(server.url.length))).status).toBe(401)
  })

  it('ends when that session signs out, used or not', async () => {
    const server = await serveConsole()
    const first = new Browser(server)
    await first.signIn()
    const second = await opened(server, await newSignInUrl(first, server))
    const unused = await newSignInUrl(first, server)
    await first.ask('POST', '/console/sign-out', { body: '{}' })
    expect((await second.ask('GET', '/console/session')).status).toBe(401)
    expect((await visit(server, unused)).status).toBe(401)
  })

  it('also works in that session’s browser, and does not contain its secret', async () => {
    const server = await serveConsole()
    const browser = new Browser(server)
    await browser.signIn()
    const at = await newSignInUrl(browser, server)
    expect(at).not.toContain(browser.cookie?.split('=')[1])
    const again = await fetch(server.url + at, { redirect: 'manual', headers: { cookie: browser.cookie ?? '' } })
    expect(again.status).toBe(303)
    expect((await browser.ask('GET', '/v2/user')).status).toBe(200)
    const changed = at.replace(/token=.{43}/, `token=${'A'.repeat(43)}`)
    expect((await visit(server, changed)).status).toBe(401)
  })
})

/** The use of a session is stored after the response. */
async function settled(server: TestServer): Promise<void> {
  await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: `${Math.random()}` }) })
}
