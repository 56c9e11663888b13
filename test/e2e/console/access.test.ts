/** Everyone can use the console: axe-core finds nothing on any page, no page is wider than a phone, and everything works by keyboard. */
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
import { addressesOf } from './addresses.ts'
import { type Filled, fill } from './filled.ts'

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
  }, 60_000)
  afterAll(async () => {
    await window?.close().finally(() => browser.close())
  })

  /** Looks at what is shown now: all rules in the light, and those about colors in the dark, on a screen and on a phone. */
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

  it.each(pagePaths())('has nothing that axe-core finds at %s', async path => {
    for (const address of addressesOf(path, filled)) {
      await window.visit(address)
      await expectAccessible(address)
    }
  })
})
