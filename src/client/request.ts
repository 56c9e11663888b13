/** Builds a call's HTTP request from the operations table: URL, headers and body. */

import type { ByteSource, Operation } from '../contract/kernel/operation.ts'
import { invalid, ServiceError } from '../core/errors.ts'
import { parseUrl } from '../core/web-host.ts'
import { findLoneSurrogate, LONE_SURROGATE_TYPE } from '../core/whole-text.ts'
import type { CallInput, CallOptions } from './client.ts'

export interface WireRequest {
  readonly method: Operation['method']
  readonly url: URL
  readonly headers: Record<string, string>
  /** JSON text; undefined if there is no JSON body. The sender opens upload bodies. */
  readonly json: string | undefined
  readonly upload: ByteSource | undefined
}

export interface WireOptions {
  readonly baseUrl: URL
  readonly apiKey: string | null
  readonly headerPrefix: string
}

/**
 * Builds the request. Throws ServiceError `invalid_api_key` if the operation needs a key and none is set, and `invalid_request` for text
 * that a URL cannot contain.
 */
export function wireRequest(operation: Operation, given: CallInput, call: CallOptions, wire: WireOptions): WireRequest {
  refuseLoneSurrogates(given)
  // these fields are also declared as query parameters, and an older server reads only those
  const input = operation.bodyFromQuery ? { ...given, query: { ...given.query, ...asFields(given.body) } } : given
  const sendsJson = operation.body !== undefined && !operation.bodyIsBytes && !operation.bodyFromQuery
  const json = sendsJson ? JSON.stringify(input.body ?? null) : undefined
  const headers: Record<string, string> = {
    accept: spellMediaType(call.accept ?? operation.repliesBytes ?? 'application/json', 'service', wire.headerPrefix),
    ...credentials(operation, call, wire),
    ...ownHeaders(call),
  }
  if (json !== undefined) headers['content-type'] = 'application/json'
  if (operation.bodyIsBytes) headers['content-type'] = 'application/octet-stream'
  return {
    method: operation.method,
    url: requestUrl(operation, input, wire.baseUrl),
    headers,
    json,
    upload: operation.bodyIsBytes ? (input.body as ByteSource) : undefined,
  }
}

/**
 * Throws for text that a URL cannot contain, because it would arrive as different text. JSON can contain such text, which the server then
 * refuses.
 */
function refuseLoneSurrogates({ params, query }: CallInput): void {
  for (const [location, fields] of Object.entries({ path: params, query })) {
    const surrogate = findLoneSurrogate(fields)
    if (surrogate !== null)
      throw invalid([{ loc: [location, ...surrogate.path], msg: surrogate.msg, type: LONE_SURROGATE_TYPE }])
  }
}

function ownHeaders({ headers = {} }: CallOptions): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerValue(value, name)]))
}

/**
 * Returns the header with the key or token. Link operations send only the link token, because a key sent with it would also have to be
 * valid. See docs/interface/README.md#interface-6.
 */
function credentials(operation: Operation, call: CallOptions, wire: WireOptions): Record<string, string> {
  if (operation.auth === 'none') return {}
  if (operation.auth === 'link_token' && call.linkToken !== undefined) {
    return { [`x-${wire.headerPrefix}-link-token`]: headerValue(call.linkToken, 'link token') }
  }
  if (wire.apiKey === null) {
    throw new ServiceError('invalid_api_key', 'This call needs an API key, but none is set.', {
      suggestions: ['Set one with `svc profile add` or SVC_API_KEY.'],
    })
  }
  return { [`x-${wire.headerPrefix}-api-key`]: wire.apiKey }
}

/** Returns the secret itself. Throws ServiceError `usage` if a header cannot contain it. The message never repeats the value. */
export function headerValue(secret: string, name: string): string {
  if (/^[\x21-\x7e]+$/.test(secret)) return secret
  throw new ServiceError(
    'usage',
    `The ${name} cannot be sent in a header. Use printable ASCII without spaces or line breaks.`,
  )
}

function requestUrl(operation: Operation, input: CallInput, baseUrl: URL): URL {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    segment(String(input.params?.[name] ?? ''), name),
  )
  const url = new URL(baseUrl)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  for (const [name, value] of Object.entries(input.query ?? {})) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) url.searchParams.append(name, String(item))
    }
  }
  return url
}

/** Encodes a path segment. Refuses `.` and `..`, which would change the path even when encoded. */
function segment(value: string, name: string): string {
  if (value !== '' && value !== '.' && value !== '..') return encodeURIComponent(value)
  throw new ServiceError(
    'usage',
    `${name} must not be ${value === '' ? 'empty' : `"${value}"`} because it is part of the path.`,
  )
}

function asFields(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}

/** Replaces the prefix in `application/vnd.service.…` with the prefix of a server that uses other header names, or vice versa. */
export function spellMediaType(text: string, from: string, to: string): string {
  return text.replaceAll(`application/vnd.${from}.`, `application/vnd.${to}.`)
}

/** Parses a base URL. Throws ServiceError `usage` if it is invalid. */
export function parseBaseUrl(text: string): URL {
  const url = parseUrl(text)
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash) return url
  throw new ServiceError('usage', 'The base URL is invalid.', {
    suggestions: ['Use an http or https URL without credentials, query or fragment, such as http://127.0.0.1:8123.'],
  })
}

/** Returns the prefix in lower case. Throws ServiceError `usage` if a header name cannot contain it. */
export function parseHeaderPrefix(text: string): string {
  const prefix = text.toLowerCase()
  if (/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/.test(prefix)) return prefix
  throw new ServiceError(
    'usage',
    'The header prefix must have 1 to 32 letters, digits and hyphens, and must not begin or end with a hyphen. Example: "service".',
  )
}
