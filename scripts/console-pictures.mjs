/**
 * `npm run pictures`: takes the pictures of docs/console.md in both themes, from a server with fixed people and a fixed clock, and the
 * picture of a terminal in the README. With --all, every page at 1280 and 360 px goes into a temporary folder instead, and a page that is
 * wider than its screen, or that fails, is an error.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundled } from '../test/bench/bundle.mjs'
import { buildBundle, isStale } from './build.mjs'
import { OTHER_PAGES, PAGES } from './pictures/pages.mjs'
import { NOW, pictureServer } from './pictures/server.mjs'
import { terminalPage } from './pictures/terminal.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const MOST_BYTES = 1_100_000
const QUALITY = 52
const THEMES = ['light', 'dark']
/** Size of the pictures in the docs; taller pages are cropped. */
const SIZE = { width: 1280, height: 800 }

const { values } = parseArgs({ options: { all: { type: 'boolean' }, only: { type: 'string' } } })
const { browserPath, openBrowser } = await bundled('console/console-entry.ts')
const executable = browserPath()
if (executable === undefined) throw new Error('No Chromium is installed. Install one, or name it in SVC_CHROMIUM.')
if (isStale()) await buildBundle()

const folder = values.all ? mkdtempSync(path.join(tmpdir(), 'svc-console-')) : path.join(root, 'docs/pictures/console')
mkdirSync(folder, { recursive: true })
const server = await pictureServer()
const browser = await openBrowser(executable)
const problems = []
try {
  const widths = values.all ? [SIZE.width, 360] : [SIZE.width]
  for (const theme of THEMES) for (const width of widths) await takeAll(theme, width)
  if (!values.all && (values.only === undefined || values.only.split(',').includes('terminal'))) await takeTerminal()
} finally {
  await browser.close()
  await server.end()
}
report()

async function takeAll(theme, width) {
  const viewport = { ...SIZE, width }
  const options = { viewport, colorScheme: theme, timezoneId: 'UTC', locale: 'en-US', reducedMotion: 'reduce' }
  const context = await browser.newContext(options)
  // so that texts such as "an hour ago" are the same each time
  await context.clock.setFixedTime(NOW)
  await context.request.post(`${server.url}/console/sign-in`, {
    data: { api_key: server.apiKey },
    headers: { origin: server.url },
  })
  for (const [name, { at, act }] of Object.entries(values.all ? { ...PAGES, ...OTHER_PAGES } : PAGES)) {
    if (values.only !== undefined && !values.only.split(',').includes(name)) continue
    const page = await context.newPage()
    const where = `${name} at ${width} px, ${theme}`
    page.on('pageerror', error => problems.push(`${where}: ${error.message}`))
    page.on('console', message => message.type() === 'error' && problems.push(`${where}: ${message.text()}`))
    await page.goto(server.url + at(server.ids))
    await settled(page)
    await act?.(page, server.ids)
    await settled(page)
    const wide = await page.evaluate('document.documentElement.scrollWidth')
    if (wide > width) problems.push(`${where}: ${wide} px wide`)
    const file = `${name}-${theme}${values.all ? `-${width}.png` : '.webp'}`
    writeFileSync(path.join(folder, file), values.all ? await page.screenshot({ fullPage: true }) : await webp(page))
    await page.close()
  }
  await context.close()
}

async function takeTerminal() {
  const page = await browser.newPage({ viewport: SIZE })
  await page.setContent(await terminalPage())
  const box = await page.locator('main').boundingBox()
  await page.setViewportSize({ width: Math.ceil(box.width), height: Math.ceil(box.height) })
  writeFileSync(path.join(root, 'docs/pictures/terminal.webp'), await webp(page))
  await page.close()
}

/** Waits until nothing loads and no skeleton is left. */
async function settled(page) {
  // the event stream stays open, so the network is never idle
  await page.waitForFunction(
    () => document.querySelector('h1') !== null && document.querySelector('[aria-busy="true"], .skeleton') === null,
    undefined,
    { timeout: 30_000 },
  )
  await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  await new Promise(resolve => setTimeout(resolve, 300))
}

/** Playwright writes PNG and JPEG only; WebP is a third of their size. */
async function webp(page) {
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  return Buffer.from(data, 'base64')
}

function report() {
  const names = readdirSync(folder).filter(name => /\.(png|webp)$/.test(name))
  const sizes = names.map(name => statSync(path.join(folder, name)).size)
  const bytes = sizes.reduce((sum, each) => sum + each, 0)
  console.log(`${sizes.length} pictures in ${folder}: ${(bytes / 1e3).toFixed(0)} kB`)
  if (!values.all && bytes > MOST_BYTES) problems.push(`The pictures of the docs have more than ${MOST_BYTES} bytes.`)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  // pictures of pages that are no longer taken
  if (!values.all && values.only === undefined) {
    const wanted = new Set(Object.keys(PAGES).flatMap(name => THEMES.map(theme => `${name}-${theme}.webp`)))
    for (const name of names) if (!wanted.has(name)) rmSync(path.join(folder, name))
  }
}
