/** The API reference in the console: finding operations, examples, errors, code that runs as copied, and calls. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type ConsoleWindow, describeConsole, PHONE, signIn } from '../../kit/console.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { root } from '../../kit/sandbox.ts'
import { expectAccessible, expectFits } from './kit/checks.ts'
import { api } from './kit/filled.ts'

const LANGUAGES = ['curl', 'svc', 'JavaScript', 'Python'] as const
const hasRequests = (() => {
  try {
    return execFileSync('python3', ['-c', 'import requests; print(1)'], { stdio: 'pipe' }).length > 0
  } catch {
    return false
  }
})()

describeConsole('the API reference', tests => {
  let window: ConsoleWindow
  let page: Page
  let userId: string
  let folder: string

  beforeAll(async () => {
    userId = (await api<{ user_id: string }>(tests.server, 'POST', '/v2/user', { client_user_id: 'ada' })).user_id
    folder = temporaryFolder()
    mkdirSync(path.join(folder, 'bin'))
    symlinkSync(path.join(root, 'bin/run.js'), path.join(folder, 'bin/svc'))
  })
  beforeEach(async () => {
    window = await tests.open()
    page = window.page
    await window.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  })

  const show = (operation: string) => window.visit(`/console/reference/${operation}`)
  const card = (name: string) => page.getByRole('region', { name, exact: true })
  const recent = () => page.getByRole('group', { name: 'Recent requests' })

  /** Copies the request as code, as the page offers it. */
  async function copy(language: (typeof LANGUAGES)[number]): Promise<string> {
    await page.getByRole('navigation', { name: 'This request as code' }).getByRole('link', { name: language }).click()
    await page.getByRole('button', { name: `Copy as ${language}` }).click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
    return page.evaluate<string>('navigator.clipboard.readText()')
  }

  /** Runs code in the folder, with the key where the code reads it. Returns what it prints. */
  async function run(language: (typeof LANGUAGES)[number], code: string): Promise<string> {
    const [command, ...args] = {
      curl: ['sh', '-c'],
      svc: ['sh', '-c'],
      JavaScript: [process.execPath, '--input-type=module', '--eval'],
      Python: ['python3', '-c'],
    }[language] as [string, ...string[]]
    const env = {
      PATH: `${path.join(folder, 'bin')}${path.delimiter}${process.env['PATH']}`,
      HOME: folder,
      SVC_API_KEY: tests.server.apiKey,
      SVC_BASE_URL: tests.server.url,
    }
    // not the synchronous call, which would stop the server of this process
    return (await promisify(execFile)(command, [...args, code], { cwd: folder, env })).stdout
  }

  it('lists operations by topic, with their paths, and finds them', async () => {
    await window.visit('/console/reference')
    const list = page.getByRole('navigation', { name: 'Operations' })
    const create = list.getByRole('link', { name: 'POST /v2/user Create a user', exact: true })
    await create.waitFor()
    await list.getByText('Create, find, change and delete the users of a team.').waitFor()
    await expectAccessible(page)
    await expectFits(page)
    await page.getByLabel('Search').fill('post webhooks rotate')
    await expect.poll(() => list.getByRole('link').count()).toBe(1)
    await list.getByRole('link').click()
    await page.getByRole('heading', { name: /^Rotate an endpoint/ }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/reference/webhook.rotate_secret')
    await page.getByLabel('Search').fill('nothing like this')
    await page.getByText('No operation matches').waitFor()
  })

  it('opens an operation by its URL, with examples, and what to do about errors', async () => {
    await show('user.create')
    await card('Create a user').getByText('/v2/user', { exact: true }).waitFor()
    await page
      .getByRole('group', { name: 'Example of the body' })
      .getByText('"fallback_birth_date": "2026-11-03"')
      .waitFor()
    await page.getByRole('group', { name: 'Example of the body' }).getByText('"client_user_id": "ada"').waitFor()
    expect(await page.getByLabel('Body', { exact: true }).inputValue()).toContain('"client_user_id": "ada"')
    const response = page.getByRole('group', { name: 'Example of the response' })
    await response.getByText('"created_on": "2026-11-03T08:30:00Z"').waitFor()
    const errors = card('Errors')
    await errors.locator('summary', { hasText: '400' }).click()
    await errors.getByRole('row', { name: 'client_user_id_taken' }).getByText('Use the existing user').waitFor()
    await errors.locator('summary', { hasText: '401' }).click()
    await errors.getByText('invalid_api_key').waitFor()
    expect(await errors.getByText(/session_ended|invalid_link_token/).count()).toBe(0)
    await errors.locator('summary', { hasText: '422' }).click()
    await errors.getByText('invalid_request').waitFor()
    expect(await errors.getByText(/invalid_cursor|unknown_column|undo_refused|invalid_file/).count()).toBe(0)
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await expectFits(page)
    await show('no.such.operation')
    await page.getByText('No operation has this name').waitFor()
  })

  it.each(LANGUAGES)('copies a request as %s, which works as it is', async language => {
    const clientUserId = `O'Neil "${language}" $HOME \\n null é`
    await show('user.create')
    await page
      .getByLabel('Body', { exact: true })
      .fill(JSON.stringify({ client_user_id: clientUserId, fallback_time_zone: null }))
    const create = await copy(language)
    expect(create).not.toContain(tests.server.apiKey)
    if (language === 'Python' && !hasRequests) {
      expect(create).toContain(`requests.post(\n    "${tests.server.url}/v2/user",`)
      expect(create).toContain('"fallback_time_zone": None')
      return
    }
    await run(language, create)
    const found = `/v2/user/resolve/${encodeURIComponent(clientUserId)}`
    const { user_id } = await api<{ user_id: string }>(tests.server, 'GET', found)
    // the language stays when another operation is opened
    await page.getByLabel('Search').fill('user.get')
    await page
      .getByRole('link', { name: /^GET \/v2\/user\/\{user_id\} / })
      .first()
      .click()
    await page
      .getByRole('group', { name: `The request as ${language}` })
      .getByText('/v2/user/USER_ID')
      .waitFor()
    await page.getByLabel('user_id (required)').fill(user_id)
    expect(await run(language, await copy(language))).toContain(user_id)
    await show('user.list')
    await page.getByLabel('limit').fill('1')
    await page.getByLabel('offset').fill('0')
    expect(await run(language, await copy(language))).toContain('client_user_id')
  })

  it.each(LANGUAGES)('copies a request with a file, and one that saves a file, as %s', async language => {
    await show('import.create')
    await page.getByText('This operation takes a file').waitFor()
    const send = await copy(language)
    await show('user.export')
    await page.getByLabel('user_id (required)').fill(userId)
    const save = await copy(language)
    expect(save).toContain('response.bin')
    if (language === 'Python' && !hasRequests) return
    const sample = { resource: 'heartrate', timestamp: '2026-11-03T08:00:00Z', value: 61 }
    writeFileSync(path.join(folder, 'FILE'), `${JSON.stringify(sample)}\n`)
    expect(await run(language, send.replace('USER_ID', userId))).toContain('svc_items')
    writeFileSync(path.join(folder, 'response.bin'), '')
    await run(language, save)
    expect(readFileSync(path.join(folder, 'response.bin'), 'utf8')).toContain(userId)
  })

  it('lists the requests of the session without their bodies, until it ends', async () => {
    await show('user.get')
    await page.getByLabel('user_id (required)').fill(userId)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await recent()
      .getByRole('row', { name: new RegExp(`^GET /v2/user/${userId} 200 \\d+ ms$`) })
      .waitFor()
    await page.getByLabel('user_id (required)').fill('nobody')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await recent()
      .getByRole('row', { name: /^GET \/v2\/user\/nobody 422/ })
      .waitFor()
    await page.getByText('Correct the field that the message names.').first().waitFor()
    await page.getByLabel('Search').fill('user.search')
    await page.getByRole('link', { name: /^GET \/v2\/team\/users\/search/ }).click()
    await page.getByLabel('query_id').fill('nowhere')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await recent()
      .getByRole('row', { name: /search 200/ })
      .waitFor()
    expect(await recent().getByText('nowhere').count()).toBe(0)
    // only the command menu's recent entries
    const stored = await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })')
    expect(Object.keys(JSON.parse(stored))).toEqual(['svc-recent'])
    expect(stored).not.toMatch(/nowhere|nobody/)
    await expectAccessible(page)
    await recent().getByRole('link', { name: '/v2/user/nobody' }).click()
    await page.getByRole('heading', { name: 'Get a user', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign out here' }).click()
    await signIn(page, tests.server.apiKey)
    await window.settled()
    await page.getByRole('heading', { name: 'Get a user', exact: true }).waitFor()
    expect(await recent().count()).toBe(0)
  })

  it('says why an operation cannot be tried with a session', async () => {
    await show('link.providers')
    await page.getByText('This operation needs a link token').waitFor()
    expect(await page.getByRole('button', { name: 'Send', exact: true }).count()).toBe(0)
    await expectAccessible(page)
    expect(await copy('curl')).toContain('--header "x-service-link-token: $SVC_LINK_TOKEN"')
  })
})
