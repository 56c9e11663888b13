/** The main tasks, from the first click to the outcome: events, endpoints, queries, the engine, the API reference. */
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { type ConsoleWindow, openConsole, serveBuiltConsole } from '../../kit/console.ts'
import type { TestServer } from '../../kit/server.ts'
import { openSink, type Sink } from '../../kit/sink.ts'
import { until } from '../../kit/until.ts'
import { chooseAction } from './kit/checks.ts'
import { api } from './kit/filled.ts'

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

  it('events of a period are counted before they are sent again, and the list begins with their delivery', async () => {
    const receiver = await openSink()
    const { endpoint_id } = await api<{ endpoint_id: string }>(server, 'POST', '/svc/v1/webhooks', {
      url: receiver.url,
    })
    const trigger = { type: 'daily.data.note.created', user_id: person.user_id, only_event: true }
    await api(server, 'POST', '/svc/v1/events/trigger', trigger)
    await api(server, 'POST', '/svc/v1/events/trigger', trigger)
    await until(() => receiver.received.length === 2)
    await window.visit('/console/events?type=daily.data.note.created')
    await until(async () => {
      await page.reload()
      await window.settled()
      return (await page.getByText('1 delivered').count()) === 2
    })
    expect(await page.getByRole('table').getByRole('columnheader').nth(1).textContent()).toBe('Delivery')
    await page.getByRole('table').getByRole('row').nth(1).getByRole('cell').nth(1).getByText('1 delivered').waitFor()

    await button('Resend events…').click()
    await dialog().getByText('Choose a start first.').waitFor()
    await button('Count the events').press('Enter')
    await dialog().getByLabel('Since').fill('2020-01-01T00:00')
    await dialog().getByLabel('Type').fill('daily.data.note.created')
    await button('Count the events').click()
    await dialog().getByText('No events match.').waitFor() // none is dead
    await button('Resend').press('Enter')
    await dialog().getByLabel('Only dead deliveries').uncheck()
    await button('Count the events').click()
    await dialog().getByText('2 events match.').waitFor()
    await dialog().getByLabel('Type').fill('daily.data.nothing')
    await button('Count the events').click()
    await dialog()
      .getByText(/matches no event type/)
      .waitFor()
    await dialog().getByLabel('Type').fill('daily.data.note.created')
    await button('Count the events').click()
    await dialog().getByText('2 events match.').waitFor()
    expect(receiver.received.length).toBe(2)
    await button('Resend').click()
    await page.getByText('2 deliveries were queued.').waitFor()
    await until(() => receiver.received.length === 4)
    await api(server, 'DELETE', `/svc/v1/webhooks/${endpoint_id}`)
    window.forgive(/status of 422/)
  })

  it('a query is built, run, explained, saved, downloaded, deleted, and restored', async () => {
    await window.visit('/console/query')
    await pickUser(page)
    const where = page.getByLabel('Only rows where')
    for (const [column, example] of [
      ['sleep.efficiency', 'sleep.efficiency > 0'],
      ['sleep.type', "sleep.type = 'text'"],
      // a macro cannot be part of a condition, but the source of a night can
      ['sleep.sleep_score', "source_provider = 'oura'"],
      ['steps.value', 'steps.value > 0'],
    ] as const) {
      await page.getByLabel('Column').first().fill(column)
      await expect.poll(() => where.getAttribute('placeholder')).toBe(example)
    }
    await where.fill('steps.value > 0')
    await page.getByLabel('Past').fill('10')
    await page.getByLabel('Unit').first().selectOption('days')
    await page.getByLabel('Unit').nth(1).selectOption('day')
    await page.getByLabel('Function').first().selectOption('sum')
    await page.getByText('JSON', { exact: true }).click()
    const json = page.locator('.cm-content')
    await until(async () => (await json.innerText()).includes('"sum"'))
    await button('Run').click()
    const result = page.getByRole('group', { name: 'Result' })
    await result.getByRole('row').nth(1).waitFor()
    expect(await result.getByRole('columnheader').allTextContents()).toEqual(['Day', 'Steps, sum'])
    const csv = await download(() => button('Download CSV').click())
    expect(csv.split('\n').length).toBeGreaterThan(2)
    await button('Explain').click()
    await page.getByText('source', { exact: false }).first().waitFor()
    await button('Save').click()
    await dialog().getByLabel('Title').fill('Steps a day')
    await dialog().getByRole('button', { name: 'Save', exact: true }).click()
    await chooseAction(page, 'Steps a day', 'Show the result')
    await dialog().waitFor()
    await page.keyboard.press('Escape')
    await chooseAction(page, 'Steps a day', 'Delete')
    await page.getByText('No saved queries').waitFor()
    await button('Undo').click()
    await button('Actions for Steps a day').waitFor()
  })

  it('JSON can be typed faster than the page can follow, without losing any of it', async () => {
    await window.visit('/console/query')
    await page.getByText('JSON', { exact: true }).click()
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
