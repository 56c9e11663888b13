/** People who sign in to the console: their one-time URLs, what their sessions allow, and how sessions end. */
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../../src/core/time.ts'
import { browserFamily } from '../../../src/server/console/browser-family.ts'
import type { TestServer } from '../../kit/server.ts'
import { until } from '../../kit/until.ts'
import { Browser, Hands, serveConsole } from './console-server.ts'

interface Added {
  readonly person_id: string
  readonly url: string
  readonly expires_at: string
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

async function add(server: TestServer, name: string, role: string): Promise<Added> {
  const { json } = await server.ask('POST', '/svc/v1/people', { body: JSON.stringify({ name, role }) })
  return json as Added
}

/** Opens a one-time URL in a new browser, and returns it with the status. */
async function visit(server: TestServer, url: string): Promise<{ browser: Browser; status: number }> {
  const response = await fetch(url, { redirect: 'manual', headers: { 'user-agent': FIREFOX } })
  const browser = new Browser(server)
  browser.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? null
  if (response.status === 303) browser.csrf = (await browser.session()).csrf_token
  return { browser, status: response.status }
}

const sessionsOf = async (server: TestServer) =>
  ((await server.ask('GET', '/svc/v1/console/sessions')).json as { sessions: Record<string, unknown>[] }).sessions

describe('the one-time URL of a person', () => {
  it('signs in once, as the person, with the rights of the role', async () => {
    const server = await serveConsole()
    const { person_id, url } = await add(server, 'Ana', 'reader')
    const { browser, status } = await visit(server, url)
    expect(status).toBe(303)
    const session = await browser.session()
    expect(session).toMatchObject({ person: { id: person_id, name: 'Ana', role: 'reader' }, key: { label: null } })
    expect(session.forbidden).toContain('user.create')
    expect(session.forbidden).not.toContain('summary.get')
    expect((await browser.ask('GET', '/v2/user')).status).toBe(200)
    const refused = await browser.ask('POST', '/v2/user', { body: '{"client_user_id":"ben"}' })
    expect([refused.status, refused.headers.get('x-svc-error-code')]).toEqual([403, 'role_not_allowed'])
    expect((await visit(server, url)).status).toBe(401)
  })

  it('works for 10 minutes, not after a removal, and its token is not stored', async () => {
    const time = new Hands()
    const server = await serveConsole({ engine: { time } })
    const { url, person_id, expires_at } = await add(server, 'Ana', 'owner')
    expect(Date.parse(expires_at)).toBe(time.now() + 10 * MINUTE_MS)
    const again = await server.ask('POST', `/svc/v1/people/${person_id}/sign-in-tokens`)
    time.advance(10 * MINUTE_MS + 1)
    expect((await visit(server, url)).status).toBe(401)
    const second = (await server.ask('POST', `/svc/v1/people/${person_id}/sign-in-tokens`)).json as Added
    await server.ask('DELETE', `/svc/v1/people/${person_id}`)
    expect((await visit(server, second.url)).status).toBe(401)
    expect(again.status).toBe(200)
    expect(server.lines.join('\n')).not.toContain(second.url.split('token=')[1])
  })
})

describe('the session of a person', () => {
  it('is listed with the family of the browser only, and ends at once, with its event stream', async () => {
    const server = await serveConsole()
    const { person_id, url } = await add(server, 'Ana', 'operator')
    const { browser } = await visit(server, url)
    const [session] = await sessionsOf(server)
    expect(session).toMatchObject({ person_id, key_id: null, name: 'Ana', browser: 'Firefox', is_current: false })
    const own = (await browser.ask('GET', '/svc/v1/console/sessions')).json
    expect(own).toMatchObject({ sessions: [{ is_current: true }] })
    let isOver = false
    request(`${server.url}/console/events/stream`, { headers: { cookie: browser.cookie ?? '' } })
      .on('response', response => response.resume().on('close', () => (isOver = true)))
      .end()
    await until(async () => (await browser.ask('GET', '/console/session')).status === 200)
    // only an owner ends sessions
    expect((await browser.ask('DELETE', `/svc/v1/console/sessions/${session?.['session_id']}`)).status).toBe(403)
    expect((await server.ask('DELETE', `/svc/v1/console/sessions/${session?.['session_id']}`)).status).toBe(204)
    expect((await browser.ask('GET', '/v2/user')).status).toBe(401)
    await until(() => isOver)
    expect(await sessionsOf(server)).toEqual([])
    expect((await server.ask('DELETE', `/svc/v1/console/sessions/${session?.['session_id']}`)).status).toBe(404)
  })

  it('ends when the person is removed, or signs out everywhere', async () => {
    const server = await serveConsole()
    const { person_id, url } = await add(server, 'Ana', 'reader')
    const first = await visit(server, url)
    const more = (await server.ask('POST', `/svc/v1/people/${person_id}/sign-in-tokens`)).json as Added
    const second = await visit(server, more.url)
    const owner = new Browser(server)
    await owner.signIn()
    await first.browser.ask('POST', '/console/sign-out', { body: '{"everywhere":true}' })
    expect((await second.browser.ask('GET', '/console/session')).status).toBe(401)
    const last = (await server.ask('POST', `/svc/v1/people/${person_id}/sign-in-tokens`)).json as Added
    const third = await visit(server, last.url)
    await server.ask('DELETE', `/svc/v1/people/${person_id}`)
    expect((await third.browser.ask('GET', '/v2/user')).status).toBe(401)
    // the session of a key continues
    expect((await owner.ask('GET', '/v2/user')).status).toBe(200)
  })
})

it('recognizes the families of browsers', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
  const safari = 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15'
  const found = [FIREFOX, chrome, `${chrome} Edg/140.0.0.0`, `${chrome} OPR/120.0`, safari, 'curl/8', undefined]
  expect(found.map(browserFamily)).toEqual(['Firefox', 'Chrome', 'Edge', 'Opera', 'Safari', '', ''])
})
