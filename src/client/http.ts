/** A client for a remote service: the same calls over HTTP, using undici. See docs/architecture.md. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import {
  type BytesReply,
  type EmptyReply,
  type JsonReply,
  type Operation,
  takesIdempotencyKey,
} from '../contract/kernel/operation.ts'
import { type OperationId, operations } from '../contract/operations.ts'
import { ServiceError } from '../core/errors.ts'
import type { CallInput, CallOptions, ServiceClient } from './client.ts'
import {
  headerValue,
  parseBaseUrl,
  parseHeaderPrefix,
  spellMediaType,
  type WireRequest,
  wireRequest,
} from './request.ts'
import { checkShape, isJson, notThisService, parseJsonResponse, type ResponseHead, responseError } from './response.ts'
import { causeCode, type RetryPolicy, withRetries } from './retry.ts'
import { openUpload } from './upload.ts'

export interface HttpOptions {
  /** Base URL of the server. It may have a path; a trailing slash makes no difference. */
  readonly baseUrl: string
  /** If null, only calls that need no key or have a link token are possible. */
  readonly apiKey: string | null
  /** Used in `x-<prefix>-api-key` and `application/vnd.<prefix>.…`. Default: `service`. */
  readonly headerPrefix?: string
  /** Timeout for a complete JSON response. For bytes, it applies to the headers and to the time between two chunks. */
  readonly timeoutMs: number
  /** Number of retries of calls that may be repeated. Default: 2. */
  readonly retries?: number
  /** Injected timers and randomness, for tests. */
  readonly policy?: Partial<Omit<RetryPolicy, 'retries'>>
}

const DEFAULT_RETRIES = 2
/** Timeout for the response to an upload. The response comes only after everything is stored, which takes minutes for a large export. */
const UPLOAD_RESPONSE_MS = 30 * 60_000
const CONNECT_MS = 10_000
const MAX_JSON_BYTES = 512 * 1024 * 1024

type AnyReply = JsonReply<never> | BytesReply | EmptyReply
type Undici = typeof import('undici')

/**
 * Opens a client. Does not load or connect to anything before the first call. Throws ServiceError `usage` for an invalid base URL, key or
 * prefix.
 */
export function openHttp(options: HttpOptions): ServiceClient {
  const baseUrl = parseBaseUrl(options.baseUrl)
  const wire = {
    baseUrl,
    apiKey: options.apiKey === null ? null : headerValue(options.apiKey, 'API key'),
    headerPrefix: parseHeaderPrefix(options.headerPrefix ?? 'service'),
  }
  const policy: RetryPolicy = {
    retries: options.retries ?? DEFAULT_RETRIES,
    random: Math.random,
    now: Date.now,
    sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
    ...options.policy,
  }
  const at = `${baseUrl.hostname}:${baseUrl.port || (baseUrl.protocol === 'https:' ? '443' : '80')}`
  let opened: Promise<{ undici: Undici; dispatcher: Dispatcher }> | undefined
  const open = async () => {
    const undici = await import('undici')
    return { undici, dispatcher: new undici.Agent({ connect: { timeout: Math.min(CONNECT_MS, options.timeoutMs) } }) }
  }

  const once = async (id: OperationId, request: WireRequest, call: CallOptions): Promise<AnyReply> => {
    opened ??= open()
    const { undici, dispatcher } = await opened
    const operation: Operation = operations[id]
    const wantsBytes =
      operation.repliesBytes !== undefined || operation.alsoReplies?.some(type => call.accept?.includes(type)) === true
    const streams = wantsBytes || request.upload !== undefined
    const timer = streams ? undefined : AbortSignal.timeout(options.timeoutMs)
    const signals = [timer, call.signal].filter(signal => signal !== undefined)
    const upload = request.upload ? await openUpload(request.upload, call.onProgress) : undefined
    try {
      const response = await undici.request(request.url, {
        method: request.method,
        headers: { ...request.headers, ...upload?.headers },
        body: upload?.body ?? request.json ?? null,
        dispatcher,
        signal: signals.length === 0 ? null : AbortSignal.any(signals),
        headersTimeout: upload ? Math.max(UPLOAD_RESPONSE_MS, options.timeoutMs) : options.timeoutMs,
        bodyTimeout: options.timeoutMs,
      })
      return await read(id, operation, response)
    } catch (error) {
      throw explain(error, call.signal, at, options.timeoutMs)
    } finally {
      await upload?.close()
    }
  }

  const read = async (id: OperationId, operation: Operation, response: Dispatcher.ResponseData): Promise<AnyReply> => {
    const head = responseHead(response, wire.headerPrefix)
    if (head.status < 200 || head.status > 299) {
      throw responseError(id, operation, head, await readText(response, at), at)
    }
    if (operation.repliesNothing) {
      // other servers send a body here, which is ignored
      await response.body.dump()
      return { kind: 'empty', status: 204, headers: head.headers }
    }
    if (isJson(head.mediaType)) {
      // not checked here, because checkShape checks it next
      const body = parseJsonResponse(await readText(response, at), head, at) as never
      checkShape(operation, body, head, at)
      return { kind: 'json', status: head.status, headers: head.headers, body }
    }
    if (operation.repliesBytes === head.mediaType || operation.alsoReplies?.includes(head.mediaType)) {
      const bytes = pieces(response, at, options.timeoutMs)
      return { kind: 'bytes', status: head.status, headers: head.headers, mediaType: head.mediaType, bytes }
    }
    // destroying the body emits an error only if someone listens
    response.body.on('error', () => {}).destroy()
    throw notThisService(head, at)
  }

  return {
    async call(id, input, call: CallOptions = {}) {
      const operation: Operation = operations[id]
      const request = wireRequest(operation, input as CallInput, call, wire)
      if (!mayRepeat(operation, request)) return once(id, request, call)
      try {
        return await withRetries(() => once(id, request, call), policy, call.signal)
      } catch (error) {
        // the wait between attempts was interrupted
        throw call.signal?.aborted ? cancelled(error) : error
      }
    },
    async close() {
      const { dispatcher } = (await opened?.catch(() => undefined)) ?? {}
      await dispatcher?.destroy()
    },
  }
}

