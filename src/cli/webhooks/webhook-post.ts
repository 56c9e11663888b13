/** Posts webhooks from the command line to the user's own handler, and reports the answer, its duration, or why there was none. */
import type { Readable } from 'node:stream'
import { causeCode } from '../../client/retry.ts'
import { failureWords } from '../../delivery/failure-words.ts'
import { askedFor } from '../../delivery/schedule.ts'
import { ANSWER_MS } from '../../delivery/sender.ts'
import { checkedConnector, refuseTarget } from '../../delivery/target.ts'

const CONNECT_MS = 10_000
/** Longer or slower answers are not read to their end: status and headers say enough. */
const ANSWER_LIMIT_BYTES = 64 * 1024
const ANSWER_BODY_MS = 1_000
/** Part of the answer that is kept for a person to read. */
const KEPT_BYTES = 4 * 1024

export interface WebhookPost {
  readonly method?: 'POST' | 'GET'
  readonly headers: Readonly<Record<string, string>>
  /** A body in pieces needs a `content-length` header. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>
  /** Cancels the post; the promise then rejects with the reason of the signal. */
  readonly signal?: AbortSignal
}

/** Why there was no answer: no connection, closed too early, too slow, or something else. */
export type PostFailure = 'unreachable' | 'closed' | 'timeout' | 'other'

/** The result of a post. */
export interface PostOutcome {
  /** Null when there was no answer; `error` says why. */
  readonly status: number | null
  readonly error: string | null
  readonly failure: PostFailure | null
  readonly ms: number
  /** Wait that an answer 429 or 503 asks for. */
  readonly retryAfterMs: number | null
  /** The first 4 KiB of the answer's body. */
  readonly answer: string
}

export interface WebhookPoster {
  post(request: WebhookPost): Promise<PostOutcome>
  close(): Promise<void>
}

/**
 * `answerMs` is the maximum wait for the head of an answer. Each post uses its own connection, because a handler may restart at any time.
 * Throws ServiceError `usage` for a URL that webhooks cannot go to.
 */
export async function openPoster(
  url: string,
  options: { readonly allowPrivate: boolean; readonly answerMs?: number },
): Promise<WebhookPoster> {
  const { answerMs = ANSWER_MS } = options
  // Loopback is allowed, because the user runs the command on this machine.
  const target = { allowPrivate: options.allowPrivate, allowLoopback: true }
  refuseTarget(url, target)
  const { Agent, request } = await import('undici')
  const connect = await checkedConnector(target, { timeout: Math.min(CONNECT_MS, answerMs) })
  const dispatcher = new Agent({ pipelining: 0, connect })
  return {
    async post({ method = 'POST', headers, body, signal }) {
      const begunAt = performance.now()
      const took = () => Math.round(performance.now() - begunAt)
      const limit = AbortSignal.timeout(answerMs)
      try {
        const answer = await request(url, {
          method,
          headers,
          body: method === 'GET' ? null : (body as Uint8Array),
          dispatcher,
          signal: signal ? AbortSignal.any([limit, signal]) : limit,
          headersTimeout: answerMs,
          bodyTimeout: answerMs,
        })
        const ms = took()
        const { statusCode: status, headers: head } = answer
        const retryAfter = status === 429 || status === 503 ? head['retry-after'] : null
        return {
          status,
          error: null,
          failure: null,
          ms,
          retryAfterMs: typeof retryAfter === 'string' ? askedFor(retryAfter, Date.now()) : null,
          answer: await beginning(answer.body),
        }
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        const failure = failureOf(error)
        return {
          status: null,
          error: failureText(error, failure, answerMs),
          failure,
          ms: took(),
          retryAfterMs: null,
          answer: '',
        }
      }
    },
    close: () => dispatcher.destroy(),
  }
}

async function beginning(body: Readable): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Destroying the body emits an error only if someone listens.
  body.on('error', () => {})
  const timer = setTimeout(() => body.destroy(), ANSWER_BODY_MS)
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      if (size < KEPT_BYTES) chunks.push(chunk)
      size += chunk.length
      if (size >= ANSWER_LIMIT_BYTES) break
    }
  } catch {
    // Keep what arrived so far.
  } finally {
    clearTimeout(timer)
    body.destroy()
  }
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString('utf8')
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
])

const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])
const TIMEOUTS: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

function failureOf(error: unknown): PostFailure {
  const code = causeCode(error)
  if (UNREACHABLE.has(code)) return 'unreachable'
  if (CLOSED.has(code)) return 'closed'
  const isTimer = error instanceof Error && error.name === 'TimeoutError'
  return isTimer || TIMEOUTS.has(code) ? 'timeout' : 'other'
}

function failureText(error: unknown, failure: PostFailure, answerMs: number): string {
  if (failure === 'timeout') return `no answer within ${answerMs / 1_000} s`
  // the parser's own errors have no code
  const isParser = error instanceof Error && error.name === 'HTTPParserError'
  return isParser ? 'the target does not speak HTTP' : failureWords(error)
}
