/** The engine and the API reference in the console: the clock, jobs, faults, snapshots, recordings, the audit trail, and calls. */
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { type ConsoleWindow, openConsole, serveBuiltConsole } from '../../kit/console.ts'
import type { TestServer } from '../../kit/server.ts'
import { chooseAction, openFilter } from './kit/checks.ts'
import { api } from './kit/filled.ts'

const executable = browserPath()
if (executable === undefined) process.stderr.write('console/engine.test.ts is skipped: no Chromium is installed\n')

describe.skipIf(executable === undefined)('the engine in the console', () => {
  let browser: Browser
  let server: TestServer
  let window: ConsoleWindow
  let page: Page

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
    server = await serveBuiltConsole()
    await api(server, 'POST', '/v2/user', { client_user_id: 'ada' })
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    window = await openConsole(browser, server)
    page = window.page
  })
  afterEach(() => window.close())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = () => page.getByRole('dialog')

  it('runs due work, freezes the clock and moves it', async () => {
    await window.visit('/console/engine/clock')
    await button('Freeze').click()
    await page.getByText('Frozen').waitFor()
    await page.getByLabel('By', { exact: true }).fill('2d')
    await button('Advance').click()
    await page.getByText(/^1[67]\d,\d{3} s$/).waitFor()
    await button('Let it run').click()
    await page.getByText('Running').waitFor()
    await window.visit('/console/engine/jobs')
    await button('Run what is due').click()
    await page.getByText(/jobs ran/).waitFor()
    await window.visit('/console/engine/clock')
    await button('Return to real time').click()
    await page.getByText('not at all').waitFor()
  })

  it('adds a fault, removes it, and undoes the removal', async () => {
    await window.visit('/console/engine/faults')
    await button('Add a fault').first().click()
    await dialog().getByLabel('Path', { exact: false }).fill('/v2/nowhere')
    await dialog().getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Any method /v2/nowhere').waitFor()
    await chooseAction(page, 'Fault 1', 'Remove')
    await page.getByText('No faults').waitFor()
    await button('Undo').click()
    await page.getByText('Any method /v2/nowhere').waitFor()
    await api(server, 'DELETE', '/svc/v1/faults')
  })

  it('saves a snapshot, restores it, and deletes it', async () => {
    await window.visit('/console/engine/snapshots')
    await button('Save a snapshot').first().click()
    await dialog().getByLabel('Name', { exact: true }).fill('one')
    await dialog().getByRole('button', { name: 'Save', exact: true }).click()
    await button('Actions for one').waitFor()
    await api(server, 'POST', '/v2/user', { client_user_id: 'after the snapshot' })
    await chooseAction(page, 'one', 'Restore')
    await dialog().getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('one was restored: 1 users.').waitFor()
    await chooseAction(page, 'one', 'Delete')
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No snapshots').waitFor()
  })

  it('records changes, and saves them in a file', async () => {
    await window.visit('/console/engine/recordings')
    await button('Start').click()
    await button('Stop and save').waitFor()
    await api(server, 'POST', '/v2/user', { client_user_id: 'recorded' })
    const [file] = await Promise.all([page.waitForEvent('download'), button('Stop and save').click()])
    expect(readFileSync(await file.path(), 'utf8')).toContain('recorded')
    await page.getByLabel('Recording', { exact: true }).setInputFiles(await file.path())
    await page.getByRole('alert').waitFor() // the store is not empty
    window.forgive(/status of 4/)
  })

  it('finds audit trail entries, and checks the store', async () => {
    await window.visit('/console/engine/audit')
    const filter = await openFilter(page, 'Operation')
    await filter.getByLabel('Operation').fill('user.create')
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: 'user.create' }).first().waitFor()
    expect(page.url()).toContain('operation=user.create')
    await window.visit('/console/engine/status')
    await button('Check the store').click()
    await page.getByText('No problems').waitFor()
  })

  it('finds an operation in the API reference, and calls it with the session', async () => {
    await window.visit('/console/reference')
    await page.getByLabel('Search').fill('resolve')
    await page
      .getByRole('link', { name: /resolve|client_user_id/i })
      .first()
      .click()
    await page.getByLabel('client_user_id (required)').fill('ada')
    await button('Send').click()
    await page.getByRole('group', { name: 'Response', exact: true }).getByText('"client_user_id": "ada"').waitFor()
    await page.getByLabel('client_user_id (required)').fill('nobody')
    await button('Send').click()
    await page.getByRole('alert').waitFor()
    window.forgive(/status of 404/)
  })
})
