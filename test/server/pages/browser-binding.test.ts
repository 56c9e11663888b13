/** A sign-in that the link page starts can end only in the same browser: pages sent to somebody else, and the binding cookie. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashSecret } from '../../../src/core/ids.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { serve, type TestServer } from '../../kit/server.ts'
import type { FakeProvider } from '../../providers/fake-provider.ts'
import { LIVE_CASES } from '../../providers/live-cases.ts'
import { PageBrowser, pageHeading, pageNotice, refreshUrl, successUrl } from './page-browser.ts'

const BACK = 'https://app.example/back?user=7'
const NOT_HERE = 'This sign-in was not started in this browser'

let server: TestServer
let fake: FakeProvider
let userId = ''
let mine: PageBrowser
let theirs: PageBrowser

async function setUp(at: TestServer, redirect_url: string | null = null): Promise<void> {
  const body = JSON.stringify({
    client_id: fake.clientId,
    client_secret: fake.clientSecret,
    authorize_url: fake.authorizeUrl,
    token_url: fake.tokenUrl,
    api_url: fake.url,
    redirect_url,
  })
  expect((await at.ask('PUT', '/svc/v1/providers/oura/setup', { body })).status).toBe(200)
}

beforeAll(async () => {
  const open = await LIVE_CASES.find(each => each.provider === 'oura')?.open()
  if (!open) throw new Error('There is no fake Oura.')
  fake = open.fake
  atEndOfFile(() => fake.close())
  server = await serve()
  await setUp(server)
})

beforeEach(async () => {
  fake.consent = {}
  mine = new PageBrowser(server.url)
  theirs = new PageBrowser(server.url)
  userId = await newUser(server)
})

async function newUser(at: TestServer): Promise<string> {
  const body = JSON.stringify({ client_user_id: `ada-${Math.random()}` })
  return ((await at.ask('POST', '/v2/user', { body })).json as { user_id: string }).user_id
}

async function newToken(more: object = {}, at = server): Promise<string> {
  const body = JSON.stringify({ user_id: userId, redirect_url: BACK, ...more })
  return ((await at.ask('POST', '/v2/link/token', { body })).json as { link_token: string }).link_token
}

const press = (browser: PageBrowser, token: string, provider: string, headers = {}) =>
  browser.go('/link', { token, provider, action: 'consent' }, headers)
const connected = async (): Promise<string[]> =>
  ((await server.ask('GET', `/v2/user/providers/${userId}`)).json as { providers: { slug: string }[] }).providers.map(
    each => each.slug,
  )
const exchanges = () => fake.requests.filter(each => each.form.get('grant_type') === 'authorization_code').length

describe('a sign-in at a live provider', () => {
  it('that somebody sent to another person connects nothing there, and can still end where it began', async () => {
    const token = await newToken({ on_error: 'redirect' })
    const away = refreshUrl(await press(theirs, token, 'oura'))
    const before = exchanges()
    const { to } = await mine.go(away)
    const refused = await mine.go(to)
    expect([refused.status, refused.to, pageHeading(refused)]).toEqual([400, '', NOT_HERE])
    expect(refused.text).toContain('If somebody else sent you here, close this page')
    expect(refused.text).not.toContain('app.example')
    expect([await connected(), exchanges()]).toEqual([[], before])
    const code = await theirs.go(away)
    expect((await theirs.go(code.to)).to).toBe(successUrl(BACK, token))
    expect(await connected()).toEqual(['oura'])
  })

  it('is refused with the cookie of a browser that started another one', async () => {
    const away = refreshUrl(await press(theirs, await newToken(), 'oura'))
    await press(mine, await newToken(), 'oura')
    expect(pageHeading(await mine.go((await mine.go(away)).to))).toBe(NOT_HERE)
  })

  it('can run in parallel with others in the same browser, ending in any order', async () => {
    const tokens = [await newToken(), await newToken(), await newToken()]
    const aways = (await Promise.all(tokens.map(token => press(mine, token, 'oura')))).map(refreshUrl)
    for (const i of [2, 0, 1]) {
      const { to } = await mine.go(aways[i] as string)
      expect((await mine.go(to)).to).toBe(successUrl(BACK, tokens[i] as string))
    }
  })

  it('that an application started can end in any browser, and the application checks its token’s hash', async () => {
    const token = await newToken()
    const begun = await server.ask('GET', '/v2/link/provider/oauth/oura', {
      key: null,
      headers: { 'x-service-link-token': token },
    })
    const { to } = await mine.go((begun.json as { oauth_url: string }).oauth_url)
    const done = await mine.go(to)
    expect(new URL(done.to).searchParams.get('link_token_hash')).toBe(hashSecret(token))
  })

  it('is not used up by a HEAD request', async () => {
    const token = await newToken()
    const headers = { 'x-service-link-token': token }
    const begun = await server.ask('GET', '/v2/link/provider/oauth/oura', { key: null, headers })
    const { to } = await mine.go((begun.json as { oauth_url: string }).oauth_url)
    const before = exchanges()
    expect((await fetch(to, { method: 'HEAD', redirect: 'manual' })).status).toBe(405)
    expect(exchanges()).toBe(before)
    expect((await mine.go(to)).to).toBe(successUrl(BACK, token))
  })

  it('is not bound to the browser if it returns to a host that does not get the cookie', async () => {
    const other = await serve()
    await setUp(other, `${other.url.replace('127.0.0.1', 'localhost')}/oauth/oura/callback`)
    userId = await newUser(other)
    const browser = new PageBrowser(other.url)
    const { to } = await browser.go(refreshUrl(await press(browser, await newToken({}, other), 'oura')))
    expect(to).toContain('//localhost:')
    expect((await new PageBrowser(other.url).go(to)).to).toContain('state=success')
  })
})

describe('a consent page of a simulated provider', () => {
  it('works only in the browser whose link page led there', async () => {
    const token = await newToken()
    const { to } = await press(theirs, token, 'fitbit')
    const state = new URL(to, server.url).searchParams.get('state') ?? ''
    const refused = await mine.go(to)
    expect([refused.status, pageHeading(refused)]).toEqual([400, NOT_HERE])
    const response = { state, from: token, decision: 'approve', scope: ['activity', 'heartrate', 'sleep'] }
    expect(pageHeading(await mine.go('/oauth/fitbit', response))).toBe(NOT_HERE)
    expect(await connected()).toEqual([])
    expect(pageHeading(await theirs.go(to))).toBe('Share Fitbit data?')
    expect((await theirs.go('/oauth/fitbit', response)).to).toContain('state=')
  })
})

describe('the cookie', () => {
  const cookieOf = async (publicUrl: string | null): Promise<string> => {
    const at = await serve({ publicUrl })
    userId = await newUser(at)
    return (await press(new PageBrowser(at.url), await newToken({}, at), 'fitbit')).headers.get('set-cookie') ?? ''
  }

  it('is for this server only, lasts an hour, and is hidden from scripts', async () => {
    expect(await cookieOf(null)).toMatch(
      /^svc_link_[0-9a-f]{12}=[\w-]{43}; Path=\/oauth; Max-Age=3600; HttpOnly; SameSite=Lax$/,
    )
    expect(await cookieOf('https://health.example')).toMatch(
      /^__Host-svc_link_[0-9a-f]{12}=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect(await cookieOf('https://example.com/health/')).toMatch(
      /^__Secure-svc_link_[0-9a-f]{12}=[\w-]{43}; Path=\/health\/oauth; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
    )
  })

  it('is set by no other step', async () => {
    const token = await newToken()
    for (const page of [`/link?token=${token}`, `/link?token=${token}&provider=oura`, '/link/done', '/link?token=x']) {
      expect((await mine.go(page)).headers.get('set-cookie'), page).toBeNull()
    }
  })
})

it.each(['cross-site', 'same-site'])('a form on a %s page starts nothing in its visitor’s browser', async site => {
  const token = await newToken()
  const refused = await press(mine, token, 'oura', { 'sec-fetch-site': site })
  expect([refused.status, pageHeading(refused), refreshUrl(refused)]).toEqual([
    403,
    'This form was sent by another site',
    '',
  ])
  expect(refused.headers.get('set-cookie')).toBeNull()
  expect((await mine.go(`/link?token=${token}`, undefined, { 'sec-fetch-site': site })).status).toBe(200)
  expect((await press(mine, token, 'oura', { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
})

describe('the last line of a page', () => {
  it('says nothing about simulation where a live sign-in fails', async () => {
    const token = await newToken({ redirect_url: null, provider: 'oura' })
    const pages: Record<string, string> = {}
    const away = refreshUrl(await press(mine, token, 'oura'))
    fake.consent = { isDenied: true }
    const denied = await mine.go((await mine.go(away)).to)
    pages['denied'] = denied.text
    pages['answered before'] = (await mine.go((await mine.go(away)).to)).text
    pages['another browser'] = (await theirs.go((await theirs.go(away)).to)).text
    pages['unknown state'] = (await mine.go('/oauth/oura/callback?state=x')).text
    pages['unknown token'] = (await mine.go('/link?token=x')).text
    pages['closed'] = (await mine.go('/link/closed')).text
    pages['not found'] = (await mine.go('/oauth/whoop/callback?state=x')).text
    pages['of another site'] = (await press(mine, token, 'oura', { 'sec-fetch-site': 'cross-site' })).text
    pages['step'] = (await mine.go(`/link?token=${token}`)).text
    pages['step with a problem'] = (await mine.go(`/link?token=${token}&problem=provider_api_error`)).text
    pages['choice'] = (await mine.go(`/link?token=${token}&choose=1`)).text
    pages['too large'] = (await mine.go('/link', { token: 'x'.repeat(20_000) })).text
    for (const [name, text] of Object.entries(pages)) expect(text, name).not.toMatch(/simulated/i)
    expect(pageHeading(denied)).toBe('The provider did not let you in')
    expect(pageNotice(denied)).toBe('This server connects accounts at providers of health data to an application.')
  })

  it('says which providers in a list are simulated', async () => {
    const listFor = async (...filter_on_providers: string[]): Promise<string | undefined> =>
      pageNotice(await mine.go(`/link?token=${await newToken({ filter_on_providers })}`))
    await server.ask('PUT', '/svc/v1/providers/polar/setup', { body: '{"client_id":"c","client_secret":"s"}' })
    expect(await listFor('oura', 'polar')).toBe(
      'You sign in at the provider itself. Nothing that you enter there reaches this server.',
    )
    expect(await listFor('oura', 'fitbit')).toContain('Some of these providers are simulated')
    expect(await listFor('fitbit', 'zwift')).toContain('These providers are simulated')
    expect(await listFor('fitbit')).toContain('These providers are simulated')
  })
})
