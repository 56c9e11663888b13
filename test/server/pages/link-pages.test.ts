/** The hosted pages as requests: the response and the redirect of each step, and the rules for all pages. */
import { beforeAll, describe, expect, it } from 'vitest'
import { hashSecret } from '../../../src/core/ids.ts'
import { serve, type TestServer } from '../../kit/server.ts'
import { PageBrowser, successUrl } from './page-browser.ts'

const BACK = 'https://app.example/back?user=7'
let server: TestServer
let userId = ''
let browser: PageBrowser

beforeAll(async () => {
  server = await serve({ engine: { seed: 'pages' } })
  browser = new PageBrowser(server.url)
  userId = await newUser('ada')
})

async function newUser(name: string): Promise<string> {
  const made = await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: name }) })
  return (made.json as { user_id: string }).user_id
}
async function newToken(more: object = {}): Promise<string> {
  const body = JSON.stringify({ user_id: userId, redirect_url: BACK, ...more })
  return ((await server.ask('POST', '/v2/link/token', { body })).json as { link_token: string }).link_token
}

const go = (path: string, form?: Record<string, string | string[]>) => browser.go(path, form)
const linkPage = (token: string, more = '') => go(`/link?token=${encodeURIComponent(token)}${more}`)
const signIn = (token: string, provider: string, more: Record<string, string>) =>
  go('/link', { token, provider, action: 'sign-in', ...more })
const heading = (text: string): string | undefined => /<h1[^>]*>([^<]*)/.exec(text)?.[1]
const query = (to: string | null): Record<string, string> =>
  Object.fromEntries(new URL(to ?? '', 'http://none.example').searchParams)
/** Returns the consent page of an OAuth sign-in that an application started. */
async function openConsent(token: string, provider = 'oura'): Promise<{ path: string; state: string }> {
  const begun = await server.ask('GET', `/v2/link/provider/oauth/${provider}`, {
    key: null,
    headers: { 'x-service-link-token': token },
  })
  const { oauth_url } = begun.json as { oauth_url: string }
  expect(oauth_url.startsWith(`${server.url}/oauth/${provider}?state=`)).toBe(true)
  return { path: oauth_url.slice(server.url.length), state: query(oauth_url)['state'] as string }
}

