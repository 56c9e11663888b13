/** Interprets an HTTP response: returns the body of a successful one, or an error that the user can act on. */

import type * as z from 'zod'
import type { Operation } from '../contract/kernel/operation.ts'
import type { OperationId } from '../contract/operations.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '../core/error-catalogue.ts'
import { describeLoc, ServiceError, type ValidationIssue } from '../core/errors.ts'
import { parseUrl } from '../core/web-host.ts'

export interface ResponseHead {
  readonly status: number
  /** Lower-case media type without parameters; empty if the response has none. */
  readonly mediaType: string
  readonly headers: Readonly<Record<string, string>>
}

const CHECK_BASE_URL = 'Check the base URL of the profile: a different service seems to be running at that URL.'

export function isJson(mediaType: string): boolean {
  return mediaType === 'application/json' || (mediaType.startsWith('application/') && mediaType.endsWith('+json'))
}

/** Returns a response's parsed JSON. Throws ServiceError `bad_response` if the body is not JSON. */
export function parseJsonResponse(text: string, head: ResponseHead, at: string): unknown {
  if (!isJson(head.mediaType)) throw notThisService(head, at)
  const parsed = tryJson(text)
  if (parsed !== undefined) return parsed
  throw new ServiceError('bad_response', `${at} responded with ${head.status} and JSON that is damaged or cut off.`, {
    suggestions: ['Try again.', CHECK_BASE_URL],
  })
}

/**
 * Throws ServiceError `bad_response` if the body is not of the kind that the operation returns, or lacks one of its lists or objects,
 * because code that reads the body would crash. Checks only the outermost level, because a page has thousands of samples, and a newer
 * server may add fields to any of them.
 */
export function checkShape(operation: Operation, body: unknown, head: ResponseHead, at: string): void {
  const problem = shapeProblem(operation.reply(), body)
  if (problem === undefined) return
  throw new ServiceError(
    'bad_response',
    `${at} responded with ${head.status} and JSON that does not come from this service: ${problem}.`,
    {
      suggestions: [CHECK_BASE_URL],
    },
  )
}

function shapeProblem(expected: z.ZodType, body: unknown): string | undefined {
  const { type } = expected.def
  if (type === 'array') return Array.isArray(body) ? undefined : 'a list was expected'
  if (type !== 'object') return undefined
  const fields = asObject(body)
  if (fields === undefined) return 'an object was expected'
  for (const [name, field] of Object.entries((expected as z.ZodObject).shape)) {
    const kind = (field as z.ZodType).def.type
    if (kind === 'array' && !Array.isArray(fields[name])) return `the list "${name}" is missing`
    if ((kind === 'object' || kind === 'record') && asObject(fields[name]) === undefined)
      return `the object "${name}" is missing`
  }
  return undefined
}

export function notThisService(head: ResponseHead, at: string): ServiceError {
  const type = head.mediaType === '' ? 'no content type' : head.mediaType
  return new ServiceError('bad_response', `${at} responded with ${head.status} and ${type} instead of JSON.`, {
    suggestions: [CHECK_BASE_URL],
  })
}

/** Returns the error for a response whose status is not 2xx. */
export function responseError(
  id: OperationId,
  operation: Operation,
  head: ResponseHead,
  text: string,
  at: string,
): ServiceError {
  const { status } = head
  if (status >= 300 && status < 400) return redirected(head, at)
  const parsed = isJson(head.mediaType) ? tryJson(text) : undefined
  const body = asObject(parsed)
  if (body === undefined) {
    // gateways send these statuses with bodies of their own
    if (status >= 500 || status === 413 || status === 429) {
      return new ServiceError(statusErrorCode(status), `${at} responded with ${status}.`, {
        status,
        headers: head.headers,
      })
    }
    return notThisService(head, at)
  }
  const clean = withoutInput(body)
  const message = errorMessage(clean) ?? `${at} responded with ${status}.`
  if (status === 404 && operation.audience === 'operator' && clean['detail'] === 'Not Found') {
    return new ServiceError(
      'unsupported_operation',
      `The server does not support this operation (${operation.method} ${operation.path}).`,
      {
        body: clean,
        suggestions: ['Use a profile whose base URL points to `svc serve`, or use the local profile.'],
      },
    )
  }
  const code = namedCode(head, status) ?? bodyErrorCode(id, clean, status)
  return new ServiceError(code, message, { status, body: clean, headers: head.headers })
}

/** Returns the error code that svc's own server sends in a header. Other servers send none. */
function namedCode(head: ResponseHead, status: number): ErrorCode | undefined {
  const name = head.headers['x-svc-error-code'] ?? ''
  if (!Object.hasOwn(ERROR_CATALOGUE, name)) return undefined
  return ERROR_CATALOGUE[name as ErrorCode].status === status ? (name as ErrorCode) : undefined
}

function bodyErrorCode(id: OperationId, body: Readonly<Record<string, unknown>>, status: number): ErrorCode {
  if (status === 400 && id === 'user.create' && 'user_id' in body) return 'client_user_id_taken'
  if (status === 400 && id === 'user.undo_delete') return 'undo_refused'
  if (status === 404 && body['detail'] === 'User not found') return 'user_not_found'
  return statusErrorCode(status)
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  401: 'invalid_api_key',
  403: 'feature_disabled',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'request_timeout',
  409: 'conflict',
  410: 'gone',
  413: 'body_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  422: 'invalid_request',
  429: 'rate_limited',
  431: 'headers_too_large',
}

function statusErrorCode(status: number): ErrorCode {
  return CODES[status] ?? (status >= 500 ? 'server_failed' : 'bad_request')
}

function redirected(head: ResponseHead, at: string): ServiceError {
  const to = head.headers['location'] ?? ''
  // a redirect's path or query may contain a token
  const origin = parseUrl(to, 'http://invalid')?.origin ?? ''
  const where = origin === '' || origin === 'http://invalid' || origin === 'null' ? 'elsewhere' : `to ${origin}`
  return new ServiceError(
    'bad_response',
    `${at} responded with ${head.status}, a redirect ${where}; redirects are not followed.`,
    {
      suggestions: ['Set the base URL to the URL that the server redirects to.'],
    },
  )
}

/**
 * Removes the input that other servers repeat in a validation response (`input`, `ctx`), so that no password or name is shown. Keeps a
 * table's columns, because the message also contains them.
 */
function withoutInput(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { detail } = body
  if (!Array.isArray(detail)) return body
  const clean = detail.map(item => {
    const issue = asObject(item)
    if (issue === undefined) return item
    const { input: _input, ctx, ...rest } = issue
    const columns = asObject(ctx)?.['columns']
    return Array.isArray(columns) ? { ...rest, ctx: { columns } } : rest
  })
  return { ...body, detail: clean }
}

function errorMessage(body: Readonly<Record<string, unknown>>): string | undefined {
  const { detail } = body
  if (typeof detail === 'string' && detail !== '') return detail
  if (Array.isArray(detail) && detail.length > 0) return detail.map(describeIssue).join('; ')
  const message = asObject(detail)?.['error_message'] ?? body['error_message'] ?? body['message'] ?? body['error']
  return typeof message === 'string' && message !== '' ? message : undefined
}

function describeIssue(item: unknown): string {
  const { loc, msg } = asObject(item) ?? {}
  const where = Array.isArray(loc) ? describeLoc(loc as ValidationIssue['loc']) : ''
  return [where, typeof msg === 'string' ? msg : 'is not valid'].filter(Boolean).join(': ')
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}
