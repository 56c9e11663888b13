/** The ten tasks of docs/console-design.md, each with at most the clicks and keys that are written there. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type ConsoleWindow, describeConsole } from '../../kit/console.ts'
import { root } from '../../kit/sandbox.ts'
import { openSink, type Sink } from '../../kit/sink.ts'
import { until } from '../../kit/until.ts'
import { api } from './kit/filled.ts'

const PERSON = {
  ...{ first_name: 'Ada', last_name: 'Sample', email: 'ada@example.test', phone_number: '+1 415 555 0100' },
  ...{ gender: 'female', dob: '1990-02-28' },
  address: { first_line: '1 Main Street', city: 'San Francisco', state: 'CA', zip: '94110', country: 'US' },
}

const TASKS = [
  ...readFileSync(path.join(root, 'docs/console-design.md'), 'utf8').matchAll(/^\| \d+ \| (.+) \| (\d+) \|$/gm),
].map(([, title = '', most]) => ({ title, most: Number(most) }))

/** Does what a person does, and counts it. */
class Hands {
  count = 0
  private readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async click(target: Locator): Promise<void> {
    this.count++
    await target.click()
  }

  async type(target: Locator, text: string): Promise<void> {
    this.count++
    await target.fill(text)
  }

  async choose(target: Locator, label: string): Promise<void> {
    this.count++
    await target.selectOption({ label })
  }

  async press(key: string): Promise<void> {
    this.count++
    await this.page.keyboard.press(key)
  }

  /** Clicks a button that opens the browser's file dialog, and chooses a file. */
  async chooseFile(button: Locator, name: string, text: string): Promise<void> {
    const opened = this.page.waitForEvent('filechooser')
    await this.click(button)
    this.count++
    await (await opened).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  }

  /** Clicks, and returns the start of the file that is saved. */
  async save(target: Locator): Promise<string> {
    const saved = this.page.waitForEvent('download')
    await this.click(target)
    return readFileSync(await (await saved).path(), 'latin1').slice(0, 200)
  }
}