describe('the link page', () => {
  it('offers the token’s providers, and skips the choice if there is only one', async () => {
    const list = await linkPage(await newToken({ filter_on_providers: ['zwift', 'oura', 'apple_health_kit'] }))
    expect([list.status, heading(list.text)]).toEqual([200, 'Connect a provider'])
    expect(list.text.match(/provider=(\w+)/g)).toEqual(['provider=oura', 'provider=zwift'])
    const one = await linkPage(await newToken({ provider: 'zwift' }))
    expect(heading(one.text)).toBe('Sign in to Zwift')
    expect(one.text).not.toContain('Choose another provider')
    const none = await linkPage(await newToken({ provider: 'apple_health_kit' }))
    expect(heading(none.text)).toBe('Nothing to connect')
    const other = await linkPage(await newToken({ filter_on_providers: ['zwift', 'oura'] }), '&provider=whoop')
    expect([other.status, other.text.includes('not available here')]).toEqual([422, true])
  })

  it('signs in with a password and redirects back with state=success', async () => {
    const token = await newToken()
    const done = await signIn(token, 'zwift', { username: 'ada', password: 'pw' })
    expect([done.status, done.to]).toEqual([303, successUrl(BACK, token)])
    const again = await linkPage(token)
    expect([again.status, heading(again.text)]).toEqual([400, 'This link has already been used'])
    expect(again.text).toContain('error_type=token_consumed')
  })

  it('ends on a page of the server without a redirect URL', async () => {
    const token = await newToken({ redirect_url: null })
    const done = await signIn(token, 'kardia', { username: 'ada', password: 'pw' })
    expect(done.to).toBe('/link/done?provider=kardia')
    expect(heading((await go('/link/done?provider=kardia')).text)).toBe('Kardia is connected')
    expect(heading((await go('/link/done?provider=<b>')).text)).toBe('Connected')
  })

  it('reports all missing fields at once, and keeps the input except for the password', async () => {
    const token = await newToken()
    const page = await signIn(token, 'dexcom', { username: '<ada>', password: '', region: '' })
    expect(page.status).toBe(422)
    expect(page.text).toContain('<title>Error: Connect Dexcom</title>')
    expect(page.text.match(/<li><a href="#(\w+)">/g)).toEqual(['<li><a href="#password">', '<li><a href="#region">'])
    expect(page.text).toContain('value="&lt;ada&gt;"')
    const wrong = await signIn(token, 'whoop', { username: 'ada', password: 'wrong' })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('The provider did not let you in')
    expect(wrong.text).not.toContain('value="wrong"')
  })

  it('asks for the code, shows the remaining attempts, and starts again after the last', async () => {
    const token = await newToken()
    const first = await signIn(token, 'zwift', { username: 'mfa-sms@sandbox.test', password: 'x' })
    expect(first.to).toBe(`/link?token=${encodeURIComponent(token)}&provider=zwift`)
    expect(heading((await go(first.to as string)).text)).toBe('Enter the code')
    const send = (mfa_code: string) => go('/link', { token, provider: 'zwift', action: 'code', mfa_code })
    expect((await send('')).text).toContain('Enter the code</a>')
    expect((await send('1')).text).toContain('4 attempts are left')
    for (let i = 0; i < 3; i++) await send('1')
    const last = await send('1')
    expect(heading(last.text)).toBe('Sign in to Zwift')
    expect(last.text).toContain('sign in again')
    await signIn(token, 'zwift', { username: 'mfa-email@sandbox.test', password: 'x' })
    expect((await send(' 123456 ')).to).toBe(successUrl(BACK, token))
  })

  it('respects on_error and on_close', async () => {
    const token = await newToken({ on_error: 'redirect', on_close: 'redirect' })
    const failed = await signIn(token, 'whoop', { username: 'down@sandbox.test', password: 'x' })
    expect(query(failed.to)).toMatchObject({ user: '7', state: 'error', error_type: 'provider_api_error' })
    const closed = await go('/link', { token, action: 'close' })
    expect([closed.status, query(closed.to)]).toEqual([
      303,
      {
        user: '7',
        state: 'error',
        error_type: 'user_cancelled',
        error: 'The user closed the link page',
        link_token_hash: hashSecret(token),
      },
    ])
    const stays = await go('/link', { token: await newToken(), action: 'close' })
    expect(stays.to).toBe('/link/closed')
    expect((await go('/link/closed')).status).toBe(200)
  })

  it('signs in with an e-mail address', async () => {
    const token = await newToken({ provider: 'freestyle_libre' })
    expect((await linkPage(token)).text).toContain('<option value="us" selected>United States</option>')
    const bad = await signIn(token, 'freestyle_libre', { email: 'ada', region: 'us' })
    expect(bad.text).toContain('href="#email"')
    expect((await signIn(token, 'freestyle_libre', { email: 'ada@example.com', region: 'gb' })).to).toContain('success')
  })
})

