/**
 * The common base of all fake providers: an HTTP server on loopback with consent, code and token exchange, and failures on request. A fake
 * provider follows the facts about its provider (docs/live-providers.md) and shares no code with the connector.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Consent, type IssuedTokenSet, TokenIssuer, type TokenResponse } from './token-issuer.ts'

export interface FakeProviderRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The body as a form. */
  readonly form: URLSearchParams
  /** The body as JSON; throws if it is not JSON. */
  json(): unknown
  /** The token set of the bearer token; null if there is no valid one. */
  readonly tokenSet: IssuedTokenSet | null
  /** When it arrived, by the monotonic clock in milliseconds. */
  readonly at: number
}

export interface FakeProviderResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text and bytes are sent as they are, anything else as JSON; absent: no body. */
  readonly body?: unknown
}

/** The next matching requests fail. */
export interface Fault {
  /** Matches the path; absent: every path. */
  readonly path?: RegExp
  /** How many requests fail. Default: 1. */
  readonly times?: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Delay before it responds, with the fault or (without `status`, `body` and `reset`) as usual. */
  readonly delayMs?: number
  /** Closes the connection: `before` the request is handled, or `after` it took effect. */
  readonly reset?: 'before' | 'after'
}

export interface FakeProviderOptions {
  readonly clientId?: string
  readonly clientSecret?: string
  /** Exact redirect URLs; absent: any. */
  readonly redirectUrls?: readonly string[]
  readonly authorizePath: string
  readonly tokenPath: string
  /** Where the client's credentials are in a token request. */
  readonly clientAuth: 'body' | 'basic'
  /** `rotates`: each use returns a new one and uses up the old; `stays`: it can be used again; `none`: the access cannot be refreshed. */
  readonly refresh: 'rotates' | 'stays' | 'none'
  /** Whether the second use of a refresh token revokes the token set. Default: true. */
  readonly endsOnReuse?: boolean
  readonly expiresInS: number
  /** Separator of a scope list. Default: a space. */
  readonly scopeSeparator?: string
  readonly port?: number
  /**
   * Called when a request has arrived, and again when it took effect, before its response is sent. Returns false to close the connection
   * there.
   */
  readonly gate?: (request: FakeProviderRequest, when: 'arrived' | 'answered') => Promise<boolean>
  /** Clock in epoch milliseconds. Default: the real one. */
  readonly now?: () => number
  /** Converts a token response to the provider's own format. */
  readonly tokenResponse?: (issued: TokenResponse, tokenSet: IssuedTokenSet) => FakeProviderResponse
  /** Converts a refusal of the token endpoint to the provider's own format. */
  readonly tokenRefusal?: (error: string) => FakeProviderResponse
  /** Responds to token requests other than codes and refresh tokens. Undefined: another kind of request. */
  readonly otherTokenRequests?: (request: FakeProviderRequest) => FakeProviderResponse | undefined
  /** Responds to everything other than consent and token exchange. Undefined: 404. */
  readonly handle: (
    request: FakeProviderRequest,
    fake: FakeProvider,
  ) => FakeProviderResponse | undefined | Promise<FakeProviderResponse | undefined>
}

export interface FakeProvider {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  readonly authorizeUrl: string
  readonly tokenUrl: string
  /** Every request that arrived, in order. */
  readonly requests: readonly FakeProviderRequest[]
  readonly tokenSets: readonly IssuedTokenSet[]
  /** How often a used refresh token was reused. */
  readonly reuses: number
  /** The actions of the next persons on the consent page. */
  consent: Consent
  fail(fault: Fault): void
  /** Issues a token set without a consent page. */
  issue(account?: string, scopes?: readonly string[]): IssuedTokenSet
  /** Maximum number of requests in any window of this length. */
  mostWithin(windowMs: number, path?: RegExp): number
  forget(): void
  close(): Promise<void>
}

const LONGEST_BODY = 8 * 1024 * 1024

/** Starts a fake provider. The caller closes it. */
export async function openFakeProvider(options: FakeProviderOptions): Promise<FakeProvider> {
  const { clientId = 'client-1', clientSecret = 'fake-client-secret', now = Date.now } = options
  const requests: FakeProviderRequest[] = []
  const faults: (Fault & { left: number })[] = []
  const issuer = new TokenIssuer({ ...options, clientId, clientSecret, now })

  const respond = async (request: FakeProviderRequest): Promise<FakeProviderResponse> => {
    if (request.path === options.authorizePath && request.method === 'GET')
      return issuer.authorize(request, fake.consent)
    if (request.path === options.tokenPath && request.method === 'POST' && request.form.has('grant_type'))
      return options.otherTokenRequests?.(request) ?? issuer.token(request)
    return (await options.handle(request, fake)) ?? { status: 404, body: { error: 'not found' } }
  }

  const server = createServer(async (message, response) => {
    const at = performance.now()
    const body = await readBody(message)
    const { pathname: path, searchParams: query } = new URL(message.url ?? '/', 'http://fake')
    const { method = 'GET', headers } = message
    const request: FakeProviderRequest = {
      method,
      path,
      query,
      headers,
      body,
      form: new URLSearchParams(body.toString('utf8')),
      json: () => JSON.parse(body.toString('utf8')),
      tokenSet: issuer.bearer(headers),
      at,
    }
    requests.push(request)
    const fault = faults.find(each => each.left > 0 && (each.path?.test(path) ?? true))
    if (fault) fault.left--
    if (fault?.reset === 'before') return void message.socket.destroy()
    if (fault?.delayMs !== undefined) await pause(fault.delayMs)
    if ((await options.gate?.(request, 'arrived')) === false) return void message.socket.destroy()
    const isReplaced = fault !== undefined && (fault.status !== undefined || fault.body !== undefined)
    const result = isReplaced ? fault : await respond(request)
    const isLost = fault?.reset === 'after' || (await options.gate?.(request, 'answered')) === false
    if (isLost) return void message.socket.destroy()
    send(response, result)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeProvider = {
    url,
    clientId,
    clientSecret,
    authorizeUrl: url + options.authorizePath,
    tokenUrl: url + options.tokenPath,
    requests,
    tokenSets: issuer.tokenSets,
    get reuses() {
      return issuer.reuses
    },
    consent: {},
    fail: fault => void faults.push({ ...fault, left: fault.times ?? 1 }),
    issue: (account, scopes) => issuer.issue(account, scopes),
    mostWithin(windowMs, path) {
      const times = requests.filter(each => path?.test(each.path) ?? true).map(each => each.at)
      return Math.max(0, ...times.map(first => times.filter(each => each >= first && each < first + windowMs).length))
    },
    forget: () => void requests.splice(0),
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
  return fake
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: FakeProviderResponse): void {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  if (body !== undefined && !isRaw) response.setHeader('content-type', 'application/json')
  response.writeHead(status, headers)
  response.end(body === undefined ? undefined : isRaw ? body : JSON.stringify(body))
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= LONGEST_BODY) chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
