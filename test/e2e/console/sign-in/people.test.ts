/** People in a real browser: adding one, signing in with a role, and ending sessions. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../../kit/browser.ts'
import { openConsole, PHONE, serveBuiltConsole } from '../../../kit/console.ts'
import type { TestServer } from '../../../kit/server.ts'
import { chooseAction, expectAccessible, expectFits } from '../kit/checks.ts'
import { api } from '../kit/filled.ts'

const executable = browserPath()
if (executable === undefined)
  process.stderr.write('console/sign-in/people.test.ts is skipped: no Chromium is installed\n')

describe.skipIf(executable === undefined)('people in the console', () => {
  let browser: Browser
  let server: TestServer
  let userId = ''

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole()
    userId = (await api<{ user_id: string }>(server, 'POST', '/v2/user', { client_user_id: 'ada' })).user_id
  })
  afterAll(() => browser?.close())

  const signInUrl = async (name: string, role: string) =>
    (await api<{ url: string }>(server, 'POST', '/svc/v1/people', { name, role })).url

  it('are added with a role and a URL that signs in once, are changed, and are removed with their sessions', async () => {
    const window = await openConsole(browser, server, { path: '/console/engine/people' })
    const { page } = window
    await page.getByRole('button', { name: 'Add a person' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Ana')
    await dialog.getByLabel('Role').selectOption('Operator')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const url = await dialog.locator('code').filter({ hasText: 'sign-in?token=' }).innerText()
    await dialog.getByRole('button', { name: 'Done' }).click()

    const ana = await openConsole(browser, server, { signInUrl: url })
    await ana.page.getByText('Signed in as Ana (operator)').waitFor()
    await ana.visit('/console/engine/people')
    expect(await ana.page.getByRole('button', { name: 'Add a person' }).count()).toBe(0)
    expect(await ana.page.getByRole('button', { name: /^Actions for/ }).count()).toBe(0)
    await ana.page.getByText('This session', { exact: true }).waitFor()

    await window.visit('/console/engine/people')
    await expectAccessible(page)
    await chooseAction(page, 'Ana', 'Change')
    await dialog.getByLabel('Role').selectOption('Reader')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Reader', exact: true }).waitFor()
    await ana.page.reload()
    await ana.page.getByText('Your role does not allow this page').waitFor()
    await chooseAction(page, 'the session of Ana', 'End')
    await page.getByRole('button', { name: 'Actions for the session of Ana' }).waitFor({ state: 'detached' })
    await ana.page.reload()
    await ana.page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
    ana.forgive(/status of 401/)
    await ana.close()

    await chooseAction(page, 'Ana', 'Remove')
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('No people').waitFor()
    await page.setViewportSize(PHONE)
    await expectFits(page)
    await window.close()
  })

  it('see only what their role allows, and no failed call', async () => {
    const window = await openConsole(browser, server, {
      signInUrl: await signInUrl('Ben', 'reader-without-health-data'),
    })
    const { page } = window
    await page.getByText('Signed in as Ben (reader-without-health-data)').waitFor()
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true })
    expect(await pages.getByRole('link', { name: /^(Data|Query)$/ }).count()).toBe(0)
    expect(await pages.getByRole('link', { name: /^(Users|Events|Labs|Import|Engine)$/ }).count()).toBe(5)
    expect(await page.getByRole('button', { name: 'Create user' }).count()).toBe(0)
    for (const path of ['/console/data', '/console/query', '/console/labs/orders', '/console/engine/audit']) {
      await window.visit(path)
      await page.getByText('Your role does not allow this page').waitFor()
    }
    const open = [
      'events',
      'events/endpoints',
      'labs',
      'import',
      'engine',
      'engine/jobs',
      'engine/providers',
      'reference',
    ]
    for (const path of ['', `/users/${userId}`, ...open.map(each => `/${each}`)]) {
      await window.visit(`/console${path}`)
      expect(await page.getByRole('alert').count(), path).toBe(0)
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('ada')
    await page.getByRole('option', { name: /^ada/ }).waitFor()
    await page.getByRole('dialog').getByRole('combobox').fill('user')
    await page.getByRole('option', { name: /^Users/ }).waitFor()
    expect(await page.getByRole('option', { name: 'Create user' }).count()).toBe(0)
    // a page or button that should be absent would have caused a refused call
    await window.close()
  })
})
