/**
 * Waits at a redirect URL on this machine for the browser that a provider redirects after a sign-in. Providers compare redirect URLs
 * exactly, so the host, port and path are the OAuth app's.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ServiceError } from '../../core/errors.ts'
import { parseUrl } from '../../core/web-host.ts'

/** IP addresses to listen on, by the host of the redirect URL. A browser may try either one of localhost first. */
const ADDRESSES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  localhost: ['127.0.0.1', '::1'],
  '127.0.0.1': ['127.0.0.1'],
  '[::1]': ['::1'],
}

const CLOSING_MS = 500

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  connection: 'close',
} as const

/** The page that a browser shows. */
export interface BrowserPage {
  readonly status: number
  readonly title: string
  readonly text: string
}

/** The parameters that the provider sent back. They include a secret code. */
export interface OAuthReturn {
  readonly parameters: Readonly<Record<string, string>>
  /** Shows the outcome in the browser. */
  respond(page: BrowserPage): void
}

export interface ReturnPage {
  /**
   * Returns the parameters that came back with the right state; any other request receives a page, and the wait continues. Throws
   * ServiceError `timeout` after `mostMs`, and `cancelled` if the signal is aborted.
   */
  wait(mostMs: number, signal: AbortSignal): Promise<OAuthReturn>
  close(): Promise<void>
}

/** Returns whether a redirect URL is on this machine, so that we can wait there for a browser. */
export function isOnThisMachine(redirectUrl: URL): boolean {
  return redirectUrl.protocol === 'http:' && Object.hasOwn(ADDRESSES, redirectUrl.hostname)
}

/** Starts listening at a redirect URL for which `isOnThisMachine` is true. Throws ServiceError `port_in_use` or `usage`. */
export async function openReturnPage(redirectUrl: URL, state: string): Promise<ReturnPage> {
  let arrive: (back: OAuthReturn) => void = () => {}
  const arrival = new Promise<OAuthReturn>(resolve => {
    arrive = resolve
  })
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const found = readReturn(request, redirectUrl, state)
    if ('parameters' in found) arrive({ ...found, respond: page => show(response, page) })
    else show(response, found)
  }
  const servers = await listenAt(redirectUrl, listener)
  return {
    wait: (mostMs, signal) => firstArrival(arrival, mostMs, signal),
    async close() {
      await Promise.all(servers.map(closed))
    },
  }
}

/** Reads the parameters of a redirect. Throws ServiceError `usage` for a URL that is not the redirect URL with the right state. */
export function readPastedReturn(pasted: string, redirectUrl: URL, state: string): Readonly<Record<string, string>> {
  const url = parseUrl(pasted.trim())
  const isRedirect = url !== null && url.origin === redirectUrl.origin && url.pathname === redirectUrl.pathname
  if (!isRedirect) {
    throw new ServiceError('usage', `The URL does not start with ${redirectUrl.origin}${redirectUrl.pathname}.`, {
      suggestions: ["Copy the complete URL from the browser after you have completed the provider's page."],
    })
  }
  const parameters = readParameters(url, state)
  if (parameters) return parameters
  throw new ServiceError('usage', 'The URL belongs to another sign-in.', {
    suggestions: ['Open the URL that this command printed, and copy the URL that it redirects to.'],
  })
}

function readReturn(
  { method, url: target = '' }: IncomingMessage,
  redirectUrl: URL,
  state: string,
): BrowserPage | { readonly parameters: Readonly<Record<string, string>> } {
  const url = parseUrl(target, redirectUrl.origin)
  if (url === null || url.pathname !== redirectUrl.pathname) return NOT_HERE
  if (method !== 'GET') return NOT_ALLOWED
  const parameters = readParameters(url, state)
  return parameters ? { parameters } : OTHER_SIGN_IN
}

/** Returns the parameters if they contain exactly one state and it is the right one. */
function readParameters({ searchParams }: URL, state: string): Readonly<Record<string, string>> | null {
  const [given, ...others] = searchParams.getAll('state')
  if (given === undefined || others.length > 0 || !timingSafeEqual(digest(given), digest(state))) return null
  return Object.fromEntries(searchParams)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const NOT_HERE: BrowserPage = {
  status: 404,
  title: 'Page not found',
  text: 'svc waits for a sign-in at another URL.',
}
const NOT_ALLOWED: BrowserPage = { status: 405, title: 'Method not allowed', text: 'This page can only be read.' }
const OTHER_SIGN_IN: BrowserPage = {
  status: 400,
  title: 'This is another sign-in',
  text: 'The URL does not belong to the sign-in that svc waits for. Open the URL that the terminal shows.',
}

function show(response: ServerResponse, { status, title, text }: BrowserPage): void {
  response.writeHead(status, HEADERS)
  response.end(
    `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>` +
      '<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}</style>\n' +
      `<h1>${escaped(title)}</h1>\n<p>${escaped(text)}</p></html>\n`,
  )
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

async function listenAt(
  redirectUrl: URL,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<readonly Server[]> {
  const [first, ...others] = ADDRESSES[redirectUrl.hostname] ?? ['127.0.0.1']
  const port = Number(redirectUrl.port || 80)
  const servers: Server[] = []
  try {
    servers.push(await listening(createServer(listener), first, port))
    for (const address of others) {
      const server = await listening(createServer(listener), address, port).catch(unlessAbsent)
      if (server) servers.push(server)
    }
    return servers
  } catch (error) {
    await Promise.all(servers.map(closed))
    throw listenError(error, redirectUrl)
  }
}

async function listening(server: Server, host: string, port: number): Promise<Server> {
  server.listen({ host, port })
  await once(server, 'listening')
  return server
}

/** Ignores an unavailable address, because a machine may not have IPv6. Throws every other error. */
function unlessAbsent(error: unknown): undefined {
  if (['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(errorCode(error) ?? '')) return undefined
  throw error
}

function listenError(error: unknown, { host, href }: URL): unknown {
  const suggestions = [
    'To use another port, register its URL at the provider, and run `svc provider setup` again with --redirect-url URL.',
  ]
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new ServiceError('port_in_use', `The provider redirects to ${href}, but another process uses ${host}.`, {
        suggestions: ['End the other process, such as another svc link, and run the command again.', ...suggestions],
        cause: error,
      })
    case 'EACCES':
      return new ServiceError('usage', `This process is not permitted to listen on ${host}.`, {
        suggestions,
        cause: error,
      })
    default:
      return error
  }
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

async function firstArrival<T>(arrival: Promise<T>, mostMs: number, signal: AbortSignal): Promise<T> {
  let settle = (): void => {}
  const end = new Promise<never>((_, reject) => {
    const cancel = () => reject(new ServiceError('cancelled', 'Cancelled: the provider has not redirected back yet.'))
    const timer = setTimeout(() => reject(expired(mostMs)), mostMs)
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    }
  })
  return Promise.race([arrival, end]).finally(settle)
}

function expired(mostMs: number): ServiceError {
  return new ServiceError(
    'timeout',
    `The provider did not redirect back within ${Math.round(mostMs / 60_000)} minutes, and the link token has expired.`,
    { suggestions: ['Run the command again.'] },
  )
}

/** Gives a browser that is still loading its page a moment to finish. */
async function closed(server: Server): Promise<void> {
  const end = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), CLOSING_MS)
  await end
  clearTimeout(timer)
}
