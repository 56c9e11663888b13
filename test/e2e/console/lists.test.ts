/** The lists of the console in a real browser: order, filters, columns, menus of rows, selection, and cards on a phone. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { type ConsoleWindow, closeWindow, openConsole, serveBuiltConsole, WIDE } from '../../kit/console.ts'
import type { TestServer } from '../../kit/server.ts'
import { chooseAction, expectAccessible, expectFits, openFilter } from './kit/checks.ts'
import { api } from './kit/filled.ts'

const executable = browserPath()
if (executable === undefined) process.stderr.write('console/lists.test.ts is skipped: no Chromium is installed\n')
const PHONE = { width: 390, height: 844 }

describe.skipIf(executable === undefined)('a list', { timeout: 120_000 }, () => {
  let browser: Browser
  let server: TestServer
  let window: ConsoleWindow
  let page: Page

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole()
    for (const name of ['carol', 'ada', 'bob', 'dora']) await api(server, 'POST', '/v2/user', { client_user_id: name })
    for (const name of ['b', 'c', 'a'])
      await api(server, 'POST', '/svc/v1/webhooks', { url: `http://127.0.0.1:9/${name}`, event_types: ['labtest.*'] })
    window = await openConsole(browser, server)
    page = window.page
  })
  afterAll(async () => {
    await closeWindow(window).finally(() => browser.close())
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const firstCells = (): Promise<string[]> => page.locator('tbody td:nth-child(2) a').allTextContents()
  const urls = async () => (await firstCells()).map(text => text.at(-1)).join('')
  const select = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` }).check()
  const orderOf = (name: string) => page.getByRole('columnheader', { name }).getAttribute('aria-sort')

  it('is sorted by its headings, in the URL, so that Back and a link show the same order', async () => {
    await window.visit('/console/events/endpoints')
    expect(await urls()).toBe('bca')
    await button('URL').click()
    expect(await urls()).toBe('abc')
    expect(await orderOf('URL')).toBe('ascending')
    await button('URL').click()
    expect(await urls()).toBe('cba')
    expect(new URL(page.url()).searchParams.get('sort-endpoints')).toBe('-url')
    await page.reload()
    await window.settled()
    expect(await urls()).toBe('cba')
    await page.goBack()
    await expect.poll(urls).toBe('abc')
    await window.visit('/console/labs')
    const asked = page.waitForRequest(/order_key=price&order_direction=asc/)
    await button('Price, USD').click()
    await asked
    expect(await page.getByRole('columnheader', { name: 'Laboratory' }).getAttribute('aria-sort')).toBe(null)
  })

  it('shows its filters as chips, which are in the URL and can be removed', async () => {
    await window.visit('/console/events')
    const filter = await openFilter(page, 'Delivery')
    await filter.getByLabel('Delivery').selectOption('dead')
    await button('Delivery: Dead').waitFor()
    await openFilter(page, 'Since')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await (await openFilter(page, 'Type')).getByLabel('Type').fill('daily.*')
    await page.keyboard.press('Enter')
    await button('Type: daily.*').waitFor()
    expect(new URL(page.url()).search).toBe('?state=dead&type=daily.*')
    await expectAccessible(page)
    await button('Remove the filter Delivery').click()
    await expect.poll(() => new URL(page.url()).search).toBe('?type=daily.*')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Delivery')
    await page.goBack()
    await button('Delivery: Dead').waitFor()
    await button('Clear filters').click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })

  it('keeps a searched name out of the URL, and shows it again after Back', async () => {
    await window.visit('/console/users')
    await page.getByLabel('Search').fill('ada')
    await page.getByText('1 user.').waitFor()
    await page.getByRole('link', { name: 'ada' }).click()
    await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor()
    await page.goBack()
    await page.getByText('1 user.').waitFor()
    expect(page.url()).not.toContain('ada')
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Labs' }).click()
    await page.getByRole('navigation', { name: 'Labs' }).getByRole('link', { name: 'Orders' }).click()
    await window.settled()
    expect(await page.getByLabel('Search').inputValue()).toBe('')
  })

  it('keeps the chosen columns in the browser', async () => {
    await window.visit('/console/users')
    await button('Columns of users').click()
    await page.getByRole('dialog').getByLabel('Time zone').uncheck()
    await page.keyboard.press('Escape')
    const zone = page.getByRole('columnheader', { name: 'Time zone' })
    expect(await zone.count()).toBe(0)
    await page.reload()
    await window.settled()
    expect(await zone.count()).toBe(0)
    await button('Columns of users').click()
    await page.getByRole('dialog').getByLabel('Time zone').check()
    await page.keyboard.press('Escape')
    await zone.waitFor()
  })

  it('has a menu in each row that works with the keyboard', async () => {
    await window.visit('/console/events/endpoints')
    const opener = button('Actions for http://127.0.0.1:9/b')
    await opener.focus()
    await page.keyboard.press('Enter')
    const focusedName = () => page.evaluate('document.activeElement.ariaLabel')
    const focused = () => page.evaluate('document.activeElement.textContent')
    await expect.poll(focused).toBe('Disable')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe('Delete')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe('Disable')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect.poll(focusedName).toBe('Actions for http://127.0.0.1:9/b')
    await page.keyboard.press('Enter')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Delete http://127.0.0.1:9/b?' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(focusedName).toBe('Actions for http://127.0.0.1:9/b')
    await opener.click()
    await page.mouse.click(5, 5)
    await page.getByRole('menu').waitFor({ state: 'detached' })
  })

  it('changes all selected rows that an action fits', async () => {
    await window.visit('/console/events/endpoints')
    await chooseAction(page, 'http://127.0.0.1:9/a', 'Disable')
    await page.getByText('The endpoint is disabled.').waitFor()
    await page.getByRole('checkbox', { name: 'Select all endpoints on this page' }).check()
    await page.getByText('3 selected').waitFor()
    await button('Enable (1)').waitFor()
    await button('Disable (2)').click()
    await page
      .getByRole('dialog', { name: 'Disable 2 endpoints?' })
      .getByRole('button', { name: 'Disable', exact: true })
      .click()
    await page.getByText('2 endpoints were disabled.').waitFor()
    await expect.poll(() => page.getByText('Disabled', { exact: true }).count()).toBe(3)
    expect(await page.getByRole('toolbar').count()).toBe(0)
    await select('http://127.0.0.1:9/a')
    await button('Clear selection').click()
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Select all endpoints on this page')
  })

  it('deletes selected rows after a question that says how many, and reports exactly which failed', async () => {
    await window.visit('/console/users')
    await select('ada')
    await select('bob')
    await select('carol')
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await expectAccessible(page)
    await expectFits(page)
    await page.setViewportSize(WIDE)
    await button('Delete').click()
    const question = page.getByRole('dialog', { name: 'Delete 3 users?' })
    const { users } = await api<{ users: { user_id: string; client_user_id: string }[] }>(server, 'GET', '/v2/user')
    const bob = users.find(each => each.client_user_id === 'bob')?.user_id
    await api(server, 'DELETE', `/v2/user/${bob}`)
    await question.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('2 users were deleted.').waitFor()
    await page.getByText(/^1 of 3 users could not be deleted: /).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(firstCells).toEqual(['dora'])
    await button('Undo').click()
    await expect.poll(firstCells).toEqual(['dora', 'ada', 'carol'])
  })

  it('becomes cards on a phone, with the heading beside each value', async () => {
    await page.setViewportSize(PHONE)
    await window.visit('/console/users')
    await expectFits(page)
    const row = page.locator('tbody tr').first()
    const [name, created] = [row.getByRole('link'), row.locator('time')]
    const [above, below] = [await name.boundingBox(), await created.boundingBox()]
    expect(above && below && above.y < below.y && below.x < PHONE.width).toBe(true)
    const heading = `getComputedStyle(document.querySelector('tbody td:has(time)'), '::before').content`
    expect(await page.evaluate(heading)).toContain('Created')
    await page.setViewportSize(WIDE)
  })
})
