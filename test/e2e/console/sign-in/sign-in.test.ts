/** Signing in to the console in a real browser: the one-time URL, also from a page of another site, and the limits of the session. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../../kit/browser.ts'
import type { TestServer } from '../../../kit/server.ts'
import { builtConsole, serveConsole } from '../../../server/console/console-server.ts'

/** A console that shows who is signed in, creates a user, and lists the events that follow. */
const SCRIPT = `
const show = (id, text) => {
  const line = document.createElement('p')
  line.id = id
  line.textContent = text
  document.body.append(line)
}
const session = await fetch('/console/session')
show('status', String(session.status))
if (session.ok) {
  const { key, csrf_token } = await session.json()
  show('who', key.label)
  const stream = new EventSource('/console/events/stream')
  stream.addEventListener('event', ({ data }) => show('event', JSON.parse(data).event_type))
  await new Promise(resolve => stream.addEventListener('open', resolve, { once: true }))
  const post = (at, headers, body) => fetch(at, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const csrf = { 'x-svc-csrf-token': csrf_token }
  const user = { client_user_id: String(performance.timeOrigin) }
  show('without', String((await post('/v2/user', {}, user)).status))
  const created = await post('/v2/user', csrf, user)
  show('created', String(created.status))
  const { user_id } = await created.json()
  const event = { type: 'provider.connection.created', user_id, only_event: true }
  await post('/svc/v1/events/trigger', csrf, event)
  show('cookie', document.cookie === '' ? 'hidden' : 'readable')
}
show('ready', 'ready')
`

const executable = browserPath()
if (executable === undefined) {
  process.stderr.write(
    'console/sign-in/sign-in.test.ts is skipped: no Chromium is installed (apt-get install chromium)\n',
  )
}

describe.skipIf(executable === undefined)('the console in a browser', () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let server: TestServer
  let elsewhere: Server
  let link = ''

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveConsole({ consoleFolder: builtConsole(SCRIPT) })
    elsewhere = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<title>Elsewhere</title><a href="${link}">open</a>`)
    })
    await new Promise<void>(resolve => elsewhere.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    await browser?.close()
    elsewhere?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    const { json } = await server.ask('POST', '/svc/v1/console/sign-in-tokens')
    link = (json as { url: string }).url
  })
  afterEach(() => context.close())

  const text = (id: string): Promise<string | null> => page.locator(`#${id}`).first().textContent()

  it('is signed in after opening the one-time URL, which leaves no token in the history', async () => {
    await page.goto(link)
    expect(await text('status')).toBe('200')
    expect(await text('who')).toMatch(/^session /)
    expect(page.url()).toBe(`${server.url}/console`)
    expect([await text('without'), await text('created')]).toEqual(['403', '200'])
    expect(await text('event')).toBe('provider.connection.created')
    expect(await text('cookie')).toBe('hidden')
    await page.reload()
    expect(await text('status')).toBe('200')
    await page.goto(link)
    expect(await page.locator('h1').textContent()).toBe('This URL cannot be used')
  })

  // localhost and 127.0.0.1 are different sites; another port is the same site, but another origin
  it.each(['localhost', '127.0.0.1'])('needs one more click to sign in if a page at %s links to it', async host => {
    await page.goto(`http://${host}:${(elsewhere.address() as AddressInfo).port}/`)
    await page.getByRole('link', { name: 'open' }).click()
    expect(await page.locator('h1').textContent()).toBe('Sign in to the console?')
    expect(await context.cookies(server.url)).toEqual([])
    await page.reload()
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await text('status')).toBe('200')
    expect(page.url()).toBe(`${server.url}/console`)
  })

  it('is not signed in by a page of another site that submits the form itself', async () => {
    const body = `<form method="post" action="${server.url}/console/sign-in"><input name="token" value="${new URL(link).searchParams.get('token')}"><button>Win</button></form>`
    await page.route('http://localhost:1/', route => route.fulfill({ contentType: 'text/html', body }))
    await page.goto('http://localhost:1/')
    await page.getByRole('button', { name: 'Win' }).click()
    await page
      .getByText('csrf_token_missing')
      .or(page.getByText("Only the console's own page can sign in here"))
      .waitFor()
    expect(await context.cookies(server.url)).toEqual([])
    await page.goto(link)
    expect(await text('status')).toBe('200')
  })

  it('loads only its own files, and does not violate its policy', async () => {
    const problems: string[] = []
    const origins = new Set<string>()
    page.on('console', message => message.type() === 'error' && problems.push(message.text()))
    page.on('request', request =>
      origins.add(new URL(request.url()).protocol === 'data:' ? '' : new URL(request.url()).origin),
    )
    await page.goto(link)
    expect(await text('ready')).toBe('ready')
    origins.delete('')
    expect([...origins]).toEqual([server.url])
    // the request without its token is refused on purpose
    expect(problems.filter(each => !each.includes('403'))).toEqual([])
  })

  it('is not signed in on its own', async () => {
    await page.goto(`${server.url}/console/users`)
    expect(await text('status')).toBe('401')
  })
})
