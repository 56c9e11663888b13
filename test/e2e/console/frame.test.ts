/** The frame around the pages, in a real browser: breadcrumbs, the chosen user, times and their zone, and who is signed in. */
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type ConsoleWindow, describeConsole, PHONE } from '../../kit/console.ts'
import { expectAccessible, expectFits } from './kit/checks.ts'
import { api, type Filled, fill } from './kit/filled.ts'

describeConsole('the frame', tests => {
  let filled: Filled
  let window: ConsoleWindow
  let page: Page

  beforeAll(async () => {
    await api(tests.server, 'POST', '/svc/v1/clock', { freeze: true })
    filled = await fill(tests.server, most => 'A plain text of usual length'.slice(0, most))
    await api(tests.server, 'PATCH', `/v2/user/${filled.userId}`, { fallback_time_zone: 'Asia/Tokyo' })
  })
  beforeEach(async () => {
    window = await tests.open()
    page = window.page
  })

  const pages = () => page.getByRole('navigation', { name: 'Pages', exact: true })
  const crumbs = () => page.getByRole('navigation', { name: 'Breadcrumb' })
  const browserZone = () => page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
  const zone = () => page.getByLabel('Times in')
  /** Returns when the user was created, as the console shows it. */
  const created = async (timeZone: string): Promise<string> => {
    const user = await api<{ created_on: string }>(tests.server, 'GET', `/v2/user/${filled.userId}`)
    const parts = { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const
    return new Date(user.created_on).toLocaleString('en-GB', { ...parts, timeZone })
  }

  it('shows breadcrumbs on every page below a topic', async () => {
    const { userId, endpointId, eventId, orderId, clientUserId } = filled
    for (const [url, trail] of [
      [`/console/users/${userId}`, ['Users', clientUserId]],
      ['/console/events/endpoints', ['Events', 'Endpoints']],
      [`/console/events/endpoints/${endpointId}`, ['Events', 'Endpoints', 'Endpoint']],
      [`/console/events/${eventId}`, ['Events', 'daily.data.note.created']],
      ['/console/labs/orders', ['Labs', 'Orders']],
      [`/console/labs/orders/${orderId}`, ['Labs', 'Orders', 'Essential Health']],
      ['/console/engine/clock', ['Engine', 'Clock']],
      ['/console/reference/user.create', ['API reference', 'user.create']],
    ] as const) {
      await window.visit(url)
      expect(await crumbs().getByRole('listitem').allTextContents(), url).toEqual(trail)
      expect(await crumbs().getByRole('link').count(), url).toBe(trail.length - 1)
      expect(await crumbs().locator('[aria-current="page"]').textContent()).toBe(trail.at(-1))
    }
    await page.setViewportSize(PHONE)
    await window.visit(`/console/labs/orders/${orderId}`)
    await expectFits(page)
    await crumbs().getByRole('link', { name: 'Orders' }).click()
    await window.settled()
    expect(new URL(page.url()).pathname).toBe('/console/labs/orders')
    await window.visit('/console/users')
    expect(await crumbs().count()).toBe(0)
  })

  it('keeps the chosen user between all pages', async () => {
    await window.visit(`/console/users/${filled.userId}`)
    for (const name of ['Data', 'Query', 'Engine', 'Events', 'API reference', 'Labs', 'Users', 'Import']) {
      await pages().getByRole('link', { name }).click()
      await window.settled()
      expect(new URL(page.url()).searchParams.get('user'), name).toBe(filled.userId)
    }
    await expect.poll(() => page.getByRole('combobox', { name: 'User' }).inputValue()).toBe(filled.clientUserId)
    await pages().getByRole('link', { name: 'Labs' }).click()
    await page.getByRole('navigation', { name: 'Labs' }).getByRole('link', { name: 'Orders' }).click()
    await window.settled()
    await page.getByRole('button', { name: `User: ${filled.clientUserId}` }).waitFor()
    await page.getByRole('table').getByRole('link', { name: 'Essential Health' }).first().click()
    await window.settled()
    await pages().getByRole('link', { name: 'Events' }).click()
    await window.settled()
    expect(new URL(page.url()).searchParams.get('user')).toBe(filled.userId)
    await page.getByRole('button', { name: 'Remove the filter User' }).click()
    await pages().getByRole('link', { name: 'Data' }).click()
    await window.settled()
    expect(new URL(page.url()).search).toBe('')
  })

  it('shows all times in the chosen time zone: mine, UTC, or the user’s', async () => {
    await window.visit(`/console/users/${filled.userId}`)
    const shown = () => page.locator('dd time').first().innerText()
    const mine = await browserZone()
    const hint = page.locator('.shell-foot .field-hint')
    expect(await hint.textContent()).toBe(mine.replaceAll('_', ' '))
    await zone().selectOption('UTC')
    expect(await shown()).toBe(await created('UTC'))
    await zone().selectOption("The user's time zone")
    await expect.poll(() => hint.textContent()).toBe('Asia/Tokyo')
    expect(await shown()).toBe(await created('Asia/Tokyo'))
    await page.reload()
    await window.settled()
    await expect.poll(shown).toBe(await created('Asia/Tokyo'))
    await window.visit(`/console/data?user=${filled.userId}`)
    expect(await hint.textContent()).toBe("Measurements are in the user's local time.")
    await window.visit('/console/users')
    expect(await hint.textContent()).toMatch(/^No user is chosen, so times are in /)
    await expectAccessible(page)
    await zone().selectOption('My time zone')
  })

  it('says who is signed in, with which rights', async () => {
    await page.getByText(/Signed in with the key session .+ \(operator\)$/).waitFor()
    const reader = await tests.open(undefined, { key: filled.plainKey })
    await reader.page.getByText('Signed in with the key A plain text of usual length (this team only)').waitFor()
    await page.route('**/console/session', async route => {
      const session = (await (await route.fetch()).json()) as object
      await route.fulfill({ json: { ...session, key: { label: null, is_operator: true } } })
    })
    await page.reload()
    await page.getByText('Signed in as owner (operator)').waitFor()
  })

  it('shows times in lists as distances from the engine’s clock, with the exact time', async () => {
    const date = await created(await browserZone())
    // the others have demo connections, which end
    await api(tests.server, 'POST', '/v2/user', { client_user_id: 'lasting' })
    await api(tests.server, 'POST', '/svc/v1/clock', { advance: '3m' })
    await window.visit('/console/events')
    const time = page.getByRole('table').locator('time', { hasText: '3 minutes ago' }).first()
    expect(await time.getAttribute('title')).toMatch(/^\d+ \w+ 20\d\d, \d\d:\d\d:\d\d, \S+$/)
    expect(await time.locator('.visually-hidden').textContent()).toMatch(/^\d+ \w+ 20\d\d, \d\d:\d\d:\d\d$/)
    await api(tests.server, 'POST', '/svc/v1/clock', { advance: '2h' })
    await pages().getByRole('link', { name: 'Users' }).click()
    await page.getByRole('table').getByText('2 hours ago').first().waitFor()
    await api(tests.server, 'POST', '/svc/v1/clock', { advance: '31d' })
    await window.visit('/console/users')
    await page.getByRole('table').getByText(date).first().waitFor()
  })
})