describe('a consent page', () => {
  it('lists the scopes, marks the required ones, and redirects back with state=success', async () => {
    const token = await newToken()
    const { path, state } = await openConsent(token)
    const page = await go(path)
    expect(heading(page.text)).toBe('Share Oura data?')
    expect(page.text.match(/name="scope" value="(\w+)"/g)).toHaveLength(6)
    expect(page.text.match(/\(required\)/g)).toHaveLength(1)
    const done = await go('/oauth/oura', { state, decision: 'approve', scope: ['daily', 'heartrate'], account: '' })
    expect([done.status, done.to]).toEqual([303, successUrl(BACK, token)])
    const providers = await server.ask('GET', `/v2/user/providers/${userId}`)
    expect(providers.text).toContain('"oura"')
    const again = await go(path)
    expect(query(again.to)).toMatchObject({ state: 'error', error_type: 'token_consumed' })
  })

  it.each([
    [{ decision: 'deny', scope: ['daily'] }, 'provider_credential_error'],
    [{ decision: 'approve', scope: ['heartrate'] }, 'required_scopes_not_granted'],
    [{ decision: 'approve', scope: ['daily'], account: 'taken@sandbox.test' }, 'duplicate_connection'],
    [{ decision: 'approve', scope: ['daily'], account: 'expired@sandbox.test' }, 'provider_password_expired'],
  ])('answered with %o redirects back with %s', async (form, errorType) => {
    const { state } = await openConsent(await newToken())
    const failed = await go('/oauth/oura', { state, ...form })
    expect([failed.status, query(failed.to)]).toMatchObject([303, { user: '7', state: 'error', error_type: errorType }])
    expect(query(failed.to)['error']).toBeTruthy()
  })

  it('that was never started results in token_not_validated', async () => {
    const token = await newToken()
    expect(query((await go(`/oauth/oura?state=${token}`)).to)).toMatchObject({ error_type: 'token_not_validated' })
    const { state } = await openConsent(token)
    expect(query((await go(`/oauth/fitbit?state=${state}`)).to)).toMatchObject({ error_type: 'token_not_validated' })
    const unknown = await go('/oauth/oura?state=rubbish')
    expect([unknown.status, unknown.to]).toEqual([400, ''])
    expect((await go(`/oauth/whoop?state=${state}`)).status).toBe(404)
  })

  it('opened from the link page returns there after an error, to try again', async () => {
    const token = await newToken()
    const begun = await go('/link', { token, provider: 'oura', action: 'consent' })
    const { state, from } = query(begun.to) as { state: string; from: string }
    expect(from).toBe(token)
    expect((await go(begun.to as string)).text).toContain(`name="from" value="${token}"`)
    const failed = await go('/oauth/oura', { state, from, decision: 'deny' })
    expect(failed.to).toBe(`/link?token=${token}&provider=oura&problem=provider_credential_error`)
    const page = await go(failed.to as string)
    expect([page.status, heading(page.text)]).toEqual([422, 'Connect Oura'])
    const foreign = await go('/oauth/oura', { state, from: await newToken(), decision: 'deny' })
    expect(foreign.to, 'the token of another link is not carried on').toContain('https://app.example/back')
  })
})

describe('every page', () => {
  it('runs no scripts, loads nothing from elsewhere, and never reveals its URL', async () => {
    const token = await newToken({ redirect_url: 'http://[::1]:3000/back' })
    const { path } = await openConsent(token)
    for (const each of [
      `/link?token=${token}`,
      `/link?token=${token}&provider=zwift`,
      path,
      '/link/done',
      '/link?token=x',
    ]) {
      const { headers, text } = await go(each)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'; style-src 'self'; img-src data:; form-action 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(text).not.toMatch(/<script|<iframe|<img|style="| on\w+="/)
      expect(text.match(/(?:src|href|action)="([^"]*)"/g)?.filter(link => /"https?:/.test(link)) ?? []).toEqual([])
      expect(text).toMatch(/<html lang="en">[\s\S]*<main>[\s\S]*<h1/)
    }
    expect((await linkPage(token)).headers.get('content-security-policy')).toContain("form-action 'self' http:;")
  })

  it('shares one stylesheet, which browsers cache', async () => {
    const style = /href="([^"]*\.css)"/.exec((await go('/link/done')).text)?.[1] as string
    const { status, headers, text } = await go(style)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect(headers.get('cache-control')).toContain('immutable')
    expect(text.length).toBeLessThan(8_000)
  })

  it('shows no part of its URL', async () => {
    const token = await newToken()
    const injected = encodeURIComponent('"><script>alert(1)</script>')
    for (const path of [
      `/link?token=${injected}`,
      `/link?token=${token}&provider=${injected}`,
      `/link?token=${token}&problem=${injected}`,
      `/oauth/oura?state=${injected}`,
      `/link/done?provider=${injected}`,
    ]) {
      expect((await go(path)).text, path).not.toContain('alert(1)')
    }
  })

  it('refuses other media types and long forms, and lists its allowed methods', async () => {
    const json = await server.ask('POST', '/link', { body: '{}', key: null })
    expect(json.status).toBe(415)
    expect((await go('/link', { token: 'x'.repeat(20_000) })).status).toBe(413)
    const wrong = await server.ask('DELETE', '/link', { key: null })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST'])
  })

  it('stays below a proxy’s path', async () => {
    const below = await serve({ publicUrl: 'https://health.example/svc/' })
    const page = await fetch(`${below.url}/link/done`)
    expect(await page.text()).toContain('href="/svc/link/style-')
  })
})

