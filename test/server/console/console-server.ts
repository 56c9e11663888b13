/** A server with its own small console, and browsers that keep its cookie. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RealTime } from '../../../src/core/clock.ts'
import type { ServerOptions } from '../../../src/server/server-options.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Ask, serve, type TestResponse, type TestServer } from '../../kit/server.ts'

const SCRIPT = `document.title = 'loaded'\n${'// padding\n'.repeat(200)}`
const PAGES = [
  { path: '/console/labs', preload: ['labs-4e5f.js'] },
  { path: '/console/labs/orders/:orderId', preload: ['order-6a7b.js'] },
]

/** Writes files as the build does, and returns their folder. */
export function builtConsole(script = SCRIPT): string {
  const folder = path.join(temporaryFolder(), 'console')
  mkdirSync(folder, { recursive: true })
  const entry = 'main-0a1b.js'
  const style = 'main-2c3d.css'
  writeFileSync(path.join(folder, entry), script)
  writeFileSync(path.join(folder, style), 'body{margin:0}')
  writeFileSync(path.join(folder, 'not-listed.js'), 'secret')
  writeFileSync(
    path.join(folder, 'manifest.json'),
    JSON.stringify({ entry, preload: [], pages: PAGES, styles: [style], files: [entry, style] }),
  )
  return folder
}

export function serveConsole(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  return serve({ consoleFolder: builtConsole(), ...options })
}

/** A clock that only moves on request. */
export class Hands implements RealTime {
  private at: number

  constructor(at = Date.UTC(2026, 10, 20, 10)) {
    this.at = at
  }

  now(): number {
    return this.at
  }

  advance(ms: number): void {
    this.at += ms
  }
}

export interface Session {
  readonly team: { readonly id: string; readonly name: string }
  readonly key: { readonly label: string | null; readonly is_operator: boolean }
  readonly person: { readonly id: string; readonly name: string; readonly role: string } | null
  readonly forbidden: readonly string[]
  readonly csrf_token: string
  readonly expires_at: string
  readonly version: string
  readonly public_url: string
}

/** Keeps the cookie of one server, as a browser does. */
export class Browser {
  cookie: string | null = null
  csrf = ''
  private readonly server: TestServer

  constructor(server: TestServer) {
    this.server = server
  }

  /** Sends a request with the cookie and, for a change, the session's CSRF token. */
  async ask(method: string, at: string, { headers = {}, ...rest }: Ask = {}): Promise<TestResponse> {
    const own: Record<string, string> = { ...(this.cookie === null ? {} : { cookie: this.cookie }) }
    if (method !== 'GET' && this.csrf !== '') own['x-svc-csrf-token'] = this.csrf
    const response = await this.server.ask(method, at, { key: null, ...rest, headers: { ...own, ...headers } })
    const set = response.headers.get('set-cookie')
    if (set !== null) this.cookie = /Max-Age=0/.test(set) ? null : (set.split(';')[0] ?? null)
    return response
  }

  async signIn(key = this.server.apiKey): Promise<TestResponse> {
    const response = await this.ask('POST', '/console/sign-in', {
      headers: { origin: this.server.url },
      body: JSON.stringify({ api_key: key }),
    })
    if (response.status === 200) this.csrf = (response.json as Session).csrf_token
    return response
  }

  async session(): Promise<Session> {
    return (await this.ask('GET', '/console/session')).json as Session
  }
}
