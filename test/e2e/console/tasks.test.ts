/** The main tasks, from the first click to the outcome: events, endpoints, queries, the engine, the API reference. */
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { type ConsoleWindow, openConsole, serveBuiltConsole } from '../../kit/console.ts'
import type { TestServer } from '../../kit/server.ts'
import { openSink, type Sink } from '../../kit/sink.ts'
import { until } from '../../kit/until.ts'
import { api } from './filled.ts'

const executable = browserPath()
if (executable === undefined) process.stderr.write('console/tasks.test.ts is skipped: no Chromium is installed\n')

describe.skipIf(executable === undefined)('in the console', () => {
  let browser: Browser
  let server: TestServer
  let sink: Sink
  let window: ConsoleWindow
  let page: Page
  let person: { readonly user_id: string; readonly client_user_id: string }

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole()
    const seeded = await api<{ people: (typeof person)[] }>(server, 'POST', '/svc/v1/seed', { people: 1, days: 10 })
    person = seeded.people[0] ?? person
    sink = await openSink((_received, response) => {
      response.setHeader('x-told', 'busy')
      response.writeHead(503).end('try later')
      return undefined
    })
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    window = await openConsole(browser, server)
    page = window.page
  })
  afterEach(() => window.close())

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
  const dialog = () => page.getByRole('dialog')
  const pickUser = async (within: { getByRole: Page['getByRole'] }) => {
    await within.getByRole('combobox', { name: 'User' }).fill(person.client_user_id)
    await within.getByRole('listbox', { name: 'Users' }).getByRole('option').first().click()
  }
  const download = async (act: () => Promise<void>): Promise<string> => {
    const [file] = await Promise.all([page.waitForEvent('download'), act()])
    return readFileSync(await file.path(), 'utf8')
  }

  it('an endpoint is added, fails, shows request and response, gets a new secret, and is deleted', async () => {
    await window.visit('/console/events/endpoints')
    await button('Add an endpoint').first().click()
    await dialog().getByLabel('URL').fill(`${sink.url}/hook`)
    await dialog().getByLabel('Description').fill('orders')
    await button('Add').click()
    const secret = await dialog()
      .getByText(/^whsec_/)
      .innerText()
    await button('Done').click()
    await page.getByRole('link', { name: `${sink.url}/hook` }).click()
    await button('Send a test').click()
    await page.getByText('is on its way').waitFor()
    await page.getByRole('table').getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    await until(() => sink.received.length > 0)
    await until(async () => {
      await page.reload()
      await window.settled()
      return (await page.locator('details.attempt').count()) > 0
    })
    await page.locator('details.attempt > summary').first().click()
    await page.getByRole('group', { name: 'Request headers of attempt 1' }).getByText('webhook-signature').waitFor()
    await page.getByRole('group', { name: 'Response headers of attempt 1' }).getByText('x-told: busy').waitFor()
    await page.getByRole('group', { name: 'Response body of attempt 1' }).getByText('try later').waitFor()
    const before = sink.received.length
    await button('Resend to all that subscribe').click()
    await page.getByText('One delivery was queued.').waitFor()
    await until(() => sink.received.length > before)

    await page.getByRole('link', { name: `${sink.url}/hook` }).click()
    await window.settled()
    expect(await page.content()).not.toContain(secret)
    await button('Rotate the secret').click()
    await button('Rotate').click()
    expect(
      await dialog()
        .getByText(/^whsec_/)
        .innerText(),
    ).not.toBe(secret)
    await button('Done').click()
    await button('Disable').click()
    await page.getByText('The endpoint is disabled.').waitFor()
    await button('Undo').click()
    await button('Disable').waitFor()
    await button('Delete').first().click()
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No endpoints yet').waitFor()
  })

  it('an event is triggered with a value, and new events appear in the list without a reload', async () => {
    await window.visit('/console/events')
    await page.getByText('Live', { exact: true }).waitFor()
    await button('Trigger an event').first().click()
    await pickUser(dialog())
    await dialog().getByLabel('Values to set').fill('{"data.value": 7.5}')
    await dialog().getByRole('button', { name: 'Trigger', exact: true }).click()
    await page.getByText(/(was|were) triggered\.$/).waitFor()
    await page.getByRole('link', { name: 'daily.data.glucose.created' }).first().click()
    await page.getByRole('group', { name: 'Body of the event' }).getByText('7.5').waitFor()
    await page.goBack()
    await page.getByText('Live', { exact: true }).waitFor()
    await api(server, 'POST', '/svc/v1/events/trigger', {
      type: 'labtest.order.created',
      user_id: person.user_id,
      only_event: true,
    })
    await page.getByRole('link', { name: 'labtest.order.created' }).waitFor()
  })

  it('a query is built, run, explained, saved, downloaded, deleted, and restored', async () => {
    await window.visit('/console/query')
    await pickUser(page)
    const where = page.getByLabel('Only rows where')
    for (const [column, example] of [
      ['sleep.efficiency', 'sleep.efficiency > 0'],
      ['sleep.type', "sleep.type = 'text'"],
      // a macro cannot be part of a condition
      ['sleep.sleep_score', ''],
      ['steps.value', 'steps.value > 0'],
    ] as const) {
      await page.getByLabel('Column').first().fill(column)
      await expect.poll(() => where.getAttribute('placeholder')).toBe(example)
    }
    await where.fill('steps.value > 0')
    await page.getByLabel('Function').first().selectOption('sum')
    const json = page.locator('.cm-content')
    await until(async () => (await json.innerText()).includes('"sum"'))
    await button('Run').click()
    const result = page.getByRole('group', { name: 'Result' })
    await result.getByRole('row').nth(1).waitFor()
    expect(await result.getByRole('columnheader').allTextContents()).toEqual(['day', 'sum'])
    const csv = await download(() => button('Download CSV').click())
    expect(csv.split('\n').length).toBeGreaterThan(2)
    await button('Explain').click()
    await page.getByText('source', { exact: false }).first().waitFor()
    await button('Save').click()
    await dialog().getByLabel('Title').fill('Steps a day')
    await dialog().getByRole('button', { name: 'Save', exact: true }).click()
    await button('Show the result of Steps a day').click()
    await dialog().waitFor()
    await page.keyboard.press('Escape')
    await button('Delete Steps a day').click()
    await page.getByText('No saved queries').waitFor()
    await button('Undo').click()
    await button('Delete Steps a day').waitFor()
  })

  it('JSON can be typed faster than the page can follow, without losing any of it', async () => {
    await window.visit('/console/query')
    const json = page.locator('.cm-content')
    await json.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('{"timeframe": ,')
    await page.getByText('The JSON is not complete').waitFor()
    expect(await json.innerText()).toContain('{"timeframe": ,}')
  })

  it('JSON that the builder cannot show still runs, and broken JSON is reported', async () => {
    await window.visit('/console/query?query=%7B')
    await page.getByText('The JSON is not complete').waitFor()
    await button('Start a new query').click()
    await page.getByRole('group', { name: 'Values' }).waitFor()
  })
})
