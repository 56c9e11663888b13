/** Decides whether and when to retry a call, with jitter, and respects Retry-After. */
import { ServiceError } from '../core/errors.ts'

export interface RetryPolicy {
  /** Number of attempts after the first one. */
  readonly retries: number
  /** Returns a number in [0, 1), with which many callers' waits are spread. */
  readonly random: () => number
  readonly now: () => number
  /** Resolves after the time, or rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

const FIRST_WAIT_MS = 250
const MOST_WAIT_MS = 60_000

/**
 * Runs a call and retries it while the failure is temporary: the server could not be reached, or responded with 429 or 503. Use this only
 * for calls that can safely be repeated.
 */
export async function withRetries<T>(
  run: () => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt >= policy.retries || !passes(error)) throw error
      await policy.sleep(waitMs(error, attempt, policy), signal)
    }
  }
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
])

function passes(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false
  if (error.code === 'network') return UNREACHABLE.has(causeCode(error.cause))
  return error.status === 429 || error.status === 503
}

/** Returns the code of a system or client library error, or the code of the first error inside an AggregateError. */
export function causeCode(error: unknown): string {
  const { code, errors } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown
    errors?: unknown
  }
  if (typeof code === 'string') return code
  return Array.isArray(errors) && errors.length > 0 ? causeCode(errors[0]) : ''
}

/**
 * Returns the delay that the server requests, or else a delay that doubles each time, plus or minus 20 % so that callers do not all retry
 * at once.
 */
function waitMs(error: ServiceError, attempt: number, policy: RetryPolicy): number {
  const retryAfter = retryAfterMs(error.headers['retry-after'], policy.now())
  if (retryAfter !== undefined) return Math.min(retryAfter, MOST_WAIT_MS)
  return FIRST_WAIT_MS * 2 ** attempt * (0.8 + 0.4 * policy.random())
}

/** Converts `Retry-After`, given in seconds or as an HTTP date, to milliseconds. */
function retryAfterMs(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
