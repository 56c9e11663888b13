/** Where the console is served, and the documents and files that a browser gets. */
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../kit/folder.ts'
import { serve } from '../../kit/server.ts'
import { selfSigned } from '../certificate.ts'
import { Browser, serveConsole } from './console-server.ts'

const HTML = { headers: { accept: 'text/html,*/*' }, key: null }

describe('the landing page', () => {
  it('is HTML for a browser, and JSON otherwise', async () => {
    const server = await serveConsole({ version: '1.2.3' })
    const page = await server.ask('GET', '/', HTML)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('vary')).toContain('accept')
    for (const text of ['svc 1.2.3', 'href="/console"', 'href="/console/reference"', 'href="/healthz"']) {
      expect(page.text).toContain(text)
    }
    expect(page.text).not.toContain('<script')
    expect((await server.ask('GET', '/', { key: null })).json).toEqual({
      name: 'svc',
      version: '1.2.3',
      console_url: `${server.url}/console`,
      openapi_url: `${server.url}/openapi.json`,
      health_url: `${server.url}/healthz`,
    })
    expect((await server.ask('POST', '/')).headers.get('allow')).toBe('GET')
  })

  it('does not mention the console if it is not served', async () => {
    const server = await serve()
    expect((await server.ask('GET', '/', HTML)).text).not.toContain('/console')
    expect((await server.ask('GET', '/')).json).toMatchObject({ console_url: null })
    const console = await server.ask('GET', '/console')
    expect([console.status, console.json]).toEqual([404, { detail: 'This build of svc does not contain the console.' }])
    const refused = await server.ask('POST', '/svc/v1/console/sign-in-tokens')
    expect([refused.status, refused.headers.get('x-svc-error-code')]).toEqual([409, 'conflict'])
  })
})

