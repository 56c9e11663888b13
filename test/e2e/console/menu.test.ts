/** The command menu in a real browser: its keys, what it finds, what it remembers, and its actions. */
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type ConsoleWindow, describeConsole, PHONE } from '../../kit/console.ts'
import { expectAccessible, expectFits } from './kit/checks.ts'
import { api, type Filled, fill } from './kit/filled.ts'

describeConsole('the command menu', tests => {
  let filled: Filled
  let window: ConsoleWindow
  let page: Page

  beforeAll(async () => {
    filled = await fill(tests.server, most => 'A plain text of usual length'.slice(0, most))
    for (const name of ['ada-slow', 'grace-quick'])
      await api(tests.server, 'POST', '/v2/user', { client_user_id: name })
  })
  beforeEach(async () => {
    window = await tests.open()
    page = window.page
  })

  const menu = () => page.getByRole('dialog', { name: 'Go to a page, or run an action' })
  const field = () => menu().getByRole('combobox')
  const option = (name: string | RegExp) => menu().getByRole('option', { name })
  const activeText = () =>
    page.evaluate<string>(
      `document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.textContent`,
    )
  const openMenu = async (): Promise<void> => {
    await page.keyboard.press('Control+k')
    await field().waitFor()
  }
  const stored = () => page.evaluate<string>(`JSON.stringify(sessionStorage)`)
  const pathname = () => new URL(page.url()).pathname

  it('opens pages with the keyboard alone, and closes with Escape', async () => {
    await window.visit('/console/users')
    const button = page.getByRole('button', { name: 'Go to…' })
    expect(await button.textContent()).toContain('Ctrl K')
    await button.focus()
    await page.keyboard.press('Enter')
    await field().waitFor()
    await page.keyboard.press('Escape')
    await menu().waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Go to…')

    await openMenu()
    const first = await activeText()
    await page.keyboard.press('ArrowDown')
    expect(await activeText()).not.toBe(first)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    expect(await activeText()).toBe(first)
    await page.keyboard.type('fault')
    await expect.poll(activeText).toContain('Faults')
    await page.keyboard.press('Enter')
    await menu().waitFor({ state: 'detached' })
    await window.settled()
    expect(pathname()).toBe('/console/engine/faults')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main')
  })

  it('opens with / outside of fields, unless this is turned off', async () => {
    await window.visit('/console/users')
    const search = page.getByRole('searchbox')
    await search.focus()
    await page.keyboard.type('a/b')
    expect(await search.inputValue()).toBe('a/b')
    expect(await menu().count()).toBe(0)
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('/')
    await field().waitFor()
    expect(await field().inputValue()).toBe('')
    await menu().getByLabel('Open this menu with / as well').uncheck()
    await page.keyboard.press('Escape')
    await window.visit('/console/users')
    await page.keyboard.press('/')
    await openMenu()
    expect(await field().inputValue()).toBe('')
    await menu().getByLabel('Open this menu with / as well').check()
  })

  it('finds users by name and ID, orders and events by ID, and operations', async () => {
    const { userId, orderId, eventId, clientUserId } = filled
    for (const [text, name, url] of [
      [clientUserId.slice(0, 10), clientUserId, `/console/users/${userId}`],
      [userId, clientUserId, `/console/users/${userId}`],
      [orderId.slice(0, 20), 'Order', `/console/labs/orders/${orderId}`],
      [eventId, 'Event', `/console/events/${eventId}`],
      ['create a user', 'Create a user', '/console/reference/user.create'],
    ] as const) {
      await openMenu()
      await field().fill(text)
      await option(name).first().click()
      await window.settled()
      await expect.poll(pathname).toBe(url)
    }
    await openMenu()
    await field().fill('no-such-thing')
    await menu().getByText('Nothing found').waitFor()
    expect(await field().getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
  })

  it('does not show the results of a slow search for a later text', async () => {
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    await page.route(/users\/search\?query_id=ada/, async route => {
      await held
      await route.continue().catch(() => {})
    })
    await openMenu()
    const asked = page.waitForRequest(/query_id=ada/)
    await field().fill('ada-slow')
    await asked
    await field().fill('grace-quick')
    await option('grace-quick').waitFor()
    release()
    await page.waitForTimeout(300)
    expect(await option('ada-slow').count()).toBe(0)
    expect(await option('grace-quick').count()).toBe(1)
    await page.keyboard.press('Escape')
  })

  it('shows recent entries first, stores only their IDs, and forgets them at sign-out', async () => {
    await window.visit(`/console/users/${filled.userId}`)
    await window.visit(`/console/labs/orders/${filled.orderId}`)
    await openMenu()
    const recent = menu().getByRole('group', { name: 'Recent' })
    await recent.getByRole('option', { name: filled.clientUserId }).waitFor()
    expect(await activeText()).toContain(filled.clientUserId)
    await field().fill('jobs')
    await page.keyboard.press('Enter')
    await page.waitForURL(/engine\/jobs/)
    await window.visit('/console/users')
    await openMenu()
    expect(await recent.getByRole('option').first().textContent()).toBe('JobsEngine')
    const { orderId, userId } = filled
    const keys = ['/console/engine/jobs', `/console/labs/orders/${orderId}`, `/console/users/${userId}`]
    expect(JSON.parse(await stored())).toEqual({ 'svc-recent': keys.join('\n') })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign out here' }).click()
    await page.getByText('You have signed out.').waitFor()
    expect(await stored()).toBe('{}')
  })

  it('runs actions: create a user, trigger an event, and freeze the clock', async () => {
    for (const [text, title] of [
      ['create us', 'Create a user'],
      ['trigger', 'Trigger an event'],
    ] as const) {
      await openMenu()
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: title }).waitFor()
      // a form is not lost
      await page.keyboard.press('Control+k')
      expect(await page.getByRole('dialog').count()).toBe(1)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await window.visit('/console/engine/clock')
    for (const [text, state] of [
      ['freeze', 'Frozen'],
      ['let the clock', 'Running'],
    ] as const) {
      await openMenu()
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
      await page.getByText(state, { exact: true }).waitFor()
    }
    const reader = await tests.open(undefined, { key: filled.plainKey })
    await reader.page.keyboard.press('Control+k')
    await reader.page.getByRole('combobox', { name: 'Page, user, ID or action' }).fill('create us')
    await reader.page.getByRole('option', { name: 'Create user' }).waitFor()
    expect(await reader.page.getByRole('option', { name: 'Freeze clock' }).count()).toBe(0)
  })

  it('is accessible, also on a phone and in forced colors', async () => {
    await openMenu()
    await expectAccessible(page)
    await field().fill(filled.clientUserId.slice(0, 5))
    await option(filled.clientUserId).first().waitFor()
    await expectAccessible(page)
    await page.emulateMedia({ forcedColors: 'active' })
    const outline = `getComputedStyle(document.querySelector('dialog [aria-selected="true"]')).outlineStyle`
    expect(await page.evaluate(outline)).toBe('solid')
    await page.emulateMedia({ forcedColors: 'none' })
    await page.keyboard.press('Escape')
    await page.setViewportSize(PHONE)
    await page.getByRole('button', { name: 'Go to…' }).click()
    await field().waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await menu().getByRole('button', { name: 'Close' }).click()
    await menu().waitFor({ state: 'detached' })
  })
})
