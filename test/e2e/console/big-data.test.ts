/**
 * The console over a team of 100,000 users, one of whom has a million samples. It takes half a minute, mostly to fill the store, so it
 * begins early (LONGEST in kit/order.ts). Like all files in e2e, it is thorough and not one of the fast tests, and it needs no separate
 * process.
 */
import type { Browser, Page, Response } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { type ConsoleWindow, closeWindow, openConsole, serveBuiltConsole } from '../../kit/console.ts'
import type { TestServer } from '../../kit/server.ts'
import { createManyUsers, personId, personName } from '../../kit/store/many-users.ts'
import { newStore } from '../../kit/store/new-store.ts'
import { expectFits } from './kit/checks.ts'

const executable = browserPath()
const USERS = 100_000
const MILLION = 1_000_000
const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const FIRST = Date.UTC(2024, 0, 1)
const END = FIRST + MILLION * MINUTE
/** Each is 12 hours long. */
const BUCKETS = Math.ceil(MILLION / 720)
/** The user with the samples. */
const OWNER = 7
/** Minutes whose values occur only once. */
const [LOWEST, HIGHEST] = [123_456, 654_321]
/** A few for each pixel of a wide screen. */
const MOST_ROWS = 4_000

const heartRateAt = (minute: number): number => (minute === LOWEST ? 41 : minute === HIGHEST ? 187 : 60 + (minute % 40))
/** As in the page's URL, for a user without a time zone. */
const urlTime = (at: number): string => new Date(at).toISOString().slice(0, 16)

async function importMillion(server: TestServer, userId: UserId): Promise<void> {
  const rows = Array.from({ length: MILLION }, (_, i) => `${urlTime(FIRST + i * MINUTE)}Z,${heartRateAt(i)}`)
  const mapping = JSON.stringify({ columns: { start: 'start', value: 'value' }, resource: 'heartrate' })
  const query = new URLSearchParams({ provider: 'oura', source_type: 'ring', mapping })
  const done = await server.ask('POST', `/svc/v1/users/${userId}/imports?${query}`, {
    headers: { 'content-type': 'text/csv' },
    body: `start,value\n${rows.join('\n')}\n`,
  })
  expect(done.status, done.text).toBe(200)
}

/** Pixels of the chart that are not transparent. */
const PAINTED = `[...document.querySelectorAll('.chart canvas')].reduce((sum, canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  for (let i = 3; i < data.length; i += 4) sum += data[i] > 0 ? 1 : 0
  return sum
}, 0)`