describe('guessing', () => {
  it('codes is stopped, however many are sent at once and however often the sign-in is restarted', async () => {
    const token = await newToken({ provider: 'zwift' })
    const headers = { 'x-service-link-token': token }
    const post = (path: string, body: object) =>
      server.ask('POST', `/v2/link/provider/password/zwift${path}`, { key: null, headers, body: JSON.stringify(body) })
    const counts = { tried: 0, refused: 0 }
    for (let round = 0; round < 5; round++) {
      await post('', { username: 'mfa-sms@sandbox.test', password: 'x' })
      const codes = Array.from({ length: 10 }, (_, i) => post('/complete_mfa', { mfa_code: `00${round}${i}99` }))
      for (const { status } of await Promise.all(codes)) counts[status === 429 ? 'refused' : 'tried']++
    }
    expect(counts.tried + counts.refused).toBe(50)
    // submissions after the step became void tried no code
    expect(counts.refused).toBeGreaterThan(0)
    const other = await newToken({ provider: 'zwift' })
    const response = await server.ask('GET', '/v2/link/providers', {
      key: null,
      headers: { 'x-service-link-token': other },
    })
    expect(response.status).toBe(200)
  })

  it('tokens is refused after twenty wrong ones, on the pages and the API alike; the log has none of them', async () => {
    const guessed = await serve()
    const statuses: number[] = []
    for (let i = 0; i < 21; i++) {
      statuses.push((await fetch(`${guessed.url}/link?token=wrong-${i}`)).status)
    }
    expect(statuses.slice(0, 20).every(status => status === 400)).toBe(true)
    expect(statuses[20]).toBe(429)
    const api = await guessed.ask('POST', '/v2/link/provider/password/whoop', {
      key: null,
      headers: { 'x-service-link-token': 'another' },
      body: '{"username":"a","password":"b"}',
    })
    expect([api.status, Number(api.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await guessed.ask('GET', '/v2/user')).status, 'an API key of the same address').toBe(200)
    expect((await guessed.ask('GET', '/v2/user', { key: 'wrong' })).status, 'a wrong key is another kind').toBe(401)
    const user = await guessed.ask('POST', '/v2/user', { body: '{"client_user_id":"linking"}' })
    const { user_id } = user.json as { user_id: string }
    const made = await guessed.ask('POST', '/v2/link/token', { body: JSON.stringify({ user_id }) })
    const { link_token } = made.json as { link_token: string }
    expect((await fetch(`${guessed.url}/link?token=${link_token}`)).status, 'a right token').toBe(200)
    const providers = { key: null, headers: { 'x-service-link-token': link_token } }
    expect((await guessed.ask('GET', '/v2/link/providers', providers)).status).toBe(200)
    expect(guessed.lines.join('\n')).not.toContain('wrong-')
  })
})
