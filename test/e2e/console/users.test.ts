/** The pages about users, in a real browser with a real engine. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { type ConsoleWindow, closeWindow, openConsole, PHONE, serveBuiltConsole, WIDE } from '../../kit/console.ts'
import type { TestServer } from '../../kit/server.ts'
import { chooseAction, expectAccessible, expectFits } from './kit/checks.ts'

const executable = browserPath()
const HOSTILE = ['<img src=x onerror=alert(1)>', 'x'.repeat(500), 'משתמש ראשון', '"><script>alert(2)</script>']

describe.skipIf(executable === undefined)('users in the console', { timeout: 120_000 }, () => {
  let browser: Browser
  let server: TestServer
  let window: ConsoleWindow | undefined

  const create = async (client_user_id: string): Promise<string> => {
    const { json } = await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id }) })
    return (json as { user_id: string }).user_id
  }

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole()
    for (let i = 0; i < 30; i++) await create(`runner-${`${i}`.padStart(2, '0')}`)
    for (const name of HOSTILE) await create(name)
  }, 120_000)
  afterAll(() => browser?.close())
  afterEach(() => closeWindow(window))

  const open = async (path: string, viewport = WIDE): Promise<Page> => {
    window = await openConsole(browser, server, { viewport, path })
    return window.page
  }

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

  it('are created, found, deleted and restored', async () => {
    const page = await open('/console/users')
    await button(page, 'Create user').click()
    await page.getByLabel('client_user_id').fill('ada-lovelace')
    await page.getByLabel('Fallback time zone').fill('Europe/London')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'ada-lovelace' }).waitFor()
    await page.getByText('Europe/London').waitFor()

    await page.goto(`${server.url}/console/users`)
    await page.getByLabel('Search').fill('lovelace')
    await page.getByText('1 user.').waitFor()
    expect(page.url()).not.toContain('lovelace') // a name stays out of the URL
    await chooseAction(page, 'ada-lovelace', 'Delete')
    await page.getByText('No user found').waitFor()
    await button(page, 'Undo').click()
    await page.getByRole('link', { name: 'ada-lovelace' }).waitFor()
    await expectFits(page)
  })

  it('show an invalid field’s error at the field', async () => {
    const page = await open('/console/users?new=1')
    await page.getByLabel('client_user_id').fill('grace')
    await page.getByLabel('Fallback time zone').fill('Nowhere/Land')
    await page.keyboard.press('Enter')
    const field = page.getByLabel('Fallback time zone')
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
  })

  it('are shown page by page, also on a phone, with any names', async () => {
    const page = await open('/console/users', PHONE)
    await page.getByText(/^1 to 25 of /).waitFor()
    for (const name of HOSTILE) await page.getByText(name, { exact: true }).first().waitFor()
    await expectFits(page)
    await button(page, 'Next').click()
    await page.getByText(/^26 to /).waitFor()
    expect(page.url()).toContain('offset=25')
    await page.getByRole('link', { name: 'runner-00' }).click()
    await page.getByRole('heading', { level: 1, name: 'runner-00' }).waitFor()
    await expectFits(page)
  })

  it('have a profile, which is created and edited in place', async () => {
    const id = await create('barbara')
    const page = await open(`/console/users/${id}`)
    await button(page, 'Set the profile').click()
    const field = (name: string) => page.getByLabel(name, { exact: true })
    const texts = {
      'First name': 'Barbara',
      'Last name': 'Liskov',
      'Date of birth': '2012-11-07',
      Gender: 'female',
      'E-mail': 'barbara@example.test',
      'Phone number': 'none',
      Street: '1 Main Street',
      City: 'Boston',
      State: 'MA',
      'ZIP code': '02108',
      Country: 'US',
    }
    for (const [name, text] of Object.entries(texts)) await field(name).fill(text)
    await button(page, 'Save').click()
    await expect.poll(() => field('Phone number').getAttribute('aria-invalid')).toBe('true')
    await field('Phone number').fill('+1 617 555 0100')
    // an empty section is ignored, and one with any field must be complete
    await page.locator('summary', { hasText: 'Medical proxy' }).click()
    await field('First name of the proxy').fill('Grace')
    await button(page, 'Save').click()
    await expect.poll(() => field('Street of the proxy').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
    for (const name of ['Street', 'City', 'State', 'ZIP code', 'Country', 'Last name'] as const)
      await field(`${name} of the proxy`).fill(texts[name])
    await field('Phone number of the proxy').fill('+1 617 555 0101')
    await button(page, 'Save').click()
    await page.getByText('Grace Liskov').waitFor()
    await page.getByText('1 Main Street, Boston, MA, 02108, US').waitFor()

    await button(page, 'Edit the profile').click()
    await field('ZIP code').fill('02109')
    await page.locator('summary', { hasText: 'Background' }).click()
    await field('Ethnicity').selectOption('other')
    await page.setViewportSize(PHONE)
    await expectFits(page)
    await page.setViewportSize(WIDE)
    await button(page, 'Save').click()
    await page.getByText('1 Main Street, Boston, MA, 02109, US').waitFor()
    const { json } = await server.ask('GET', `/v2/user/${id}/info/latest`)
    expect(json).toMatchObject({
      ...{ first_name: 'Barbara', ethnicity: 'other', race: null, address: { zip: '02109', zip_code: '02109' } },
      medical_proxy: { first_name: 'Grace', email: null, address: { zip: '02108' } },
    })
  })

  it('have connections, which fail, refresh and end', async () => {
    const id = await create('grace-hopper')
    const page = await open(`/console/users/${id}`)
    await page.getByText('No connections').waitFor()
    await button(page, 'Link a provider').first().click()
    await page.getByLabel('How').selectOption('demo')
    await page.getByLabel('Provider', { exact: true }).selectOption('oura')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText('connected', { exact: true }).waitFor()
    await button(page, 'Refresh').click()
    await page.getByText('Refreshed', { exact: true }).waitFor()
    await chooseAction(page, 'Oura', 'Fail')
    await page.getByLabel('Error type').selectOption('provider_password_expired')
    await button(page, 'Fail the connection').click()
    await page.getByText('provider password expired').waitFor()
    await expectAccessible(page)
    await chooseAction(page, 'Oura', 'Disconnect')
    await button(page, 'Disconnect').last().click()
    await page.getByText('No connections').waitFor()
    await expectFits(page)
  })

  it('are linked on the hosted link page', async () => {
    const page = await open(`/console/users/${await create('linus')}?open=link`)
    await button(page, 'Create the link page').click()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Open the link page' }).click()
    const link = await opened
    await link.waitForLoadState()
    expect(link.url()).toContain('/link?token=')
    await expectFits(page)
  })

  it('are chosen with Enter only from the results for the typed text', async () => {
    const user = await create('quick-typist')
    await create('newest')
    const page = await open('/console/data')
    const field = page.getByRole('combobox', { name: 'User' })
    await field.click()
    await page.getByRole('option', { name: /^newest/ }).waitFor()
    let response = () => {}
    const held = new Promise<void>(resolve => {
      response = resolve
    })
    await page.route('**/v2/team/users/search*', async route => {
      await held
      await route.continue()
    })
    await field.fill('quick-typist')
    await field.press('Enter')
    expect(new URL(page.url()).search).toBe('')
    response()
    await page.getByRole('option', { name: /^newest/ }).waitFor({ state: 'detached' })
    await field.press('Enter')
    await page.waitForURL(`**/console/data?user=${user}`)
  })

  it('and orders that do not exist are reported with a way to continue', async () => {
    const page = await open('/console/users/nonsense')
    await page.getByText('The id in the URL is not valid.').waitFor()
    await page.getByRole('link', { name: 'Show all users' }).waitFor()
    await page.goto(`${server.url}/console/labs/orders/${crypto.randomUUID()}`)
    await page.getByText('There is no order at this URL').waitFor()
    expect(await button(page, /PDF|Try again/).count()).toBe(0)
    await page.getByRole('link', { name: 'Show all orders' }).waitFor()
    await expectAccessible(page)
    await page.goto(`${server.url}/console/import?user=${crypto.randomUUID()}`)
    await page.getByText('There is no user at this URL. Choose one.').waitFor()
    expect(await button(page, 'Choose files').isDisabled()).toBe(true)
    await expectAccessible(page)
    window?.forgive(/Failed to load resource/)
  })

  it('have pages that pass axe, with hostile names or without', async () => {
    const page = await open('/console/users')
    await page.getByText(/^1 to 25 of /).waitFor()
    await expectAccessible(page)
    await button(page, 'Create user').click()
    await expectAccessible(page)
    await page.goto(`${server.url}/console/users/${await create('<svg onload=alert(3)>')}`)
    await page.getByText('No devices').waitFor()
    await expectAccessible(page)
    await button(page, 'Edit').click()
    await expectAccessible(page)
    await expectFits(page)
  })
})
