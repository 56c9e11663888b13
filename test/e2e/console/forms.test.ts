/** The common behavior of all forms and lists in the console, in a real browser with a real engine. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { type ConsoleWindow, closeWindow, openConsole, serveBuiltConsole } from '../../kit/console.ts'
import type { TestServer } from '../../kit/server.ts'
import { expectAccessible } from './kit/checks.ts'
import { api } from './kit/filled.ts'

const executable = browserPath()
if (executable === undefined) process.stderr.write('console/forms.test.ts is skipped: no Chromium is installed\n')

describe.skipIf(executable === undefined)('the forms of the console', () => {
  let browser: Browser
  let server: TestServer
  let window: ConsoleWindow | undefined
  let userId = ''

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole()
    userId = (await api<{ user_id: string }>(server, 'POST', '/v2/user', { client_user_id: 'ada' })).user_id
    await api(server, 'POST', '/svc/v1/snapshots', { name: 'taken' })
  })
  afterAll(() => browser?.close())
  afterEach(() => closeWindow(window))

  const open = async (path: string): Promise<Page> => {
    window = await openConsole(browser, server, { path })
    return window.page
  }

  /** Label of the control that has the focus. */
  const focused = (page: Page) => page.evaluate<string>('document.activeElement?.labels?.[0]?.textContent ?? ""')

  it('move the focus to the first refused field, show its error there, and keep what was typed', async () => {
    const page = await open('/console/events/endpoints')
    await page.getByRole('button', { name: 'Add an endpoint' }).first().focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await expect.poll(() => focused(page)).toBe('URL')
    await page.keyboard.type('https://example.test/hook')
    await page.keyboard.press('Tab')
    await page.keyboard.type('orders')
    await dialog.getByLabel('Event types').fill('nothing.like.it')
    await dialog.getByLabel('Description').press('Enter')
    await expect.poll(() => focused(page)).toBe('Event types')
    const field = dialog.getByRole('combobox', { name: 'Event types' })
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    const description = await field.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${description?.split(' ')[0]}"]`).innerText()).toContain('matches no event type')
    expect(await dialog.getByRole('alert').innerText()).toBe('Correct the fields that are marked.')
    expect(await dialog.getByLabel('Description').inputValue()).toBe('orders')
    await expectAccessible(page)
  })

  it('open a closed section if a field in it is refused', async () => {
    const page = await open(`/console/labs/orders?new=1&user=${userId}`)
    const dialog = page.getByRole('dialog')
    const fill = async (texts: Readonly<Record<string, string>>) => {
      for (const [name, text] of Object.entries(texts)) await dialog.getByLabel(name, { exact: true }).fill(text)
    }
    await dialog.getByLabel('Lab test or marker').selectOption({ label: 'Essential Health, Labcorp, walk-in test' })
    await fill({
      'First name': 'Ada',
      'Last name': 'Sample',
      'Date of birth': '1990-02-28',
      'E-mail': 'ada@example.test',
    })
    await fill({ 'Phone number': '+1 415 555 0100', Street: '1 Main Street', City: 'San Francisco', State: 'CA' })
    await fill({ 'ZIP code': '94110' })
    await dialog.getByLabel('Gender').selectOption('female')
    const part = dialog.locator('summary', { hasText: 'Physician' })
    await part.click()
    await fill({ 'First name of the physician': 'Grace', 'Last name of the physician': 'Hopper', NPI: '12345' })
    await part.click()
    expect(await dialog.getByLabel('NPI').isVisible()).toBe(false)
    expect(await part.innerText()).toContain('filled in')
    await dialog.getByRole('button', { name: 'Place the order' }).click()
    await expect.poll(() => focused(page)).toBe('NPI')
    expect(await dialog.getByLabel('NPI').isVisible()).toBe(true)
  })

  it('show errors that belong to no field at the bottom', async () => {
    const page = await open('/console/engine/snapshots')
    await page.getByRole('button', { name: 'Save a snapshot' }).first().click()
    // keys pressed before the dialog has the focus would go nowhere
    await expect.poll(() => focused(page)).toBe('Name')
    await page.keyboard.type('taken')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('alert').getByText('There is already a snapshot').waitFor()
    await expect.poll(() => focused(page)).toBe('Name')
    window?.forgive(/status of 4/)
  })

  it('and lists offer a way back from a page after the last one', async () => {
    const page = await open('/console/users?offset=25')
    expect(await page.getByText('No users yet').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Previous' }).click()
    await page.getByText('1 to 1 of 1 users').waitFor()
  })
})
