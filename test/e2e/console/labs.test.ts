/** Labs and orders on the pages, in a real browser with a real engine. */
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { type ConsoleWindow, closeWindow, openConsole, PHONE, serveBuiltConsole, WIDE } from '../../kit/console.ts'
import type { TestServer } from '../../kit/server.ts'
import { expectAccessible, expectFits, openFilter } from './kit/checks.ts'
import { api } from './kit/filled.ts'

const executable = browserPath()
const PERSON = {
  first_name: 'Ada',
  last_name: 'Sample',
  email: 'ada@example.test',
  phone_number: '+1 415 555 0100',
  gender: 'female',
  dob: '1990-02-28',
  address: { first_line: '1 <b>Main</b> Street', city: 'San Francisco', state: 'CA', zip: '94110', country: 'US' },
}

describe.skipIf(executable === undefined)('labs in the console', { timeout: 120_000 }, () => {
  let browser: Browser
  let server: TestServer
  let window: ConsoleWindow | undefined
  let userId = ''

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole()
    const { json } = await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: 'ada' }) })
    userId = (json as { user_id: string }).user_id
    await server.ask('PATCH', `/v2/user/${userId}/info`, { body: JSON.stringify(PERSON) })
  }, 120_000)
  afterAll(() => browser?.close())
  afterEach(() => closeWindow(window))

  const open = async (path: string, viewport = WIDE): Promise<Page> => {
    window = await openConsole(browser, server, { viewport, path })
    return window.page
  }

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  /** Returns what a screen reader says about why a button is disabled; null if it is not disabled. */
  const refusal = async (page: Page, name: string): Promise<string | null> => {
    if (!(await button(page, name).isDisabled())) return null
    const id = await button(page, name).getAttribute('aria-describedby')
    return page.locator(`[id="${id}"]`).textContent()
  }
  const saved = async (page: Page, name: string): Promise<string> => {
    const download = page.waitForEvent('download')
    await button(page, name).click()
    return readFileSync(await (await download).path(), 'latin1').slice(0, 5)
  }

  it('have a catalogue that can be searched by name and LOINC code', async () => {
    const page = await open('/console/labs')
    await page.getByText('Essential Health').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Markers' }).click()
    await page.getByLabel('Search').fill('2345-7')
    const filter = await openFilter(page, 'Laboratory')
    await filter.getByLabel('Laboratory').selectOption('quest')
    await page.getByRole('link', { name: 'Glucose', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Glucose' })
    await dialog.getByText('Glucose [Mass/volume] in Serum or Plasma').first().waitFor()
    await expectAccessible(page)
    expect(new URL(page.url()).searchParams.get('q')).toBe('2345-7')
    await dialog.getByRole('link', { name: 'Order this marker' }).click()
    await page.getByRole('dialog', { name: 'Place an order' }).waitFor()
    await expectAccessible(page)
    await expectFits(page)
  })

  it('let you place an order from the profile, simulate it, and see its results and documents', async () => {
    const page = await open('/console/labs/orders?new=1')
    expect(await refusal(page, 'Place the order')).toBe('Choose a user and a lab test first.')
    await expectAccessible(page)
    await page.goto(`${server.url}/console/labs/orders?new=1&user=${userId}`)
    await page.getByLabel('Lab test or marker').selectOption({ label: 'Essential Health, Labcorp, walk-in test' })
    await expect.poll(() => page.getByLabel('First name', { exact: true }).inputValue()).toBe('Ada')
    await button(page, 'Place the order').click()
    await page.getByRole('heading', { level: 1, name: 'Essential Health' }).waitFor()
    await page.getByText('No results yet').waitFor()
    expect(await refusal(page, 'Result PDF')).toBe('The laboratory has not reported.')
    await page.getByText('The laboratory has not reported.').waitFor()
    expect(await page.getByText('Standard', { exact: true }).count()).toBe(1)
    await button(page, 'Appointment scheduled').click()
    const states = page.getByRole('region', { name: 'States' })
    await states.getByText('Appointment scheduled').waitFor()
    expect(await saved(page, 'Requisition PDF')).toBe('%PDF-')
    const result = page.getByLabel('Result', { exact: true })
    expect(await result.getByRole('option').allTextContents()).toEqual(['Normal', 'Abnormal', 'Critical', 'Unknown'])
    await result.selectOption('critical')
    await page.getByLabel('Leave one result missing').check()
    await button(page, 'Simulate').click()
    const results = page.getByRole('group', { name: 'Table of results' })
    await results
      .getByText(/^Critical/)
      .first()
      .waitFor()
    await page.getByRole('group', { name: 'Missing results' }).waitFor()
    expect(await states.getByRole('listitem').count()).toBe(4)
    expect(await refusal(page, 'Cancel the order')).toBe('Not possible in the current state.')
    expect(await saved(page, 'Result PDF')).toBe('%PDF-')
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await expectFits(page)
  })

  it('show missing fields of an order at the field, and let you cancel an order', async () => {
    const page = await open(`/console/labs/orders?new=1&user=${userId}`)
    await page.getByLabel('Lab test or marker').selectOption({ label: 'Heart Health Kit, SanoCardio, test kit' })
    await expect.poll(() => page.getByLabel('First name', { exact: true }).inputValue()).toBe('Ada')
    await page.getByLabel('ZIP code', { exact: true }).fill('nowhere')
    await button(page, 'Place the order').click()
    await expect.poll(() => page.getByLabel('ZIP code', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('ZIP code', { exact: true }).fill('94110')
    await button(page, 'Place the order').click()
    await button(page, 'Cancel the order').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the order', exact: true }).click()
    await page.getByText('The order has ended: no other state follows.').waitFor()
    await expect.poll(() => refusal(page, 'Cancel the order')).toBe('The order has ended.')
    expect(await saved(page, 'Requisition PDF')).toBe('%PDF-')
    await page.goto(`${server.url}/console/labs/orders?status=cancelled`)
    await page.getByRole('link', { name: 'Heart Health Kit' }).waitFor()
    await page.getByText('1 to 1 of 1 orders').waitFor()
    await page.getByRole('cell', { name: 'Cancelled', exact: true }).waitFor()
    await expectAccessible(page)
    await expectFits(page)
  })

  it('accept an order for a minor with a proxy, and with all other fields', async () => {
    const { user_id: minor } = await api<{ user_id: string }>(server, 'POST', '/v2/user', { client_user_id: 'minor' })
    await api(server, 'PATCH', `/v2/user/${minor}/info`, { ...PERSON, first_name: 'Minnie', dob: '2015-02-28' })
    const page = await open(`/console/labs/orders?new=1&user=${minor}`)
    await page.getByLabel('Lab test or marker').selectOption({ label: 'Essential Health, Labcorp, walk-in test' })
    await expect.poll(() => page.getByLabel('First name', { exact: true }).inputValue()).toBe('Minnie')
    const section = (name: string) => page.locator('summary', { hasText: name })
    await section('Physician').click()
    await page.getByLabel('First name of the physician').fill('Grace')
    await page.getByLabel('Last name of the physician').fill('Hopper')
    await page.getByLabel('NPI').fill('12345')
    await section('Consents').click()
    await page.getByLabel('HIPAA authorization').check()
    await section('Billing and insurance').click()
    await page.getByLabel('Billing type').selectOption('Commercial insurance')
    await page.getByLabel('ICD-10 codes').fill('E11.9, nothing')
    await button(page, 'Place the order').click()
    for (const name of ['NPI', 'ICD-10 codes'])
      await expect.poll(() => page.getByLabel(name).getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('NPI').fill('1234567893')
    await page.getByLabel('ICD-10 codes').fill('E11.9, I10')
    await button(page, 'Place the order').click()
    // a section shows its own missing data
    await page.getByText('is required for patients under 18').waitFor()
    await expectAccessible(page)
    const proxy = {
      'First name': 'Ada',
      'Last name': 'Sample',
      'Phone number': '+1 415 555 0100',
      Street: '1 Main Street',
      City: 'San Francisco',
      State: 'CA',
      'ZIP code': '94110',
    }
    for (const [name, value] of Object.entries(proxy)) await page.getByLabel(`${name} of the proxy`).fill(value)
    await button(page, 'Place the order').click()
    await page.getByText('is required for billing_type commercial_insurance').waitFor()
    await page.getByLabel('Payor code').fill('60054')
    await page.getByLabel('Member ID').fill('W123')
    await page.getByLabel('Relationship to the insured person').selectOption('Other')
    await section('Handling').click()
    await page.getByLabel('Priority').check()
    await page.setViewportSize(PHONE)
    await expectFits(page)
    await page.setViewportSize(WIDE)
    await button(page, 'Place the order').click()
    await page.getByRole('heading', { level: 1, name: 'Essential Health' }).waitFor()
    await page.getByText('Ada Sample').waitFor()

    const id = new URL(page.url()).pathname.split('/').at(-1)
    const order = await api<Record<string, unknown>>(server, 'GET', `/v3/order/${id}`)
    expect(order).toMatchObject({
      patient_details: { first_name: 'Minnie', medical_proxy: { first_name: 'Ada', address: { country: 'US' } } },
      physician: { first_name: 'Grace', last_name: 'Hopper', npi: '1234567893' },
      billing_type: 'commercial_insurance',
      icd_codes: ['E11.9', 'I10'],
      priority: true,
    })
    expect(order['health_insurance_id']).not.toBeNull()
  })
})