describe('the console', () => {
  it('is one document under a strict policy, for every page', async () => {
    const server = await serveConsole()
    const shell = await server.ask('GET', '/console', HTML)
    expect(shell.status).toBe(200)
    expect(shell.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(Object.fromEntries(shell.headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(shell.text).toContain('src="/console/assets/main-0a1b.js"')
    expect(shell.text).toContain('href="/console/assets/main-2c3d.css"')
    expect(shell.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=/)
    for (const at of ['/console/', '/console/users/123', '/console/sign-in', '/console/reference']) {
      expect((await server.ask('GET', at, HTML)).text).toBe(shell.text)
    }
    expect((await server.ask('POST', '/console')).headers.get('allow')).toBe('GET')
  })

  it('requests the code of the page at once, and with a session also the first data', async () => {
    const server = await serveConsole()
    const browser = new Browser(server)
    const loaded = async (at: string) =>
      [
        ...(await browser.ask('GET', at, HTML)).text.matchAll(
          /<link rel="(?:modulepreload|preload)".* href="([^"]+)"/g,
        ),
      ].map(([, href]) => href)
    expect(await loaded('/console/labs')).toEqual(['/console/assets/labs-4e5f.js'])
    await browser.signIn()
    const data = ['/console/session', '/svc/v1/clock']
    expect(await loaded('/console?user=1')).toEqual([...data, '/svc/v1/overview'])
    expect(await loaded('/console/labs/orders/7')).toEqual(['/console/assets/order-6a7b.js', ...data])
    expect(await loaded('/console/labs/orders')).toEqual(data)
  })

  it('finds its files below the public URL’s path', async () => {
    const server = await serveConsole({ publicUrl: 'https://health.example/base' })
    const { text } = await server.ask('GET', '/console', HTML)
    expect(text).toContain('data-base="/base"')
    expect(text).toContain('src="/base/console/assets/main-0a1b.js"')
  })

  it('limits its cookie to the public URL’s path', async () => {
    const pathIn = async (publicUrl: string): Promise<string | undefined> => {
      const response = await new Browser(await serveConsole({ publicUrl })).signIn()
      return response.headers.get('set-cookie')?.split('; ')[1]
    }
    expect(await pathIn('https://health.example/base/')).toBe('Path=/base')
    expect(await pathIn('https://health.example/a;Domain=example')).toBe('Path=/')
  })

  it('sends its files compressed, to be cached permanently', async () => {
    const server = await serveConsole()
    const get = async (name: string, encoding: string) => {
      const response = await server.ask('GET', `/console/assets/${name}`, { headers: { 'accept-encoding': encoding } })
      return [
        response.status,
        response.headers.get('content-encoding'),
        response.headers.get('content-type'),
        response.text,
      ]
    }
    const plain = await get('main-0a1b.js', 'identity')
    expect(plain).toEqual([200, null, 'text/javascript; charset=utf-8', expect.stringContaining('loaded')])
    // fetch decompresses the responses
    expect(await get('main-0a1b.js', 'gzip, br')).toEqual([200, 'br', plain[2], plain[3]])
    expect(await get('main-0a1b.js', 'gzip')).toEqual([200, 'gzip', plain[2], plain[3]])
    const kept = await server.ask('GET', '/console/assets/main-2c3d.css')
    expect(kept.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    for (const name of ['not-listed.js', 'manifest.json', '..%2Fmanifest.json', 'none.js']) {
      expect((await server.ask('GET', `/console/assets/${name}`)).status).toBe(404)
    }
  })
})

describe('a server that other machines can reach', () => {
  const insecure = { host: '0.0.0.0', insecureHttp: true } as const

  it('has no console unless it is enabled, and ignores cookies', async () => {
    const server = await serveConsole(insecure)
    const at = server.localUrl
    expect((await fetch(`${at}/console`)).status).toBe(404)
    expect((await fetch(`${at}/console/session`)).status).toBe(404)
    expect(await (await fetch(at)).json()).toMatchObject({ console_url: null })
  })

  it('refuses to serve the console in clear text', async () => {
    const refused = (options: object) =>
      expect(serveConsole({ ...insecure, console: true, ...options })).rejects.toMatchObject({ code: 'usage' })
    await refused({})
    await refused({ publicUrl: 'https://health.example' })
    await refused({ trustedProxies: ['127.0.0.1'], publicUrl: 'http://health.example' })
  })

  it('marks the cookie as secure behind a trusted proxy', async () => {
    const publicUrl = 'https://health.example'
    const server = await serveConsole({ ...insecure, console: true, trustedProxies: ['127.0.0.1'], publicUrl })
    const response = await fetch(`${server.localUrl}/console/sign-in`, {
      method: 'POST',
      headers: { origin: publicUrl, 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: server.apiKey }),
    })
    expect(response.headers.get('set-cookie')).toMatch(/^svc_session=.*; SameSite=Strict; Secure$/)
  })

  it('serves the console over TLS when it is enabled', async () => {
    const pair = selfSigned(new Date('2049-01-01'))
    const folder = temporaryFolder()
    const tls = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') }
    writeFileSync(tls.cert, pair.cert)
    writeFileSync(tls.key, pair.key)
    const server = await serveConsole({ host: '0.0.0.0', console: true, tls })
    const response = await new Promise<IncomingMessage>(resolve => {
      const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
      const clientRequest = request(
        `${server.localUrl}/console/sign-in`,
        { ca: pair.cert, method: 'POST', headers },
        resolve,
      )
      clientRequest.end(JSON.stringify({ api_key: server.apiKey }))
    })
    response.resume()
    expect(response.headers['set-cookie']?.[0]).toMatch(/; SameSite=Strict; Secure$/)
  })
})

describe('--cors', () => {
  it('never lets other origins use the cookie', async () => {
    const server = await serveConsole({ corsOrigins: ['http://127.0.0.1:3000'] })
    const browser = new Browser(server)
    await browser.signIn()
    const headers = { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }
    const read = await browser.ask('GET', '/v2/user', { headers })
    expect(read.headers.get('access-control-allow-credentials')).toBeNull()
    const write = await browser.ask('POST', '/v2/user', {
      headers: { ...headers, 'x-svc-csrf-token': '' },
      body: '{"client_user_id":"u"}',
    })
    expect(write.status).toBe(403)
  })
})
