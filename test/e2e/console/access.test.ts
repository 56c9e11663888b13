/** Everyone can use the console: every page passes axe-core, no page is wider than a phone, and everything works with the keyboard. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import {
  COLOR_RULES,
  type ConsoleWindow,
  openConsole,
  PHONE,
  pagePaths,
  serveBuiltConsole,
  tooWide,
  violations,
  WIDE,
} from '../../kit/console.ts'
import type { TestServer } from '../../kit/server.ts'
import { until } from '../../kit/until.ts'
import { closeWindow } from './checks.ts'
import { type Filled, fill } from './filled.ts'
import { pageUrls } from './page-urls.ts'

const executable = browserPath()
if (executable === undefined) process.stderr.write('console/access.test.ts is skipped: no Chromium is installed\n')

describe.skipIf(executable === undefined)('the console', { timeout: 120_000 }, () => {
  let browser: Browser
  let server: TestServer
  let filled: Filled
  let window: ConsoleWindow

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole()
    filled = await fill(server, most => 'A plain text of usual length'.slice(0, most))
    window = await openConsole(browser, server)
  })
  afterAll(async () => {
    await closeWindow(window).finally(() => browser.close())
  })

  /** Checks the current view: all rules in the light theme, and the color rules in the dark one, on a screen and on a phone. */
  async function expectAccessible(what: string): Promise<void> {
    const { page } = window
    const found: string[] = []
    for (const [name, viewport] of [
      ['screen', WIDE],
      ['phone', PHONE],
    ] as const) {
      await page.setViewportSize(viewport)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const rules = colorScheme === 'light' ? undefined : COLOR_RULES
        found.push(...(await violations(page, rules)).map(each => `${name}, ${colorScheme}: ${each}`))
      }
      found.push(...(await tooWide(page)).map(each => `${name}: ${each}`))
    }
    await page.setViewportSize(WIDE)
    await page.emulateMedia({ colorScheme: 'light' })
    expect(found, what).toEqual([])
  }

  it.each(pagePaths())('passes axe-core at %s', async path => {
    for (const url of pageUrls(path, filled)) {
      await window.visit(url)
      await expectAccessible(url)
    }
  })

  /** Opens each dialog of a page, and checks it. */
  it.each([
    ['/console/events', ['Trigger an event', 'Resend a period', 'Sign out']],
    ['/console/events/endpoints', ['Add an endpoint']],
    ['the endpoint', ['Change', 'Rotate the secret', 'Delete']],
    ['/console/query', ['Save', 'Show the result of A plain text of usual length']],
    ['/console/engine/faults', ['Add a fault']],
    ['/console/engine/snapshots', ['Save a snapshot', 'Restore before-the-test', 'Delete before-the-test']],
    ['/console/engine/providers', ['Set up a provider', 'Tear down whoop_v2']],
  ])('passes axe-core in the dialogs of %s', async (shownAt, buttons) => {
    const { page } = window
    const url = shownAt === 'the endpoint' ? `/console/events/endpoints/${filled.endpointId}` : shownAt
    await window.visit(shownAt === '/console/query' ? `/console/query?user=${filled.seededId}` : url)
    for (const name of buttons) {
      const opener = page.getByRole('button', { name, exact: true }).first()
      await opener.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      await window.settled()
      await expectAccessible(`${url}: ${name}`)
      // the focus stays within: Tab never reaches the page behind
      for (let press = 0; press < 12; press++) {
        await page.keyboard.press('Tab')
        expect(await page.evaluate(FOCUS_IS_INSIDE), `${name}: ${press + 1} times Tab`).toBe(true)
      }
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await until(async () => (await page.evaluate(FOCUSED_NAME)) === name, { why: () => `${name}: the focus is lost` })
    }
  })

  it('works with the keyboard: the skip link, the pages, and the menu on a phone', async () => {
    const { page } = window
    await window.visit('/console/engine/clock')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate(FOCUSED_NAME)).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
    await page.getByRole('link', { name: 'Events', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')

    await page.setViewportSize(PHONE)
    await page.getByRole('button', { name: 'Menu' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate(FOCUSED_NAME)).toBe('Users')
    await page.setViewportSize(WIDE)
  })

  it('passes axe-core at the sign-in, and on the page for unknown URLs', async () => {
    await window.visit('/console/nowhere')
    await expectAccessible('no page')
    const stranger = await openConsole(browser, server, { key: null })
    await stranger.page.goto(`${server.url}/console`)
    await stranger.page.getByLabel('API key').waitFor()
    expect(await violations(stranger.page)).toEqual([])
    await stranger.page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(stranger.page, COLOR_RULES)).toEqual([])
    stranger.forgive(/status of 401/)
    await stranger.close()
  })
})

/** In the dialog, or in the browser's own controls, when the page has no focus. */
const FOCUS_IS_INSIDE = `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`
const FOCUSED_NAME = `document.activeElement.ariaLabel ?? document.activeElement.textContent`
