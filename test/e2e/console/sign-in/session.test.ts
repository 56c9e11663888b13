/** Sessions in a real browser: expiry, sign-out elsewhere, fewer rights, a lost server, and use on a phone. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../../kit/browser.ts'
import { openConsole, PHONE, serveBuiltConsole, signIn } from '../../../kit/console.ts'
import type { TestServer } from '../../../kit/server.ts'
import { Hands } from '../../../server/console/console-server.ts'
import { openFilter } from '../kit/checks.ts'
import { api } from '../kit/filled.ts'

const executable = browserPath()
if (executable === undefined)
  process.stderr.write('console/sign-in/session.test.ts is skipped: no Chromium is installed\n')

const UNAUTHORIZED = /status of 401/

describe.skipIf(executable === undefined)('a session', () => {
  let browser: Browser
  let server: TestServer
  let eventId = ''
  const time = new Hands()

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole({ engine: { time } })
    const { user_id } = await api<{ user_id: string }>(server, 'POST', '/v2/user', { client_user_id: 'ada' })
    const set = { type: 'provider.connection.created', user_id, only_event: true }
    const { events } = await api<{ events: { event_id: string }[] }>(server, 'POST', '/svc/v1/events/trigger', set)
    eventId = events[0]?.event_id ?? ''
  })
  afterAll(() => browser?.close())

  const newKey = async (body: object): Promise<string> => {
    const { teams } = await api<{ teams: { team_id: string }[] }>(server, 'GET', '/svc/v1/teams')
    const path = `/svc/v1/teams/${teams[0]?.team_id}/keys`
    return (await api<{ api_key: string }>(server, 'POST', path, body)).api_key
  }
  const heading = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText()

  it('that expired shows the sign-in, and continues on the same page', async () => {
    const window = await openConsole(browser, server, { path: '/console/events?type=provider.*' })
    const { page } = window
    await page.getByRole('link', { name: 'provider.connection.created' }).waitFor()
    time.advance(31 * 60_000)
    await page.getByRole('link', { name: 'provider.connection.created' }).click()
    await page.getByText('Your session has ended').waitFor()
    const url = page.url()
    expect(url).toBe(`${server.url}/console/events/${eventId}`)
    await signIn(page, server.apiKey)
    await window.settled()
    expect(await heading(page)).toBe('provider.connection.created')
    expect(page.url()).toBe(url)
    window.forgive(UNAUTHORIZED)
    await window.close()
  })

  it('ends in every browser after "Sign out everywhere", and a wrong key is refused', async () => {
    const key = await newKey({ label: 'two browsers', is_operator: true })
    const first = await openConsole(browser, server, { key })
    const second = await openConsole(browser, server, { key })
    const other = await openConsole(browser, server)
    await second.visit('/console/events')
    await first.page.getByText('Signed in with the key two browsers (operator)').waitFor()
    await first.page.getByRole('button', { name: 'Sign out' }).click()
    await first.page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await first.page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
    const farewell = first.page.getByText('You have signed out.')
    await farewell.waitFor()
    await first.page.getByLabel('API key').fill('wrong')
    await first.page.getByRole('button', { name: 'Sign in' }).click()
    await first.page.getByRole('alert').waitFor()
    expect(await farewell.count()).toBe(0)
    first.forgive(UNAUTHORIZED)
    await second.page.getByRole('link', { name: 'Endpoints' }).click()
    await second.page.getByText('Your session has ended').waitFor()
    await second.page.getByLabel('API key').fill('wrong')
    await second.page.getByRole('button', { name: 'Sign in' }).click()
    await second.page.getByRole('alert').waitFor()
    second.forgive(UNAUTHORIZED)
    await other.visit('/console/events') // the session of another key continues
    for (const window of [first, second, other]) await window.close()
  })

  it('has the rights of its key, and says which actions need more', async () => {
    const key = await newKey({ label: 'reader' })
    const window = await openConsole(browser, server, { key })
    const { page } = window
    await window.visit('/console/engine')
    await page.getByText("Only an operator's key can move the clock.").waitFor()
    expect(await page.getByRole('button', { name: 'Freeze' }).count()).toBe(0)
    for (const part of ['status', 'faults', 'snapshots', 'recordings', 'audit']) {
      await window.visit(`/console/engine/${part}`)
      await page.getByText("This part needs an operator's key").waitFor()
    }
    await window.visit('/console/engine/jobs')
    expect(await page.getByRole('button', { name: 'Run what is due' }).count()).toBe(0)
    await window.visit(`/console/events/${eventId}`)
    expect(await heading(page)).toBe('provider.connection.created')
    await window.close()
  })

  it('keeps the page when the server stops, and retries when it is back', async () => {
    // a key in the store outlives the server, but the server's own key does not
    const dataDir = server.dataDir
    const key = await newKey({ label: 'patient', is_operator: true })
    const window = await openConsole(browser, server, { key })
    const { page } = window
    await window.visit('/console/query')
    const port = Number(new URL(server.url).port)
    await server.close()
    await page.getByRole('link', { name: 'Engine' }).click()
    await page.getByText('The server does not respond').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('The server does not respond').waitFor()
    server = await serveBuiltConsole({ dataDir, port, engine: { time } })
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Engine' }).waitFor()
    await page.getByText('Samples', { exact: true }).waitFor()
    window.forgive(/ERR_CONNECTION_REFUSED|Failed to load resource|Failed to fetch/)
    await window.close()
  })

  it('supports a main task on a phone', async () => {
    const window = await openConsole(browser, server, { viewport: PHONE })
    const { page } = window
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Events' }).click()
    await window.settled()
    expect(await page.getByRole('button', { name: 'Menu' }).getAttribute('aria-expanded')).toBe('false')
    await (await openFilter(page, 'User')).getByRole('combobox', { name: 'User' }).fill('ad')
    await page.getByRole('option', { name: 'ada' }).click()
    await window.settled()
    expect(page.url()).toContain('user=')
    await page.getByRole('link', { name: 'provider.connection.created' }).click()
    await window.settled()
    expect(await heading(page)).toBe('provider.connection.created')
    await window.close()
  })
})