/**
 * Returns whether the call may be repeated: it is idempotent, or the caller sent an idempotency key. A stream that has been sent cannot be
 * sent again.
 */
function mayRepeat(operation: Operation, { headers, upload }: WireRequest): boolean {
  if (operation.idempotent) return true
  const hasKey = headers['x-idempotency-key'] !== undefined || headers['idempotency-key'] !== undefined
  return hasKey && takesIdempotencyKey(operation) && upload?.kind !== 'stream'
}

function responseHead(response: Dispatcher.ResponseData, headerPrefix: string): ResponseHead {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return { status: response.statusCode, mediaType: spellMediaType(mediaType, headerPrefix, 'service'), headers }
}

async function readText(response: Dispatcher.ResponseData, at: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MAX_JSON_BYTES) throw new ServiceError('bad_response', `${at} sent more than 512 MiB of JSON.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Yields a response's bytes. A failure midway throws the same errors as a failure before the first byte. */
async function* pieces(response: Dispatcher.ResponseData, at: string, timeoutMs: number): AsyncIterable<Uint8Array> {
  try {
    yield* response.body as AsyncIterable<Uint8Array>
  } catch (error) {
    throw explain(error, undefined, at, timeoutMs)
  }
}

function explain(error: unknown, signal: AbortSignal | undefined, at: string, timeoutMs: number): unknown {
  if (signal?.aborted) return cancelled(error)
  if (error instanceof ServiceError) return error
  const code = causeCode(error)
  const isTimer = error instanceof Error && error.name === 'TimeoutError'
  if (isTimer || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new ServiceError('timeout', `${at} did not respond within ${timeoutMs / 1000} s.`, { cause: error })
  }
  const reason = REASONS[code] ?? networkReason(error, code)
  if (reason === undefined) return error
  return new ServiceError('network', `${at} cannot be reached: ${reason}.`, {
    suggestions: ['Check the base URL and whether the server is running.'],
    cause: error,
  })
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed',
}

/** Returns the reason for a group of error codes; undefined if the error does not come from the network. */
function networkReason(error: unknown, code: string): string | undefined {
  if (error instanceof Error && error.name === 'HTTPParserError') return 'the server does not speak HTTP'
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'the TLS handshake failed'
  if (code.startsWith('ERR_TLS_') || code.includes('CERT') || code.startsWith('UNABLE_TO_')) {
    return 'its certificate is not trusted'
  }
  return undefined
}

function cancelled(cause: unknown): ServiceError {
  return new ServiceError('cancelled', 'Cancelled.', { cause })
}
