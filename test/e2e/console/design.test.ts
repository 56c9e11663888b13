/**
 * Pictures of the design page, compared with those in test/fixtures/pictures. After an intended change, take new ones with
 * `SVC_TEST_PICTURES=new npx vitest run test/e2e/console/design.test.ts`, and look at them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { type ConsoleWindow, openConsole, serveBuiltConsole } from '../../kit/console.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { root } from '../../kit/sandbox.ts'
import { countDifferences } from './kit/picture-difference.ts'

const executable = browserPath()
if (executable === undefined) process.stderr.write('console/design.test.ts is skipped: no Chromium is installed\n')

/** Number of different pixels that a picture may have, for example because another version of the browser rounds differently. */
const MOST_DIFFERENT = 60
const PICTURES = path.join(root, 'test/fixtures/pictures')
const FONT = createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')

const THEMES = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  'forced-colors': { colorScheme: 'dark', forcedColors: 'active' },
} as const

describe.skipIf(executable === undefined)('the design page', () => {
  let browser: Browser
  let window: ConsoleWindow
  let page: Page
  const found = temporaryFolder()

  beforeAll(async () => {
    // the same letters on every machine
    browser = await openBrowser(executable as string, ['--font-render-hinting=none', '--force-color-profile=srgb'])
    window = await openConsole(browser, await serveBuiltConsole(), { viewport: { width: 1000, height: 2_900 } })
    page = window.page
    await page.clock.setFixedTime('2026-11-20T12:30:00Z')
    await useFont(page)
  })
  afterAll(async () => {
    await window?.close().finally(() => browser.close())
  })

  async function expectPicture(name: string, of: Locator): Promise<void> {
    const file = path.join(PICTURES, `${name}.png`)
    const actual = await of.screenshot({ animations: 'disabled' })
    if (process.env['SVC_TEST_PICTURES'] === 'new') {
      mkdirSync(PICTURES, { recursive: true })
      writeFileSync(file, actual)
    }
    expect(existsSync(file), `${file} exists`).toBe(true)
    const { different, where } = await countDifferences(browser, readFileSync(file), actual)
    if (different > MOST_DIFFERENT) writeFileSync(path.join(found, `${name}.png`), actual)
    expect(different, `${name}: see ${path.join(found, `${name}.png`)}, ${where}`).toBeLessThanOrEqual(MOST_DIFFERENT)
  }

  it.each(Object.entries(THEMES))('looks as before in %s', async (theme, media) => {
    await page.emulateMedia({ forcedColors: null, ...media })
    await window.visit('/console/design')
    await page.getByRole('application', { name: 'Amounts' }).locator('canvas').waitFor()
    expect(await page.evaluate('document.fonts.check("13px Picture")')).toBe(true)
    await expectPicture(`${theme}-page`, page.locator('.page'))
    await page.getByRole('button', { name: 'Show a toast' }).click()
    await expectPicture(`${theme}-toast`, page.locator('.toast'))
    await page.getByRole('button', { name: 'Open a dialog' }).click()
    await expectPicture(`${theme}-dialog`, page.getByRole('dialog'))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Load', exact: true }).click()
    await expectPicture(`${theme}-loading`, page.locator('.skeleton'))
  })

  it('is reached by its URL only', async () => {
    await window.visit('/console/users')
    expect(await page.locator('a[href$="/console/design"]').count()).toBe(0)
  })
})

/** Makes the console use a font from a package instead of the system's, from the next navigation on. */
async function useFont(page: Page): Promise<void> {
  const bytes = readFileSync(FONT).toString('base64')
  await page.addInitScript(`
    const bytes = Uint8Array.from(atob('${bytes}'), char => char.charCodeAt(0))
    document.fonts.add(new FontFace('Picture', bytes, { weight: '100 900' }))
  `)
  await page.route('**/*.css', async route => {
    const response = await route.fetch()
    const body = `${await response.text()}\n:root { --font: Picture; --mono: Picture }`
    await route.fulfill({ response, body })
  })
}
