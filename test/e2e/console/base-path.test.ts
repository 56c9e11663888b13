/** The console behind a proxy that serves it below a path and removes the path from requests. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserPath, openBrowser } from '../../kit/browser.ts'
import { closeWindow, openConsole, serveBuiltConsole, signIn } from '../../kit/console.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import type { TestServer } from '../../kit/server.ts'
import { api } from './kit/filled.ts'

const executable = browserPath()

/** Starts a server behind a proxy that also serves other paths. Returns the proxy's URL. */
async function serveBelow(path: string): Promise<TestServer> {
  let target: TestServer | undefined
  const proxy = createServer((incoming, outgoing) => {
    const { method = 'GET', headers, url = '/' } = incoming
    const isBelow = url === path || url.startsWith(`${path}/`)
    if (!isBelow || !target) {
      outgoing.writeHead(404).end('another service')
      return
    }
    const passed = request(`${target.url}${url.slice(path.length)}`, { method, headers }, given => {
      outgoing.writeHead(given.statusCode ?? 502, given.headers)
      given.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  atEndOfFile(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`
  target = await serveBuiltConsole({ publicUrl: url })
  return { ...target, url }
}

describe.skipIf(executable === undefined)('the console below a path', { timeout: 120_000 }, () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await openBrowser(executable as string)
  })
  afterAll(() => browser?.close())

  // the second one is also the beginning of the page URLs
  it.each(['/health/eu', '/console'])('%s signs in, shows pages, and receives events as they happen', async path => {
    const server = await serveBelow(path)
    const { user_id } = await api<{ user_id: string }>(server, 'POST', '/v2/user', { client_user_id: 'ada' })
    const window = await openConsole(browser, server)
    const { page, context } = window
    const navigation = page.getByRole('navigation', { name: 'Pages', exact: true })
    await navigation.getByRole('link', { name: 'Users' }).click()
    await page.getByRole('link', { name: 'ada', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor()
    expect(page.url()).toBe(`${server.url}/console/users/${user_id}`)
    const [cookie, ...others] = await context.cookies(server.url)
    expect(cookie).toMatchObject({ path, httpOnly: true, sameSite: 'Strict' })
    expect([others, await context.cookies(new URL('/other', server.url).href)]).toEqual([[], []])

    await navigation.getByRole('link', { name: 'Events' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await api(server, 'POST', '/svc/v1/events/trigger', { type: 'daily.data.note.created', user_id, only_event: true })
    await page.getByRole('link', { name: 'daily.data.note.created' }).click()
    await page.getByRole('heading', { level: 1, name: 'daily.data.note.created' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'daily.data.note.created' }).waitFor()

    await navigation.getByRole('link', { name: 'API reference' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download openapi.json' }).click()
    expect(new URL((await download).url()).pathname).toBe(`${path}/openapi.json`)
    await page.getByTitle('GET /v2/user', { exact: true }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('status').getByText('200', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign out here' }).click()
    await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
    expect(await context.cookies(server.url)).toEqual([])
    await signIn(page, server.apiKey)
    await window.settled()
    await closeWindow(window)
  })
})
