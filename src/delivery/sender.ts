/**
 * Sends webhooks and reports each result. Connects only to checked addresses, waits 15 s, does not follow redirects, and reads only the
 * beginning of the response.
 */
import type { Dispatcher, Pool } from 'undici'
import type { KeptResponse } from '../engine/deliveries/exchange.ts'
import { type Failure, type FailureKind, failureFrom } from './failure.ts'
import { ResponseHead } from './response-head.ts'
import { checkedConnector, type Resolve, TargetRefused } from './target.ts'

/** Time within which a response must arrive, including the time to connect. See docs/interface/events.md#events-11. */
export const RESPONSE_TIMEOUT_MS = 15_000
/** Maximum number of bytes to read from a response body, whose content does not matter. */
const MOST_RESPONSE_BYTES = 64 * 1024
const MOST_HEADER_BYTES = 32 * 1024

export interface Shipment {
  /** The endpoint of the request. Requests with the same route share connections. */
  readonly route: string
  readonly url: URL
  readonly allowLoopback: boolean
  /** Alternating names and values. */
  readonly headers: readonly string[]
  /** A body in pieces requires a `content-length` header. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
}

export interface EndpointResponse {
  /** Null if there was no response. */
  readonly status: number | null
  /** Why the delivery was not accepted; null if it was. */
  readonly error: string | null
  /** Why there was no response; null if there was one. */
  readonly failure: FailureKind | null
  /** Whether nothing was sent, because the target is not allowed. */
  readonly isRefused?: boolean
  /** The `Retry-After` header, if present. */
  readonly retryAfter: string | null
  readonly ms: number
  /** The beginning of the response; absent if there was none. */
  readonly head?: () => KeptResponse
}

export interface SenderOptions {
  readonly allowPrivate: boolean
  readonly responseTimeoutMs?: number
  /** Defaults to the system's resolver. */
  readonly resolve?: Resolve
}

export interface Sender {
  /** Sends one webhook and never rejects. Resolves to null if it was aborted by `cut` or the signal before a response arrived. */
  send(shipment: Shipment, signal?: AbortSignal): Promise<EndpointResponse | null>
  /** Closes the idle connections of an unused route. */
  forget(route: string): void
  /** Aborts the requests in progress, which may or may not have arrived, and stops sending. */
  cut(): void
  close(): Promise<void>
}

/** Opens a sender. Loads undici only here, because most processes do not send webhooks. */
export async function openSender(options: SenderOptions): Promise<Sender> {
  const undici = await import('undici')
  const responseTimeoutMs = options.responseTimeoutMs ?? RESPONSE_TIMEOUT_MS
  const { allowPrivate, resolve } = options
  const connectorTo = (allowLoopback: boolean) =>
    checkedConnector({ allowPrivate, allowLoopback, ...(resolve ? { resolve } : {}) }, { timeout: responseTimeoutMs })
  const [connector, loopbackConnector] = await Promise.all([connectorTo(false), connectorTo(true)])
  const routes = new Map<string, Pick<Shipment, 'allowLoopback'> & { readonly origin: string; readonly pool: Pool }>()
  const underWay = new Set<Exchange>()
  let isCut = false

  const poolOf = ({ route, url, allowLoopback }: Shipment): Pool => {
    const known = routes.get(route)
    if (known?.origin === url.origin && known.allowLoopback === allowLoopback) return known.pool
    if (known) closeQuietly(known.pool)
    // each exchange has its own time limits
    const pool = new undici.Pool(url.origin, {
      connect: allowLoopback ? loopbackConnector : connector,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MOST_HEADER_BYTES,
      pipelining: 1,
    })
    routes.set(route, { origin: url.origin, allowLoopback, pool })
    return pool
  }

  return {
    send(shipment, signal) {
      if (isCut || signal?.aborted) return Promise.resolve(null)
      return new Promise(resolve => {
        const cut = (): void => exchange.end(null)
        const exchange = new Exchange(responseTimeoutMs, response => {
          underWay.delete(exchange)
          signal?.removeEventListener('abort', cut)
          resolve(response)
        })
        underWay.add(exchange)
        signal?.addEventListener('abort', cut, { once: true })
        const { url, headers, body } = shipment
        try {
          poolOf(shipment).dispatch(
            { method: 'POST', path: url.pathname + url.search, headers: headers as string[], body: body as Buffer },
            exchange,
          )
        } catch (error) {
          exchange.onResponseError(undefined, error as Error)
        }
      })
    },
    forget(route) {
      const known = routes.get(route)
      routes.delete(route)
      if (known) closeQuietly(known.pool)
    },
    cut() {
      isCut = true
      for (const exchange of underWay) exchange.end(null)
    },
    async close() {
      const pools = [...routes.values()].map(({ pool }) => pool.destroy())
      routes.clear()
      await Promise.allSettled(pools)
    },
  }
}

function closeQuietly(pool: Pool): void {
  void pool.close().catch(() => {})
}

class Exchange implements Dispatcher.DispatchHandler {
  private readonly began = performance.now()
  private readonly resolve: (response: EndpointResponse | null) => void
  private readonly timer: NodeJS.Timeout
  private controller: Dispatcher.DispatchController | undefined
  private response: EndpointResponse | undefined
  private bytes = 0
  private head: ResponseHead | undefined
  private isOver = false
  private isComplete = false

  constructor(responseTimeoutMs: number, resolve: (response: EndpointResponse | null) => void) {
    this.resolve = resolve
    const seconds = responseTimeoutMs / 1000
    this.timer = setTimeout(() => {
      // a response that has begun is valid, even if it never ends
      const kind = this.controller === undefined ? 'unreachable' : 'timeout'
      this.end(this.response ?? this.failure({ kind, words: `no response within ${seconds} s` }))
    }, responseTimeoutMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // the time limit was reached before a connection was made, so nothing is sent
    if (this.isOver) controller.abort(new Error('the time is up'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    // informational responses such as early hints do not count
    if (status < 200) return
    const { 'retry-after': retryAfter } = headers
    const head = new ResponseHead(headers)
    this.head = head
    this.response = {
      status,
      error: statusError(status),
      failure: null,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      ms: this.elapsed(),
      head: () => head.get(this.isComplete),
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length
    this.head?.add(chunk)
    if (this.bytes > MOST_RESPONSE_BYTES) this.end(this.response as EndpointResponse)
  }

  onResponseEnd(): void {
    this.isComplete = true
    this.end(this.response as EndpointResponse)
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    // once the endpoint has responded, it may close the connection in any way
    const isRefused = error instanceof TargetRefused
    this.end(this.response ?? { ...this.failure(failureFrom(error)), isRefused })
  }

  /** Reports the result, once. */
  end(response: EndpointResponse | null): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.timer)
    if (!this.isComplete) this.controller?.abort(new Error('enough was read'))
    this.resolve(response)
  }

  private failure({ kind, words }: Failure): EndpointResponse {
    return { status: null, error: words, failure: kind, retryAfter: null, ms: this.elapsed() }
  }

  private elapsed(): number {
    return Math.round(performance.now() - this.began)
  }
}

/** Returns whether a response means that the webhook was accepted. */
export function isAccepted({ status }: Pick<EndpointResponse, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}

function statusError(status: number): string | null {
  if (isAccepted({ status })) return null
  return status >= 300 && status < 400
    ? `responded with ${status}: redirects are not followed`
    : `responded with ${status}`
}
