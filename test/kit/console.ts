/** The real console of dist/ in a real browser, signed in, and what every page must be free of. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { root } from './sandbox.ts'
import { serve, type TestServer } from './server.ts'

const FOLDER = path.join(root, 'dist', 'console')

/** Serves the console that the build wrote. Throws if there is none. */
export function serveBuiltConsole(): Promise<TestServer> {
  if (!existsSync(path.join(FOLDER, 'manifest.json'))) throw new Error('Run `node scripts/build.mjs` first.')
  return serve({ consoleFolder: FOLDER })
}

/** A page that failed: scripts that threw, what the policy refused, and dialogs that a foreign script opened. */
const failures = new WeakMap<Page, string[]>()

/** Opens a page of the console in a browser profile of its own, signed in with the key of the server. */
export async function openConsole(
  browser: Browser,
  server: TestServer,
  address = '/console/users',
  options: BrowserContextOptions = {},
): Promise<Page> {
  // what a test does must not depend on the machine's zone
  const context = await browser.newContext({ timezoneId: 'UTC', ...options })
  const page = await context.newPage()
  const found: string[] = []
  failures.set(page, found)
  page.on('pageerror', error => found.push(error.message))
  page.on('dialog', dialog => {
    found.push(`a dialog opened: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) found.push(message.text())
  })
  const answer = await context.request.post(`${server.url}/console/sign-in`, {
    data: { api_key: server.apiKey },
    headers: { origin: server.url },
  })
  expect(answer.status()).toBe(200)
  await page.goto(server.url + address)
  return page
}

/** Checks that nothing failed on the page so far, and that it is not wider than its screen. */
export async function expectSound(page: Page): Promise<void> {
  expect(failures.get(page)).toEqual([])
  const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  expect(width, `${page.url()} is wider than the screen`).toBeLessThanOrEqual(0)
}

const AXE = readFileSync(path.join(root, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8')

/** Checks that axe finds nothing on the page, in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // evaluated by the debugger, which the policy does not concern
    await page.evaluate(AXE)
    const found = await page.evaluate(async () => {
      // axe put itself there
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
      const { violations } = await axe.run()
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(each => each.html).join(' | ')}`)
    })
    expect(found, `${page.url()} in ${colorScheme}`).toEqual([])
  }
}
