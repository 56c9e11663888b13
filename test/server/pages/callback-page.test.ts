/** The callback of live providers in a browser without scripts: from the link page to the provider, and back to the application. */
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { serve, type TestServer } from '../../kit/server.ts'
import type { FakeProvider } from '../../providers/fake-provider.ts'
import { openTestProvider, TEST_PROVIDER } from '../../providers/test-connector.ts'
import { PageBrowser, refreshUrl, successUrl } from './page-browser.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('../../engine/live/live-connectors.ts'))

const BACK = 'https://app.example/back?user=7'
let server: TestServer
let fake: FakeProvider
let userId = ''
let browser: PageBrowser

beforeAll(async () => {
  server = await serve()
  fake = await openTestProvider({ redirectUrls: [`${server.url}/oauth/${TEST_PROVIDER}/callback`] })
  atEndOfFile(() => fake.close())
  const setUp = {
    client_id: fake.clientId,
    client_secret: fake.clientSecret,
    authorize_url: fake.authorizeUrl,
    token_url: fake.tokenUrl,
    api_url: fake.url,
  }
  const path = `/svc/v1/providers/${TEST_PROVIDER}/setup`
  expect((await server.ask('PUT', path, { body: JSON.stringify(setUp) })).status).toBe(200)
})

beforeEach(async () => {
  fake.consent = {}
  browser = new PageBrowser(server.url)
  const body = JSON.stringify({ client_user_id: `ada-${Math.random()}` })
  userId = ((await server.ask('POST', '/v2/user', { body })).json as { user_id: string }).user_id
})

async function newToken(more: object = {}): Promise<string> {
  const body = JSON.stringify({ user_id: userId, redirect_url: BACK, ...more })
  return ((await server.ask('POST', '/v2/link/token', { body })).json as { link_token: string }).link_token
}

const go = (url: string, form?: Record<string, string>) => browser.go(url, form)

/** Presses the button on the link page. Returns the URL to which the next page redirects. */
async function leave(token: string): Promise<string> {
  const page = await go('/link', { token, provider: TEST_PROVIDER, action: 'consent' })
  expect(page.status).toBe(200)
  return refreshUrl(page)
}

const callback = (query: Record<string, string>) => go(`/oauth/${TEST_PROVIDER}/callback?${new URLSearchParams(query)}`)
const heading = (text: string): string | undefined => /<h1[^>]*>([^<]*)/.exec(text)?.[1]
const connections = async () =>
  ((await server.ask('GET', `/v2/user/providers/${userId}`)).json as { providers: unknown[] }).providers

describe('a link to a live provider in a browser', () => {
  it('leads to the provider and back to the application, and the account is connected', async () => {
    const token = await newToken()
    const page = await go(`/link?token=${token}&provider=${TEST_PROVIDER}`)
    expect(page.text).toContain('You sign in at Garmin itself')
    expect(page.text).not.toContain('simulated')
    const away = await leave(token)
    expect(away.startsWith(fake.authorizeUrl)).toBe(true)
    const { to } = await go(away)
    expect(to.startsWith(`${server.url}/oauth/${TEST_PROVIDER}/callback?`)).toBe(true)
    const done = await go(to)
    expect([done.status, done.to]).toEqual([303, successUrl(BACK, token)])
    expect(await connections()).toMatchObject([{ slug: TEST_PROVIDER, mode: 'live' }])
  })

  it('ends on a page of the server without a redirect URL', async () => {
    const done = await go((await go(await leave(await newToken({ redirect_url: null })))).to)
    expect(done.to).toBe(`/link/done?provider=${TEST_PROVIDER}&live=1`)
    const page = await go(done.to)
    expect(heading(page.text)).toBe('Garmin is connected')
    expect(page.text).not.toContain('simulated')
  })

  it('reports to the application why nothing was connected', async () => {
    fake.consent = { isDenied: true }
    const denied = await go((await go(await leave(await newToken()))).to)
    expect(Object.fromEntries(new URL(denied.to).searchParams)).toMatchObject({
      user: '7',
      state: 'error',
      error_type: 'provider_credential_error',
    })
    fake.consent = { scopes: ['heartrate'] }
    const unticked = await go((await go(await leave(await newToken({ redirect_url: null })))).to)
    expect([unticked.status, heading(unticked.text)]).toEqual([400, 'A required permission was not granted'])
    expect(await connections()).toEqual([])
  })

  it('connects nothing when the browser loads the callback again', async () => {
    const { to } = await go(await leave(await newToken()))
    await go(to)
    expect(new URL((await go(to)).to).searchParams.get('error_type')).toBe('token_consumed')
    expect(await connections()).toHaveLength(1)
  })

  it('keeps codes and states out of the log', async () => {
    const { to } = await go(await leave(await newToken()))
    await go(to)
    const log = server.lines.join('\n')
    expect(log).toContain('/oauth/:provider/callback')
    for (const name of ['code', 'state']) expect(log).not.toContain(new URL(to).searchParams.get(name))
  })
})

it('refuses guessed states, and limits guesses', async () => {
  const guess = (n: number) => callback({ state: Buffer.alloc(48, n).toString('base64url'), code: 'c' })
  expect([(await guess(0)).status, heading((await guess(1)).text)]).toEqual([400, 'This sign-in was not started here'])
  const statuses: number[] = []
  for (let n = 2; n < 24; n++) statuses.push((await guess(n)).status)
  expect(statuses).toContain(429)
  expect((await go('/oauth/whoop/callback?state=x')).status).toBe(404)
})
