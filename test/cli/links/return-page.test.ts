/** The page on this machine to which a provider redirects the browser. */
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  isOnThisMachine,
  openReturnPage,
  type ReturnPage,
  readPastedReturn,
} from '../../../src/cli/links/return-page.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { freePort } from '../../kit/free-port.ts'

const STATE = 'state-of-this-sign-in'
const never = new AbortController().signal

async function open(host = '127.0.0.1'): Promise<{ page: ReturnPage; url: string }> {
  const url = `http://${host}:${await freePort()}/callback`
  const page = await openReturnPage(new URL(url), STATE)
  atEndOfFile(() => page.close())
  return { page, url }
}

describe('a redirect URL', () => {
  test.each([
    ['http://localhost:8484/callback', true],
    ['http://127.0.0.1:8484/callback', true],
    ['http://[::1]:8484/', true],
    ['https://localhost:8484/callback', false],
    ['http://127.0.0.1.example.com/callback', false],
    ['https://svc.example.com/oauth/oura/callback', false],
  ])('%s is received on this machine: %s', (url, isHere) => {
    expect(isOnThisMachine(new URL(url))).toBe(isHere)
  })
})

describe('the page', () => {
  test('accepts every parameter that arrives with the right state, and shows the outcome in the browser', async () => {
    const { page, url } = await open()
    const back = page.wait(5_000, never)
    const browser = fetch(`${url}?code=a%20b&scope=daily&state=${STATE}`)
    const { parameters, respond } = await back
    expect(parameters).toEqual({ code: 'a b', scope: 'daily', state: STATE })
    respond({ status: 200, title: 'Oura is connected', text: 'Close <this> window.' })
    const response = await browser
    expect(response.status).toBe(200)
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(await response.text()).toContain('Close &lt;this> window.')
    await page.close()
    await expect(fetch(url)).rejects.toThrow()
  })

  test('responds to anything else with a page, and continues to wait', async () => {
    const { page, url } = await open()
    const back = page.wait(5_000, never)
    const other = await fetch(`${url}?code=other&state=another`)
    expect(other.status).toBe(400)
    expect(await other.text()).toContain('another sign-in')
    expect((await fetch(`${url}?code=none`)).status).toBe(400)
    expect((await fetch(`${url}?state=another&state=${STATE}`)).status).toBe(400)
    expect((await fetch(`${url}/more?code=x&state=${STATE}`)).status).toBe(404)
    expect((await fetch(`${url}?code=x&state=${STATE}`, { method: 'POST' })).status).toBe(405)
    const browser = fetch(`${url}?error=access_denied&state=${STATE}`)
    const { parameters, respond } = await back
    respond({ status: 200, title: 'Not connected', text: '' })
    expect(parameters).toEqual({ error: 'access_denied', state: STATE })
    expect((await browser).status).toBe(200)
  })

  test('is reachable at both addresses of localhost', async () => {
    const { page, url } = await open('localhost')
    const back = page.wait(5_000, never)
    expect((await fetch(url.replace('localhost', '127.0.0.1'))).status).toBe(400)
    const browser = fetch(`${url}?code=x&state=${STATE}`)
    const { respond } = await back
    respond({ status: 200, title: 'Oura is connected', text: '' })
    expect((await browser).status).toBe(200)
  })

  test('says which port another process uses, and what to do', async () => {
    const port = await freePort()
    const other = createServer().listen(port, '127.0.0.1')
    atEndOfFile(() => void other.close())
    const opening = openReturnPage(new URL(`http://127.0.0.1:${port}/callback`), STATE)
    await expect(opening).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringContaining(`127.0.0.1:${port}`),
      suggestions: [expect.stringContaining('End the other process'), expect.stringContaining('--redirect-url')],
    })
  })

  test('ends when the link token expires, and on Ctrl-C', async () => {
    const { page } = await open()
    await expect(page.wait(30, never)).rejects.toMatchObject({ code: 'timeout' })
    const interrupt = new AbortController()
    const waiting = page.wait(5_000, interrupt.signal)
    interrupt.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled', exitCode: 130 })
  })
})

describe('a pasted URL', () => {
  const redirectUrl = new URL('https://app.example.com/callback')

  test('is split into its parameters', () => {
    const pasted = `  https://app.example.com/callback?code=c0de&state=${STATE}\n`
    expect(readPastedReturn(pasted, redirectUrl, STATE)).toEqual({ code: 'c0de', state: STATE })
  })

  test.each([
    ['not an address', /does not start with https:\/\/app\.example\.com\/callback/],
    [`https://other.example.com/callback?code=s3cret&state=${STATE}`, /does not start with/],
    ['https://app.example.com/callback?code=s3cret&state=another', /belongs to another sign-in/],
  ])('%s is refused without repeating it', (pasted, why) => {
    expect(() => readPastedReturn(pasted, redirectUrl, STATE)).toThrow(why)
    expect(() => readPastedReturn(pasted, redirectUrl, STATE)).not.toThrow(/s3cret/)
  })
})
