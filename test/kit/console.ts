/** The built console in a browser, signed in, over a real server. Keeps every error of the page, so that a test can fail on it. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import type { ServerOptions } from '../../src/server/server-options.ts'
import { browserPath, openBrowser } from './browser.ts'
import { root } from './sandbox.ts'
import { serve, type TestServer } from './server.ts'
import { until } from './until.ts'

/** How long a test waits for expected content. */
const PATIENCE_MS = 30_000

export const WIDE = { width: 1280, height: 900 }
export const PHONE = { width: 360, height: 740 }

/** Starts a server with the console that `npm run build` has written. */
export function serveBuiltConsole(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  return serve({ consoleFolder: path.join(root, 'dist', 'console'), ...options })
}

export interface OpenOptions {
  /** The path to open after signing in; defaults to the overview. */
  readonly path?: string
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
  /** The key to sign in with; null: do not sign in. By default a one-time URL is used, as by `svc open`. */
  readonly key?: string | null
  /** The one-time URL to sign in with, instead of a key. */
  readonly signInUrl?: string
  readonly acceptDownloads?: boolean
}

/** A browser window with its own session. */
export interface ConsoleWindow {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors of scripts, of the console and of the policy since the window was opened or `forgive` was called. */
  readonly problems: readonly string[]
  /** Opens a URL below /console, and waits until the page shows its data. */
  visit(pathname: string): Promise<void>
  /** Waits until nothing on the page is loading. */
  settled(): Promise<void>
  /** Fails if anything went wrong in the page, and closes its window. */
  close(): Promise<void>
  /** Removes the matching problems, which the test caused on purpose, and fails if there are none. */
  forgive(pattern: RegExp): void
}

/** Problems that the page itself records: a policy violation, and a script run by a text. */
const WATCH = `
  globalThis.__broken = []
  document.addEventListener('securitypolicyviolation', event =>
    globalThis.__broken.push('policy: ' + event.violatedDirective + ' ' + event.blockedURI))
`
/** The heading is present, and no skeleton. */
const IS_SETTLED = `document.querySelector('h1') !== null && document.querySelector('.skeleton') === null`

export async function openConsole(
  browser: Browser,
  server: TestServer,
  options: OpenOptions = {},
): Promise<ConsoleWindow> {
  // below the path of a proxy, the URL has a path
  const own = new URL(server.url).origin
  const { viewport = WIDE, colorScheme = 'light', key, signInUrl, acceptDownloads = true } = options
  const context = await browser.newContext({ viewport, colorScheme, acceptDownloads, reducedMotion: 'reduce' })
  context.setDefaultTimeout(PATIENCE_MS)
  await context.addInitScript(WATCH)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', message => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', error => problems.push(`error: ${error.message}`))
  page.on('dialog', dialog => {
    problems.push(`dialog: ${dialog.message()}`)
    dialog.dismiss().catch(() => {})
  })
  page.on('request', request => {
    const { protocol, origin } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== own) problems.push(`request: ${request.url()}`)
  })
  const open = new Set<Request>()
  // the stream of events stays open
  page.on('request', request => request.resourceType() !== 'eventsource' && open.add(request))
  page.on('requestfinished', request => open.delete(request))
  page.on('requestfailed', request => open.delete(request))
  page.on('framenavigated', () => open.clear())
  const settled = async (): Promise<void> => {
    await until(
      async () => open.size === 0 && (await page.evaluate(IS_SETTLED).catch(() => false)) && open.size === 0,
      {
        everyMs: 20,
        why: () => `${page.url()} still loads ${[...open].map(each => each.url()).join(', ')}`,
      },
    )
  }
  const collect = async (): Promise<void> => {
    problems.push(...(await page.evaluate<string[]>('globalThis.__broken?.splice(0) ?? []')))
    if (await page.evaluate('"__xss" in globalThis')) problems.push('a text was run as a script')
  }
  const window: ConsoleWindow = {
    context,
    page,
    problems,
    settled,
    async visit(pathname) {
      await collect()
      await page.goto(`${server.url}${pathname}`)
      await settled()
    },
    async close() {
      await collect()
      await context.close()
      expect(problems, 'problems in the page').toEqual([])
    },
    forgive(pattern) {
      const others = problems.filter(each => !pattern.test(each))
      expect(others.length, `problems like ${pattern}`).toBeLessThan(problems.length)
      problems.splice(0, problems.length, ...others)
    },
  }
  if (key === null) return window
  if (signInUrl === undefined && key === undefined) {
    const { json } = await server.ask('POST', '/svc/v1/console/sign-in-tokens')
    // only takes the cookie, because most tests would leave the page behind the URL at once
    await context.request.get((json as { url: string }).url, { maxRedirects: 0 })
    await window.visit(options.path ?? '/console')
    return window
  }
  if (signInUrl !== undefined) await page.goto(signInUrl)
  else {
    await page.goto(`${server.url}/console`)
    await signIn(page, key as string)
    window.forgive(/status of 401/) // nobody was signed in before
  }
  await settled()
  if (options.path !== undefined) await window.visit(options.path)
  return window
}

