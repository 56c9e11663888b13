/** A server on its own folder, calls to it, and a browser that is signed in to its console. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveOurs } from '../serve/serve-processes.mjs'

/** Returns a new folder for `serveOurs`. */
export function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-console-'))
  mkdirSync(join(folder, 'data'))
  return folder
}

/**
 * Runs `use(server)` on a new data folder, which `fill` can fill before; `call(method, path, body)` of the server returns parsed JSON.
 * `root` is another built working tree.
 */
export async function withServer(use, { root, fill } = {}) {
  const folder = newFolder()
  await fill?.(join(folder, 'data'))
  const server = await serveOurs(folder, root)
  const call = async (method, path, body) => {
    const headers = { 'x-service-api-key': server.apiKey, 'content-type': 'application/json' }
    const response = await fetch(server.url + path, { method, headers, body: body && JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
  try {
    await use({ ...server, folder, call })
  } finally {
    await server.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns a browser context with an empty cache and a session cookie. */
export async function signedIn(browser, { url, apiKey }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC' })
  const data = { api_key: apiKey }
  const response = await context.request.post(`${url}/console/sign-in`, { data, headers: { origin: url } })
  if (!response.ok()) throw new Error(`The sign-in answered ${response.status()}.`)
  return context
}