describe.skipIf(executable === undefined)('the console with much data', { timeout: 120_000 }, () => {
  let browser: Browser
  let server: TestServer
  let window: ConsoleWindow | undefined

  beforeAll(async () => {
    const dataDir = await newStore()
    await createManyUsers(dataDir, USERS, FIRST)
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole({ dataDir })
    await importMillion(server, personId(OWNER))
  }, 300_000)
  afterAll(() => browser?.close())
  afterEach(() => closeWindow(window))

  const open = async (path: string): Promise<Page> => {
    window = await openConsole(browser, server, { path })
    return window.page
  }
  const firstName = (page: Page): Promise<string | null> =>
    page.getByRole('group', { name: 'Users' }).getByRole('link').first().textContent()

  it('pages through 100,000 users, and a link opens the same page', async () => {
    const page = await open('/console/users')
    await page.getByText('1 to 25 of 100,000 users').waitFor()
    expect(await firstName(page)).toBe(personName(USERS - 1))
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('26 to 50 of 100,000 users').waitFor()
    expect(await firstName(page)).toBe(personName(USERS - 26))
    await page.getByRole('button', { name: 'Previous' }).click()
    await page.getByText('1 to 25 of 100,000 users').waitFor()
    await page.goBack()
    await page.getByText('26 to 50 of 100,000 users').waitFor()
    expect(await firstName(page)).toBe(personName(USERS - 26))

    await window?.visit('/console/users?offset=50000')
    await page.getByText('50,001 to 50,025 of 100,000 users').waitFor()
    expect(await firstName(page)).toBe(personName(USERS - 50_001))
    await window?.visit(`/console/users?offset=${USERS - 25}`)
    await page.getByText('99,976 to 100,000 of 100,000 users').waitFor()
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
    await expectFits(page)
  })

  it('finds one of 100,000 users by client_user_id', async () => {
    const page = await open('/console/users')
    await page.getByLabel('Search').fill('SON-054321')
    await page.getByText('1 user.').waitFor()
    await page.getByRole('link', { name: personName(54_321) }).click()
    await page.getByRole('heading', { level: 1, name: personName(54_321) }).waitFor()
    await page.goBack()
    await page.getByText('1 user.').waitFor()
    await page.getByLabel('Search').fill('person-0543')
    await page.getByText('100 users, newest first').waitFor()
    expect(await firstName(page)).toBe(personName(54_399))
    await expectFits(page)
  })

  it('draws a million samples from buckets, and single samples once it is zoomed to a day', async () => {
    window = await openConsole(browser, server)
    const { page } = window
    const functions: string[][] = []
    const rows: number[] = []
    let pages = 0
    const note = async (response: Response): Promise<void> => {
      if (response.url().includes('/heartrate/grouped')) pages++
      if (!response.url().includes('/aggregate/')) return
      // the page's request, and the response type in the contract
      const { queries } = response.request().postDataJSON() as { queries: { select: { func?: string }[] }[] }
      functions.push(queries[0]?.select.flatMap(({ func }) => func ?? []) ?? [])
      const { results } = (await response.json()) as { results: { table: Record<string, unknown[]> }[] }
      rows.push(...results.flatMap(({ table }) => Object.values(table).map(({ length }) => length)))
    }
    // a request that the page cancels while it is zoomed has no body
    page.on('response', response => note(response).catch(() => {}))
    await window.visit(
      `/console/data?user=${personId(OWNER)}&resource=heartrate&start=${urlTime(FIRST)}&end=${urlTime(END)}`,
    )
    const summary = page.locator('.chart-texts')
    await summary
      .getByText('oura · ring: 1,000,000 samples, 41 to 187, mean 79.5 bpm; first 60 in the 12 hours')
      .waitFor()
    await page.getByText('The chart shows the lowest and highest value of every 12 hours.').waitFor()
    await expect.poll(() => rows.length).toBeGreaterThan(0)
    expect(functions).toHaveLength(1)
    expect(functions[0]).toEqual(expect.arrayContaining(['min', 'max']))
    expect(Math.max(...rows)).toBeLessThan(MOST_ROWS)
    expect(pages).toBe(0)
    await page.getByText(`1 to 12 of ${BUCKETS.toLocaleString('en')} buckets`).waitFor()
    expect(await page.getByRole('table').getByRole('row').nth(1).textContent()).toBe(
      'Mon 1 Jan 2024, 00:0060 bpm99 bpmoura · ring',
    )
    const painted = await page.evaluate<number>(PAINTED)
    await page.getByLabel('oura · ring').uncheck()
    await expect.poll(() => page.evaluate(PAINTED)).toBeLessThan(painted / 2)
    await page.getByLabel('oura · ring').check()
    await expect.poll(() => page.evaluate(PAINTED)).toBe(painted)

    const edge = (name: string): number => Date.parse(`${new URL(page.url()).searchParams.get(name)}Z`)
    const chart = page.getByRole('application')
    while (edge('end') - edge('start') > DAY) {
      const before = page.url()
      await chart.press('+')
      await expect.poll(() => page.url()).not.toBe(before)
    }
    const shown = Math.ceil(edge('end') / MINUTE) - Math.ceil(edge('start') / MINUTE)
    await page.getByText(`1 to 12 of ${shown} samples`).waitFor()
    await summary.getByText(`oura · ring: ${shown} samples, 60 to 99`).waitFor()
    await page.getByText(/^[\d,]+ samples in this period, all from oura · ring$/).waitFor()
    expect(pages).toBeGreaterThan(0)
    await expectFits(page)
  })
})
