/** The link page and a live provider on another site in a real browser without scripts: the cookie, and refusals without it. */
import { once } from 'node:events'
import { createServer as plainServer, request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { serve, type TestServer } from '../../kit/server.ts'
import type { FakeProvider } from '../../providers/fake-provider.ts'
import { LIVE_CASES } from '../../providers/live-cases.ts'
import { selfSigned } from '../../server/certificate.ts'

const executable = browserPath()
if (executable === undefined) {
  process.stderr.write('live/link-browser.test.ts is skipped: no Chromium is installed (apt-get install chromium)\n')
}

/** Starts a server that browsers reach over https below a path. Returns its proxy's URL. */
async function serveSafely(path: string): Promise<TestServer> {
  let target: TestServer | undefined
  const proxy = createServer(selfSigned(new Date(Date.now() + 86_400_000)), (incoming, outgoing) => {
    const { method = 'GET', headers, url = '/' } = incoming
    const passed = request(`${target?.url}${url.slice(path.length)}`, { method, headers }, given => {
      outgoing.writeHead(given.statusCode ?? 502, given.headers)
      given.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  atEndOfFile(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const url = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`
  target = await serve({ publicUrl: url })
  return { ...target, url }
}

describe.skipIf(executable === undefined)('a live link in a browser', () => {
  let browser: Browser
  let fake: FakeProvider
  let applicationUrl = ''

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    const open = await LIVE_CASES.find(each => each.provider === 'oura')?.open()
    if (!open) throw new Error('There is no fake Oura.')
    fake = open.fake
    const application = plainServer((_request, response) => response.end('<title>Application</title>back again'))
    application.listen(0, '127.0.0.1')
    await once(application, 'listening')
    applicationUrl = `http://127.0.0.1:${(application.address() as AddressInfo).port}`
    atEndOfFile(() => {
      application.close()
      return fake.close()
    })
  })
  afterAll(() => browser?.close())

  const newPerson = async (): Promise<BrowserContext> => {
    const context = await browser.newContext({ javaScriptEnabled: false, ignoreHTTPSErrors: true })
    atEndOfFile(() => context.close())
    return context
  }

  async function setUp(server: TestServer): Promise<void> {
    const body = JSON.stringify({
      client_id: fake.clientId,
      client_secret: fake.clientSecret,
      // localhost and 127.0.0.1 are different sites
      authorize_url: fake.authorizeUrl.replace('127.0.0.1', 'localhost'),
      token_url: fake.tokenUrl,
      api_url: fake.url,
    })
    expect((await server.ask('PUT', '/svc/v1/providers/oura/setup', { body })).status).toBe(200)
  }

  async function newLink(server: TestServer, more: object = {}): Promise<{ url: string; userId: string }> {
    const user = await server.ask('POST', '/v2/user', {
      body: JSON.stringify({ client_user_id: `ada-${Math.random()}` }),
    })
    const { user_id } = user.json as { user_id: string }
    const body = JSON.stringify({ user_id, redirect_url: `${applicationUrl}/back`, provider: 'oura', ...more })
    const { json } = await server.ask('POST', '/v2/link/token', { body })
    return { url: (json as { link_web_url: string }).link_web_url, userId: user_id }
  }

  const slugs = async (server: TestServer, userId: string): Promise<string[]> => {
    const { json } = await server.ask('GET', `/v2/user/providers/${userId}`)
    return (json as { providers: { slug: string }[] }).providers.map(each => each.slug)
  }

  it.each([
    ['over http on loopback', async () => serve(), { name: /^svc_link_/, path: '/oauth', secure: false }],
    [
      'over https below a path',
      async () => serveSafely('/health/eu'),
      { name: /^__Secure-svc_link_/, path: '/health/eu/oauth', secure: true },
    ],
    ['over https', async () => serveSafely(''), { name: /^__Host-svc_link_/, path: '/', secure: true }],
  ])('%s ends where it began, in two tabs at once', async (_name, start, expected) => {
    const server = await start()
    await setUp(server)
    const [one, two] = [await newLink(server), await newLink(server)]
    const context = await newPerson()
    const pages = [await context.newPage(), await context.newPage()] as const
    await pages[0].goto(one.url)
    await pages[1].goto(two.url)
    // the provider waits for both, as a person would
    fake.fail({ path: /authorize/, delayMs: 300, times: 2 })
    await Promise.all(pages.map(page => page.getByRole('button', { name: 'Continue to Oura' }).click()))
    await Promise.all(pages.map(page => page.waitForURL(`${applicationUrl}/**`)))
    for (const page of pages) expect(new URL(page.url()).searchParams.get('state')).toBe('success')
    const { name, ...rest } = expected
    const bound = { ...rest, name: expect.stringMatching(name), httpOnly: true, sameSite: 'Lax' }
    expect(await context.cookies(`${server.url}/oauth/oura/callback`)).toMatchObject([bound, bound])
    expect(await context.cookies(new URL('/other', server.url).href)).toHaveLength(rest.path === '/' ? 2 : 0)
    expect([...(await slugs(server, one.userId)), ...(await slugs(server, two.userId))]).toEqual(['oura', 'oura'])
  })

  it('is refused in the browser of a person who was sent the provider’s URL', async () => {
    const server = await serve()
    await setUp(server)
    const link = await newLink(server)
    const attacker = await (await newPerson()).newPage()
    let oauthUrl = ''
    await attacker.route(/authorize/, route => {
      oauthUrl = route.request().url()
      return route.abort()
    })
    await attacker.goto(link.url)
    await attacker.getByRole('button', { name: 'Continue to Oura' }).click()
    await expect.poll(() => oauthUrl).toContain('state=')
    const victim = await (await newPerson()).newPage()
    await victim.goto(oauthUrl)
    expect(await victim.locator('h1').textContent()).toBe('This sign-in was not started in this browser')
    expect(await victim.getByRole('contentinfo').textContent()).not.toContain('simulated')
    expect(await slugs(server, link.userId)).toEqual([])
  })

  it('is not started by a form on another site, only by a click on its own page', async () => {
    const server = await serve()
    await setUp(server)
    const link = await newLink(server)
    const token = new URL(link.url).searchParams.get('token')
    const elsewhere = plainServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<form method="post" action="${server.url}/link"><input name="token" value="${token}">
        <input name="provider" value="oura"><input name="action" value="consent"><button>Win</button></form>
        <a href="${link.url}">Connect</a>`)
    }).listen(0, 'localhost')
    await once(elsewhere, 'listening')
    atEndOfFile(() => void elsewhere.close())
    const page = await (await newPerson()).newPage()
    const elsewhereUrl = `http://localhost:${(elsewhere.address() as AddressInfo).port}/`
    await page.goto(elsewhereUrl)
    await page.getByRole('button', { name: 'Win' }).click()
    await page.getByRole('heading', { name: 'This form was sent by another site' }).waitFor()
    await page.goto(elsewhereUrl)
    await page.getByRole('link', { name: 'Connect' }).click()
    await page.getByRole('button', { name: 'Continue to Oura' }).click()
    await page.waitForURL(`${applicationUrl}/**`)
    expect(await slugs(server, link.userId)).toEqual(['oura'])
  })
})
