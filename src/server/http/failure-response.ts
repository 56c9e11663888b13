/** Builds a failure's response and log lines. Neither contains a value from the request. */

import type { ErrorCode } from '../../core/error-catalogue.ts'
import { stackLines } from '../../core/error-text.ts'
import { ServiceError } from '../../core/errors.ts'

/** Header with the error code. With it, a client reports the same error as the embedded engine. */
export const ERROR_CODE_HEADER = 'x-svc-error-code'

export interface FailureResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  /** The code for the access log. */
  readonly code: string
  /** Log lines about an internal error: error types and code positions, without messages. */
  readonly report: readonly string[]
}

/** Retry-After by status. A full disk takes longer, because someone has to free space. */
const RETRY_AFTER_SECONDS: Readonly<Record<number, number>> = { 503: 1, 507: 30 }

/** Returns the response to any error thrown while a request was handled. */
export function failureResponse(error: unknown, requestId: string): FailureResponse {
  if (error instanceof ServiceError && error.status !== null) {
    const seconds = RETRY_AFTER_SECONDS[error.status]
    const retry: Record<string, string> = seconds === undefined ? {} : { 'retry-after': `${seconds}` }
    return {
      status: error.status,
      headers: { ...retry, ...error.headers, [ERROR_CODE_HEADER]: error.code },
      body: error.body,
      code: error.code,
      report: [],
    }
  }
  const http = httpRefusal(error)
  if (http !== undefined) return http
  return {
    status: 500,
    headers: { [ERROR_CODE_HEADER]: 'server_failed' },
    body: { detail: 'Internal Server Error', request_id: requestId },
    code: error instanceof ServiceError ? error.code : 'server_failed',
    report: stackLines(error),
  }
}

/**
 * Returns the response to requests that the HTTP layer itself refuses, such as malformed media types and URLs. The framework's own messages
 * may quote the request, so they are replaced.
 */
function httpRefusal(error: unknown): FailureResponse | undefined {
  const { statusCode, code } = (typeof error === 'object' && error !== null ? error : {}) as {
    statusCode?: unknown
    code?: unknown
  }
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined
  if (typeof code !== 'string' || !code.startsWith('FST_')) return undefined
  const { detail, name } = HTTP_REFUSALS[statusCode] ?? { detail: 'The request is malformed.' }
  const headers: Record<string, string> = name === undefined ? {} : { [ERROR_CODE_HEADER]: name }
  return { status: statusCode, headers, body: { detail }, code: name ?? code, report: [] }
}

const HTTP_REFUSALS: Readonly<Record<number, { readonly detail: string; readonly name?: ErrorCode }>> = {
  400: { detail: 'The request is malformed. Check its path, length and encoding.', name: 'bad_request' },
  413: { detail: 'The request body is larger than the limit.', name: 'body_too_large' },
  414: { detail: 'The path is too long.', name: 'uri_too_long' },
  415: { detail: 'The Content-Type header is not a media type.', name: 'unsupported_media_type' },
}
