/** Everyone can use the console: every page passes axe-core in all themes and fits, at every size, and works with the keyboard. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import {
  type ConsoleWindow,
  closeWindow,
  openConsole,
  PHONE,
  pagePaths,
  serveBuiltConsole,
  WIDE,
} from '../../kit/console.ts'
import type { TestServer } from '../../kit/server.ts'
import { until } from '../../kit/until.ts'
import { problemsAnywhere } from './kit/checks.ts'
import { type Filled, fill } from './kit/filled.ts'
import { pageUrls } from './kit/page-urls.ts'

const executable = browserPath()
if (executable === undefined) process.stderr.write('console/access.test.ts is skipped: no Chromium is installed\n')

describe.skipIf(executable === undefined)('the console', { timeout: 400_000 }, () => {
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

  /** Checks the current view with axe, and its width, at every size and in every theme. */
  async function expectAccessible(what: string): Promise<void> {
    expect(await problemsAnywhere(window.page), what).toEqual([])
    await window.page.setViewportSize(WIDE)
  }

  it.each(pagePaths())('passes axe-core at %s', async path => {
    for (const url of pageUrls(path, filled)) {
      await window.visit(url)
      await expectAccessible(url)
    }
  })

  /** Opens each dialog of a page, and checks it. */
  it.each([
    ['/console/events', ['Trigger an event', 'Resend events…', 'Sign out', 'Delivery', 'Columns of events']],
    ['/console/events/endpoints', ['Add an endpoint']],
    ['the endpoint', ['Change', 'Rotate the secret', 'Delete']],
    ['/console/query', ['Save', 'Actions for A plain text of usual length > Show the result']],
    ['/console/engine/faults', ['Add a fault']],
    [
      '/console/engine/snapshots',
      ['Save a snapshot', 'Actions for before-the-test', 'Actions for before-the-test > Delete'],
    ],
    ['/console/engine/providers', ['Set up a provider', 'Tear down whoop_v2']],
  ])('passes axe-core in the dialogs of %s', async (shownAt, buttons) => {
    const { page } = window
    const url = shownAt === 'the endpoint' ? `/console/events/endpoints/${filled.endpointId}` : shownAt
    await window.visit(shownAt === '/console/query' ? `/console/query?user=${filled.seededId}` : url)
    for (const opening of buttons) {
      const [name = '', entry] = opening.split(' > ')
      const opener = page.getByRole('button', { name, exact: true }).first()
      await opener.focus()
      await page.keyboard.press('Enter')
      if (entry) await page.getByRole('menuitem', { name: entry }).press('Enter')
      await page.getByRole('dialog', { name: entry && /\?$|^A plain/ }).waitFor()
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
    await expect.poll(() => page.evaluate(FOCUSED_NAME)).toBe('Overview')
    await page.setViewportSize(WIDE)
  })

  it('draws charts for dark forced colors, even if the light theme is chosen', async () => {
    const { page } = window
    await window.visit('/console/design')
    await page.getByLabel('Theme').selectOption('Light')
    await page.getByRole('application', { name: 'Amounts' }).locator('canvas').waitFor()
    expect(await page.evaluate(HAS_DARK_SERIES)).toBe(false)
    await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' })
    await expect.poll(() => page.evaluate(HAS_DARK_SERIES)).toBe(true)
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
    await page.getByLabel('Theme').selectOption('System')
  })

  it('passes axe-core at the sign-in, and on the page for unknown URLs', async () => {
    await window.visit('/console/nowhere')
    await expectAccessible('no page')
    const stranger = await openConsole(browser, server, { key: null })
    await stranger.page.goto(`${server.url}/console`)
    await stranger.page.getByLabel('API key').waitFor()
    expect(await problemsAnywhere(stranger.page)).toEqual([])
    stranger.forgive(/status of 401/)
    await stranger.close()
  })
})

/** In the dialog, or in the browser's own controls, when the page has no focus. */
const FOCUS_IS_INSIDE = `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`
const FOCUSED_NAME = `document.activeElement.ariaLabel ?? document.activeElement.textContent`

/** Whether a chart has a pixel with the color of the first series in the dark theme. */
const HAS_DARK_SERIES = `(() => {
  const canvas = document.querySelector('.chart-plot canvas')
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  for (let i = 0; i < data.length; i += 4) if (data[i] === 0x8d && data[i + 1] === 0xb7 && data[i + 2] === 0xff) return true
  return false
})()`