describeConsole('tasks of a new user', tests => {
  let window: ConsoleWindow
  let page: Page
  let hands: Hands
  let sink: Sink
  let person: { readonly user_id: string; readonly client_user_id: string; readonly time_zone: string }

  beforeAll(async () => {
    const { server } = tests
    const seeded = await api<{ people: (typeof person)[] }>(server, 'POST', '/svc/v1/seed', { people: 1, days: 20 })
    person = seeded.people[0] ?? person
    await api(server, 'PATCH', `/v2/user/${person.user_id}/info`, PERSON)
    // the zone of the samples, so that both have the same last day at any hour
    await api(server, 'PATCH', `/v2/user/${person.user_id}`, { fallback_time_zone: person.time_zone })
    sink = await openSink((_received, response) => {
      response.writeHead(503).end('try later')
      return undefined
    })
    await api(server, 'POST', '/svc/v1/webhooks', { url: `${sink.url}/orders` })
    const trigger = { type: 'labtest.order.created', user_id: person.user_id, only_event: true }
    await api(server, 'POST', '/svc/v1/events/trigger', trigger)
    await until(() => sink.received.length > 0)
  })
  beforeEach(async () => {
    window = await tests.open('/console')
    page = window.page
    hands = new Hands(page)
  })

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
  const pages = () => page.getByRole('navigation', { name: 'Pages', exact: true })
  const dialog = () => page.getByRole('dialog')
  const menu = () => page.getByRole('dialog', { name: 'Go to a page, or run an action' })
  /** Opens the first entry that the command menu finds. */
  const goTo = async (text: string, entry: string | RegExp = text): Promise<void> => {
    await hands.press('Control+k')
    await hands.type(menu().getByRole('combobox'), text)
    await menu().getByRole('option', { name: entry }).first().waitFor()
    await hands.press('Enter')
    await menu().waitFor({ state: 'detached' })
  }
  const openData = async (): Promise<void> => {
    await goTo(person.client_user_id.slice(1, -1), person.client_user_id)
    await page.getByRole('heading', { level: 1, name: person.client_user_id }).waitFor()
    await hands.click(pages().getByRole('link', { name: 'Data' }))
  }
  const showData = async (resource: string): Promise<void> => {
    await openData()
    await hands.choose(page.getByLabel('Resource', { exact: true }), resource)
    await window.settled()
  }
  const pickUser = async (within: Pick<Page, 'getByRole'>): Promise<void> => {
    await hands.type(within.getByRole('combobox', { name: 'User' }), person.client_user_id)
    await hands.click(within.getByRole('listbox', { name: 'Users' }).getByRole('option').first())
  }

  const DONE: readonly (() => Promise<void>)[] = [
    async () => {
      await showData('Sleep')
      await page.getByRole('heading', { name: /^Night of / }).waitFor()
    },
    async () => {
      await openData()
      await hands.click(page.getByRole('link', { name: 'Day', exact: true }))
      // the last day of the samples may have begun only now, without a step
      await hands.click(button('Why this number? Heart rate'))
      await page.getByRole('dialog', { name: 'Why this number?' }).getByText('svc why').waitFor()
    },
    async () => {
      await hands.click(pages().getByRole('link', { name: 'Events' }))
      await hands.click(page.getByRole('link', { name: 'Endpoints' }))
      await hands.click(page.getByRole('link', { name: `${sink.url}/orders` }))
      await hands.click(page.getByRole('table').getByRole('link').first())
      await hands.click(page.locator('details.attempt > summary').first())
      await page.getByRole('group', { name: 'Response body of attempt 1' }).getByText('try later').waitFor()
      const before = sink.received.length
      await hands.click(button('Resend to all that subscribe'))
      await until(() => sink.received.length > before)
    },
    async () => {
      await hands.click(pages().getByRole('link', { name: 'Import' }))
      await pickUser(page)
      await hands.chooseFile(button('Choose files'), 'water.csv', 'When,Amount\n2026-01-01T10:00:00Z,200\n')
      await hands.choose(page.getByLabel('Content of When'), 'Start, date and time')
      await hands.choose(page.getByLabel('Content of Amount'), 'Value')
      await hands.type(page.getByRole('region', { name: 'water.csv' }).getByLabel('Resource of a table'), 'water')
      await hands.click(button('Try again'))
      await page.getByRole('row', { name: 'water samples 1 0 0' }).waitFor()
      await hands.click(button('Undo the import of water.csv'))
      await hands.click(dialog().getByRole('button', { name: 'Undo', exact: true }))
      await page.getByText('Import undone: 1 removed').waitFor()
    },
    async () => {
      await goTo('place', 'Place an order')
      await pickUser(dialog())
      await hands.choose(dialog().getByLabel('Lab test or marker'), 'Essential Health, Labcorp, walk-in test')
      await expect.poll(() => dialog().getByLabel('First name', { exact: true }).inputValue()).toBe('Ada')
      await hands.click(button('Place the order'))
      await hands.click(button('Simulate'))
      await page.getByRole('group', { name: 'Table of results' }).waitFor()
      expect(await hands.save(button('Result PDF'))).toMatch(/^%PDF-/)
    },
    async () => {
      await showData('Steps')
      await hands.choose(page.getByLabel('Compare with'), 'The period before')
      await page.getByRole('group', { name: 'Comparison' }).waitFor()
    },
    async () => {
      await showData('Steps')
      expect(await hands.save(page.getByRole('link', { name: 'Download CSV' }))).toMatch(/^\w+,.*\n/)
    },
    async () => {
      await goTo('freeze', 'Freeze clock')
      const clock = () => api<{ frozen: boolean }>(tests.server, 'GET', '/svc/v1/clock')
      await expect.poll(async () => (await clock()).frozen).toBe(true)
      await api(tests.server, 'POST', '/svc/v1/clock', { freeze: false })
    },
    async () => {
      await hands.click(pages().getByRole('link', { name: 'API reference' }))
      await hands.type(page.getByLabel('Search'), 'list users')
      await hands.click(page.getByRole('navigation', { name: 'Operations' }).getByRole('link').first())
      await hands.click(button('Send'))
      await page.getByRole('group', { name: 'Response', exact: true }).getByText(person.user_id).first().waitFor()
    },
    async () => {
      await goTo('audit', 'Audit trail')
      await page
        .getByRole('row', { name: /user\.patch/ })
        .first()
        .waitFor()
    },
  ]

  it.each(TASKS.map(({ title, most }, at) => [title, most, DONE[at]] as const))('%s', async (_title, most, done) => {
    expect(TASKS.length).toBe(DONE.length)
    await done?.()
    expect(hands.count).toBeGreaterThan(0)
    expect(hands.count).toBeLessThanOrEqual(most)
  })

  it('loads the code of charts after the first figures', async () => {
    await page.addInitScript(`new MutationObserver((_changes, observer) => {
      if (document.querySelector('.chart-texts li') === null) return
      globalThis.__before = performance.getEntriesByType('resource').map(({ name }) => name)
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true })`)
    await window.visit(`/console/data?user=${person.user_id}&resource=steps`)
    await page.locator('.chart-plot canvas').first().waitFor()
    const before = await page.evaluate<string[]>('globalThis.__before')
    const all = await page.evaluate<string[]>(`performance.getEntriesByType('resource').map(({ name }) => name)`)
    expect(before.some(each => /\/data-page-\w+\.js$/.test(each))).toBe(true)
    expect(before.filter(each => /\/plot-\w+\.js$/.test(each))).toEqual([])
    expect(all.some(each => /\/plot-\w+\.js$/.test(each))).toBe(true)
  })
})
