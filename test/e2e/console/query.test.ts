/** The query page and the page of charts, in a real browser with a real engine. */
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import {
  type ConsoleWindow,
  closeWindow,
  type OpenOptions,
  openConsole,
  PHONE,
  serveBuiltConsole,
} from '../../kit/console.ts'
import { root } from '../../kit/sandbox.ts'
import type { TestServer } from '../../kit/server.ts'
import { chooseAction, expectAccessible, expectFits } from './kit/checks.ts'
import { api } from './kit/filled.ts'

const executable = browserPath()
/** The user's day, 4 November in Tokyo, has begun, but that of UTC has not. */
const NOW = '2026-11-03T20:00:00Z'
const at = (hour: number): string => new Date(Date.parse('2026-11-03T15:00Z') + hour * 3_600_000).toISOString()

interface Column {
  readonly name: string
  readonly table: string
  readonly meaning: string
  readonly expression: Readonly<Record<string, string>>
}

describe.skipIf(executable === undefined)('the query page', { timeout: 120_000 }, () => {
  let browser: Browser
  let server: TestServer
  let user = ''
  const windows: ConsoleWindow[] = []

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole()
    await api(server, 'POST', '/svc/v1/clock', { set: NOW })
    await api(server, 'POST', '/svc/v1/clock', { freeze: true })
    const person = { client_user_id: 'ada', fallback_time_zone: 'Asia/Tokyo' }
    user = (await api<{ user_id: string }>(server, 'POST', '/v2/user', person)).user_id
    const steps = [-1, 0, 1, 3].map(hour => ({
      resource: 'steps',
      start: at(hour),
      end: at(hour + 1),
      value: 100 + hour,
    }))
    await api(server, 'POST', `/svc/v1/users/${user}/samples`, steps.map(each => JSON.stringify(each)).join('\n'))
  }, 120_000)
  afterAll(() => browser?.close())
  afterEach(async () => {
    for (const window of windows.splice(0)) await closeWindow(window)
  })

  const openAt = async (path: string, options: OpenOptions = {}): Promise<Page> => {
    const window = await openConsole(browser, server, { ...options, path })
    windows.push(window)
    return window.page
  }
  /** Saves a query for the steps by a unit of time. */
  const save = (slug: string, title: string, unit: string): Promise<unknown> => {
    const select = [{ group_key: '*' }, { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }]
    const group_by = [{ date_trunc: { unit, value: 1 }, arg: { index: 'timeseries' } }]
    return api(server, 'POST', '/svc/v1/aggregate/continuous_query', { slug, title, query: { select, group_by } })
  }
  const result = (page: Page) => page.getByRole('group', { name: 'Result' })
  const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true })

  it('begins with the hours of the user’s day, and shows them with names and units beside the builder', async () => {
    const page = await openAt(`/console/query?user=${user}`)
    await page.keyboard.press('Control+Enter')
    await result(page).waitFor()
    const rows = await result(page).getByRole('row').allTextContents()
    expect(rows).toEqual(['HourSteps, sum', 'Wed 4 Nov, 00:00100', 'Wed 4 Nov, 01:00101', 'Wed 4 Nov, 03:00103'])
    const box = async (name: string) =>
      (await page.getByRole('heading', { name, exact: true }).boundingBox()) ?? { x: 0 }
    expect((await box('Result')).x).toBeGreaterThan((await box('Builder')).x)
    await expectAccessible(page)
    await page.setViewportSize({ width: 980, height: 800 })
    expect((await box('Result')).x).toBe((await box('Builder')).x)
  })

  it('runs on Ctrl+Enter in a field and in the JSON, and keeps Run visible', async () => {
    const page = await openAt(`/console/query?user=${user}`)
    await page.getByText('JSON', { exact: true }).click()
    const json = page.locator('.cm-content')
    await json.click()
    const before = await json.innerText()
    await page.keyboard.press('Control+Enter')
    await result(page).waitFor()
    expect(await json.innerText()).toBe(before)
    await page.getByLabel('Only rows where').fill('steps.value > 101')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => result(page).getByRole('row').count()).toBe(2)
    await page.setViewportSize(PHONE)
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    const place = await run(page).boundingBox()
    expect(place && place.y >= 0 && place.y < PHONE.height).toBe(true)
    await expectFits(page)
  })

  it('shows a chart, a table, or both, as the URL says', async () => {
    const page = await openAt(`/console/query?user=${user}&show=chart`)
    await run(page).click()
    await page.locator('.chart-plot canvas').waitFor()
    expect(await result(page).count()).toBe(0)
    await page.getByLabel('Chart').uncheck()
    await result(page).waitFor()
    expect(await page.locator('.chart-plot').count()).toBe(0)
    expect(new URL(page.url()).searchParams.get('show')).toBe('table')
    await page.getByLabel('Chart').check()
    await page.locator('.chart-plot canvas').waitFor()
    expect(new URL(page.url()).searchParams.get('show')).toBe(null)
    await page.locator('.chart-texts', { hasText: 'Steps, sum: 3 values' }).waitFor()
  })

  it('describes a column with its unit', async () => {
    const page = await openAt(`/console/query?user=${user}`)
    const column = page.getByLabel('Column').first()
    for (const [name, text] of [
      ['sleep.efficiency', 'Share of the time in bed spent asleep, %, as the source computes it'],
      ['sleep.duration_second', 'Seconds in bed, s'],
      ['heartrate.value', 'Heart rate, bpm'],
      ['steps.value', 'Steps taken'],
    ] as const) {
      await column.fill(name)
      await page.locator('.field-hint').getByText(text, { exact: true }).waitFor()
    }
  })

  it('suggests a condition that runs, for every column', async () => {
    // an import that the type checker sees would add the browser's types to the tests
    const source = path.join(root, 'src/console/pages/query/query-model.ts')
    const { exampleWhere, firstModel, namedColumns } = await import(source)
    const columns: Map<string, Column> = namedColumns(await api(server, 'GET', '/svc/v1/aggregate/columns'))
    const timeframe = { type: 'relative', anchor: '2026-11-04', past: { unit: 'day', value: 1 } }
    const examples = new Map(
      [...columns.values()].map(each => {
        const select = [{ func: '', column: each.name }]
        return [exampleWhere({ ...firstModel('2026-11-04'), select }, columns), each] as const
      }),
    )
    expect(examples.size).toBeGreaterThan(300)
    const queries = [...examples].map(([where, { table, expression, meaning }]) => ({
      select: [
        {
          func: 'count',
          arg: 'index' in expression && table === 'timeseries' ? { timeseries: 'steps', field: 'value' } : expression,
        },
      ],
      where,
      ...(meaning.includes('merged row') ? { merge: true } : {}),
    }))
    for (let i = 0; i < queries.length; i += 50)
      await api(server, 'POST', `/aggregate/v1/user/${user}/query`, { timeframe, queries: queries.slice(i, i + 50) })
  })

  it('renames a saved query, and shares it by a link without its user', async () => {
    await save('steps-by-hour', 'Steps', 'hour')
    const page = await openAt(`/console/query?user=${user}`)
    await chooseAction(page, 'Steps', 'Rename')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Steps by hour')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('cell', { name: 'Steps by hour', exact: true }).waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await chooseAction(page, 'Steps by hour', 'Copy the link')
    await page.getByText('The link of Steps by hour was copied.').waitFor()
    const link = new URL(await page.evaluate<string>('navigator.clipboard.readText()'))
    expect([...link.searchParams.keys()]).toEqual(['query'])
    const other = await openAt(`${link.pathname}${link.search}`)
    expect(await other.getByLabel('Column').first().inputValue()).toBe('steps.value')
    expect(await other.getByLabel('Unit').nth(1).inputValue()).toBe('hour')
    expect(await other.getByRole('combobox', { name: 'User' }).inputValue()).toBe('')
  })

  it('shows the chosen saved queries as charts, and its URL shows the same ones', async () => {
    await save('daily', 'Steps by day', 'day')
    const page = await openAt(`/console/query/charts?user=${user}`)
    await page.getByText('Each saved query is a chart.').waitFor()
    await page.getByLabel('Add a chart of').selectOption('Steps by day')
    await page.getByRole('heading', { name: 'Steps by day' }).waitFor()
    await page.locator('.chart-texts', { hasText: 'Steps, sum: 2 values, 99 to 304' }).waitFor()
    await expectAccessible(page)
    const other = await openAt(new URL(page.url()).search.replace(/^/, '/console/query/charts'), { viewport: PHONE })
    await other.locator('.chart-texts', { hasText: 'Steps, sum: 2 values, 99 to 304' }).waitFor()
    await expectFits(other)
    await other.route(/\/aggregate\/.*\/query$/, route => route.fulfill({ status: 422, json: {} }))
    await other.reload()
    // a failed chart keeps its title, and can be removed
    await other.getByRole('region', { name: 'Steps by day' }).getByRole('alert').waitFor()
    await other.getByRole('button', { name: 'Remove the chart of Steps by day' }).click()
    await other.getByText('Each saved query is a chart.').waitFor()
  })

  it('shows measurements in the chosen time zone, also after summer time ended', async () => {
    const person = { client_user_id: 'eve', fallback_time_zone: 'America/New_York' }
    const eve = (await api<{ user_id: string }>(server, 'POST', '/v2/user', person)).user_id
    // midnight and 02:00 in New York, with three hours between them, and noon on a trip
    const steps = ['04:00', '07:00'].map(time => ({ resource: 'steps', timestamp: `2026-11-01T${time}:00Z`, value: 9 }))
    const trip = { resource: 'heartrate', timestamp: '2026-11-01T03:00:00Z', value: 60, timezone_offset: 32_400 }
    await api(
      server,
      'POST',
      `/svc/v1/users/${eve}/samples`,
      [...steps, trip].map(each => JSON.stringify(each)).join('\n'),
    )
    const period = '&start=2026-11-01&end=2026-11-02'
    const page = await openAt(`/console/data?user=${eve}&resource=steps${period}`)
    const times = () =>
      page
        .getByRole('group', { name: /as a table$/ })
        .getByRole('cell')
        .locator('nth=0')
        .textContent()
    const hint = page.locator('.shell-foot .field-hint')
    const zone = page.getByLabel('Times in')
    await expect.poll(times).toBe('1 Nov 2026, 00:00')
    expect(await hint.textContent()).toBe("Measurements are in the user's local time.")
    await zone.selectOption('UTC')
    await expect.poll(times).toBe('1 Nov 2026, 04:00')
    expect(await hint.textContent()).toBe('UTC')
    await page.getByText('Times are in UTC, converted from America/New_York. Days are those of the user.').waitFor()
    await page.goto(page.url().replace('resource=steps', 'resource=heartrate').replace('2026-11-01', '2026-10-31'))
    await expect.poll(times).toBe('1 Nov 2026, 03:00')
    await zone.selectOption("The user's time zone")
    await expect.poll(times).toBe('1 Nov 2026, 12:00')
    await page.goto(page.url().replace(/data.*/, `query?user=${eve}`))
    await page.getByLabel('Until').fill('2026-11-01')
    await page.keyboard.press('Control+Enter')
    await result(page).waitFor()
    const hours = async () => (await result(page).locator('time').allTextContents()).map(text => text.slice(-5))
    await expect.poll(hours).toEqual(['00:00', '02:00'])
    await zone.selectOption('UTC')
    await expect.poll(hours).toEqual(['04:00', '07:00'])
    await page.locator('.chart-texts', { hasText: 'from Sun 1 Nov 2026, 07:00' }).waitFor()
  })
})