/** Browser errors for a response that the page itself reports: it is missing, or a value was refused. */
const REFUSED = /the server responded with a status of 4(04|22)/

/** Ends the window, and fails if anything else went wrong in it. */
export async function closeWindow(window: ConsoleWindow | undefined): Promise<void> {
  if (window?.problems.some(each => REFUSED.test(each))) window.forgive(REFUSED)
  await window?.close()
}

/** The server and the browser of a block of tests. Both exist from the block's first `beforeAll` on. */
export interface ConsoleTests {
  readonly server: TestServer
  /** Opens a window with its own session, at a URL below /console. It is closed and checked after the test. */
  open(pathname?: string, options?: OpenOptions): Promise<ConsoleWindow>
}

/** Describes the console in a browser, over a server of its own. Skips the block where no Chromium is installed. */
export function describeConsole(title: string, block: (tests: ConsoleTests) => void): void {
  const executable = browserPath()
  if (executable === undefined) process.stderr.write(`"${title}" is skipped: no Chromium is installed\n`)
  describe.skipIf(executable === undefined)(title, () => {
    let browser: Browser
    let server: TestServer
    const windows: ConsoleWindow[] = []
    beforeAll(async () => {
      browser = await openBrowser(executable as string)
      server = await serveBuiltConsole()
    })
    afterAll(() => browser?.close())
    afterEach(async () => {
      for (const window of windows.splice(0)) await closeWindow(window)
    })
    block({
      get server() {
        return server
      },
      async open(pathname, options) {
        const window = await openConsole(browser, server, { ...options, ...(pathname && { path: pathname }) })
        windows.push(window)
        return window
      },
    })
  })
}

/** Types a key into the sign-in on the page. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor({ state: 'attached' })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules whose outcome depends on colors; all others give the same result in both themes. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** Returns the violations that axe-core finds on the page, with their elements. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  const options = rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } }
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, target, failureSummary }) => ({ html, target, failureSummary })) })))`,
  )
  return found.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, target, failureSummary }) =>
        `${id} ${String(target)} ${html.slice(0, 160)} (${failureSummary.split('\n').at(-1)?.trim()})`,
    ),
  )
}

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly target: unknown; readonly failureSummary: string }[]
}

/** Returns the elements that make the page wider than the screen, so that it scrolls sideways. */
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const wide = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= wide) return []
    const holder = each => getComputedStyle(each).position === 'absolute' ? each.offsetParent : each.parentElement
    const isClipped = each => {
      const at = holder(each)
      return at !== null && at !== document.body && (getComputedStyle(at).overflowX !== 'visible' || isClipped(at))
    }
    const found = [...document.querySelectorAll('body *')].filter(
      each => each.getBoundingClientRect().right > wide + 1 && !isClipped(each))
    return ['the page is ' + document.documentElement.scrollWidth + ' px wide',
      ...found.slice(0, 5).map(each => each.tagName + '.' + each.className + ': ' + (each.textContent ?? '').slice(0, 60))]
  })()`)
}

/** The pages as route patterns: `/console/users/:userId`. */
export function pagePaths(): string[] {
  const source = readFileSync(path.join(root, 'src', 'console', 'pages', 'pages.ts'), 'utf8')
  const paths = [...source.matchAll(/\bpath: '([^']+)'/g)].map(match => match[1] ?? '')
  expect(paths.length).toBeGreaterThan(10)
  return paths
}
