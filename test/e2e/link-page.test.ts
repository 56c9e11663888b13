/**
 * The link page in a real browser with scripts disabled, by keyboard only: each way of signing in, errors, the way back to an application
 * on another origin, and accessibility.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../kit/browser.ts'
import { serve, type TestServer } from '../kit/server.ts'

const executable = browserPath()
if (executable === undefined) {
  process.stderr.write(
    'link-page.test.ts is skipped: no Chromium is installed (apt-get install chromium; see .ci/run)\n',
  )
}

describe.skipIf(executable === undefined)('the link page in a browser', () => {
  let browser: Browser
  let server: TestServer
  let application: Server
  let applicationUrl = ''
  let userId = ''
  let context: BrowserContext
  let page: Page
  let origins: Set<string>

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serve()
    // the customer's application on another origin, where every link ends
    application = createServer((_request, response) => response.end('<title>Application</title>back again'))
    await new Promise<void>(resolve => application.listen(0, '127.0.0.1', resolve))
    applicationUrl = `http://127.0.0.1:${(application.address() as AddressInfo).port}`
    const made = await server.ask('POST', '/v2/user', { body: '{"client_user_id":"ada"}' })
    userId = (made.json as { user_id: string }).user_id
  })
  afterAll(async () => {
    await browser?.close()
    application?.close()
  })

  beforeEach(() => open({}))
  afterEach(() => context.close())

  async function open(how: { colorScheme?: 'dark'; width?: number }): Promise<void> {
    await context?.close()
    context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: how.width ?? 480, height: 800 },
      colorScheme: how.colorScheme ?? 'light',
    })
    page = await context.newPage()
    origins = new Set()
    page.on('request', request => origins.add(new URL(request.url()).origin))
  }

  async function newLink(more: object = {}): Promise<string> {
    const body = JSON.stringify({ user_id: userId, redirect_url: `${applicationUrl}/back`, ...more })
    const made = (await server.ask('POST', '/v2/link/token', { body })).json as { link_web_url: string }
    return made.link_web_url
  }

  /** Presses Tab until the element with this name has the focus. */
  async function tabTo(name: string | RegExp): Promise<void> {
    const isThere = async (): Promise<boolean> => {
      const focused = await page
        .locator(':focus')
        .ariaSnapshot()
        .catch(() => '')
      return typeof name === 'string' ? focused.includes(`"${name}"`) : name.test(focused)
    }
    for (let i = 0; i < 80; i++) {
      await page.keyboard.press('Tab')
      if (await isThere()) return
    }
    throw new Error(`nothing with the name ${name} takes the focus`)
  }
  const ended = () => {
    const url = new URL(page.url())
    expect(url.origin).toBe(applicationUrl)
    return Object.fromEntries(url.searchParams)
  }

  it('signs in with a password and a code, by keyboard only', async () => {
    await page.goto(await newLink())
    expect(await page.title()).toBe('Connect a provider')
    await tabTo(/Zwift/)
    await page.keyboard.press('Enter')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in to Zwift')
    await tabTo('User name or e-mail address')
    await page.keyboard.type('mfa-sms@sandbox.test')
    await page.keyboard.press('Tab')
    await page.keyboard.type('secret')
    await page.keyboard.press('Enter')
    await page.getByText('sent a code by SMS').waitFor()
    await page.reload()
    await tabTo('Code')
    await page.keyboard.type('000000')
    await page.keyboard.press('Enter')
    await page.getByText('4 attempts are left').waitFor()
    await tabTo('Code')
    await page.keyboard.type('123456')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${applicationUrl}/**`)
    expect(ended()).toEqual({ state: 'success', link_token_hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect([...origins].sort()).toEqual([applicationUrl, server.url].sort())
  })

  it('leads to a consent page and back, with a scope denied', async () => {
    await page.goto(await newLink({ provider: 'oura' }))
    await page.getByRole('button', { name: 'Continue to Oura' }).click()
    await page.getByRole('heading', { name: 'Share Oura data?' }).waitFor()
    await page.getByRole('checkbox', { name: /required/ }).uncheck()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('A required permission was not granted').waitFor()
    await page.getByRole('button', { name: 'Continue to Oura' }).click()
    await page.getByRole('checkbox', { name: /Blood oxygen/ }).uncheck()
    await page.getByText('Simulate an account').click()
    await page.getByRole('textbox', { name: 'Account' }).fill('ada@example.com')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(`${applicationUrl}/**`)
    expect(ended()).toEqual({ state: 'success', link_token_hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    const { json } = await server.ask('GET', `/v2/user/providers/${userId}`)
    const oura = (json as { providers: { slug: string; external_user_id: string }[] }).providers.find(
      each => each.slug === 'oura',
    )
    expect(oura).toMatchObject({ external_user_id: 'ada@example.com' })
  })

  it('for an application’s own OAuth link leads back with the error', async () => {
    const url = await newLink()
    const begun = await server.ask('GET', '/v2/link/provider/oauth/fitbit', {
      key: null,
      headers: { 'x-service-link-token': new URL(url).searchParams.get('token') as string },
    })
    await page.goto((begun.json as { oauth_url: string }).oauth_url)
    await page.getByRole('button', { name: 'Do not allow' }).click()
    await page.waitForURL(`${applicationUrl}/**`)
    expect(ended()).toMatchObject({ state: 'error', error_type: 'provider_credential_error' })
  })

  it('moves the focus to the error, which links to the field', async () => {
    await page.goto(await newLink({ provider: 'dexcom' }))
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.title()).toBe('Error: Connect Dexcom')
    const alert = page.getByRole('alert', { name: 'Something is missing' })
    expect(await alert.evaluate(element => element === element.ownerDocument.activeElement)).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const password = page.getByLabel('Password')
    expect(await password.getAttribute('aria-describedby')).toBe('password-fault')
    expect(await password.getAttribute('aria-invalid')).toBe('true')
    expect(page.url()).toContain('#password')
  })

  it('leads back with user_cancelled when closed, if the application requests it', async () => {
    await page.goto(await newLink({ on_close: 'redirect' }))
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForURL(`${applicationUrl}/**`)
    expect(ended()).toMatchObject({ state: 'error', error_type: 'user_cancelled' })
    await page.goto(await newLink())
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Nothing was connected' }).waitFor()
  })

  it.each([['light'], ['dark']] as const)('is readable on a small screen, in %s', async scheme => {
    await open({ width: 320, ...(scheme === 'dark' ? { colorScheme: scheme } : {}) })
    const url = await newLink()
    const check = async (name: string): Promise<void> => {
      const { overflow, faint, nameless } = await page.evaluate(inspect)
      expect({ name, overflow, faint, nameless }).toEqual({ name, overflow: 0, faint: [], nameless: [] })
      for (const landmark of ['banner', 'main', 'contentinfo'] as const) {
        expect(await page.getByRole(landmark).count(), `${name}: ${landmark}`).toBe(1)
      }
    }
    await page.goto(url)
    await check('list')
    await page.goto(`${url}&provider=abbott_libreview`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await check('sign-in with faults')
    await page.getByLabel('User name').fill('mfa-email@sandbox.test')
    await page.getByLabel('Password').fill('x')
    await page.getByLabel('Region').selectOption('gb')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await check('code')
    await page.goto(`${url}&provider=garmin`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Simulate an account').click()
    await check('consent')
    await page.getByRole('button', { name: 'Do not allow' }).click()
    await check('denied')
    await page.goto(`${server.url}/link?token=wrong`)
    await check('wrong token')
    await page.goto(`${server.url}/link/done?provider=garmin`)
    await check('done')
  })
})

/** Runs in the page. Returns how much it is too wide, texts with a contrast below 4.5, and controls without a name. */
function inspect(): { overflow: number; faint: string[]; nameless: string[] } {
  type Element = {
    readonly parentElement: Element | null
    readonly textContent: string | null
    readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string | null }>
    readonly labels?: { readonly length: number }
  }
  const { document, getComputedStyle } = globalThis as unknown as {
    document: {
      documentElement: { scrollWidth: number; clientWidth: number }
      querySelectorAll(selector: string): Iterable<Element>
    }
    getComputedStyle(element: Element): { color: string; backgroundColor: string }
  }
  const numbers = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = (color: string): number => {
    const [r = 0, g = 0, b = 0] = numbers(color)
      .slice(0, 3)
      .map(each => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const background = (element: Element | null): string => {
    if (element === null) return 'rgb(255, 255, 255)'
    const color = getComputedStyle(element).backgroundColor
    return numbers(color)[3] === 0 ? background(element.parentElement) : color
  }
  const faint: string[] = []
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].filter(each => each.nodeType === 3 && each.textContent?.trim())
    if (own.length === 0) continue
    const [light = 1, dark = 0] = [getComputedStyle(element).color, background(element)]
      .map(luminance)
      .sort((a, b) => b - a)
    if ((light + 0.05) / (dark + 0.05) < 4.5) faint.push(element.textContent ?? '')
  }
  const controls = [...document.querySelectorAll('input:not([type=hidden]),select')]
  return {
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    faint,
    nameless: controls.flatMap((each, i) => (each.labels?.length === 1 ? [] : [`${i}`])),
  }
}
