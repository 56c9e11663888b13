/** Limits that apply before a request is handled: number of connections, sizes, and arrival times. See docs/serve.md#limits. */
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.ts'

/** Maximum size of the request line and all headers. */
export const MAX_HEADER_BYTES = 32 * 1024
const MAX_HEADERS = 100
/** Maximum length of a path parameter, enough for a client_user_id of 512 characters, percent-encoded, in any script. */
export const MAX_PARAM_CHARACTERS = 8 * 1024
const MAX_PATH_CHARACTERS = 10 * 1024
const MAX_QUERY_CHARACTERS = 8 * 1024
/** Time limit for the headers to arrive. */
export const HEADERS_TIMEOUT_MS = 15_000
/** How often connections are checked for late requests. */
export const LATENESS_LOOK_MS = 250
/** Time limit for a complete request to arrive, long enough to upload a large export. */
export const REQUEST_TIMEOUT_MS = 3_600_000
/** Time limit for a complete JSON body to arrive. */
export const JSON_BODY_TIMEOUT_MS = 30_000
/** Maximum time between two pieces of an upload. */
export const UPLOAD_STALL_MS = 120_000
/** Maximum time that a response waits for a client that does not read it. */
export const RESPONSE_STALL_MS = 120_000
/** How long an idle connection stays open: longer than most proxies keep idle connections to a server open. */
export const KEEP_ALIVE_MS = 65_000
export const MAX_CONNECTIONS = 2_000
/**
 * Maximum number of connections per client address once more than half of all connections are in use. It also limits the concurrent
 * requests of a client behind a proxy.
 */
export const MAX_CONNECTIONS_PER_ADDRESS = 250
/** Maximum number of concurrent TLS handshakes, and the time limit for each. */
export const MAX_HANDSHAKES = 1_000
export const HANDSHAKE_TIMEOUT_MS = 10_000

/** Refuses a malformed request. Throws ServiceError `uri_too_long`, `headers_too_large` or `bad_request`. */
export function refuseMalformed({ raw }: FastifyRequest): void {
  const url = raw.url ?? ''
  const at = url.indexOf('?')
  const pathLength = at < 0 ? url.length : at
  if (pathLength > MAX_PATH_CHARACTERS) throw tooLong('path', MAX_PATH_CHARACTERS)
  if (url.length - pathLength > MAX_QUERY_CHARACTERS) throw tooLong('query', MAX_QUERY_CHARACTERS)
  if (raw.rawHeaders.length > 2 * MAX_HEADERS) {
    throw new ServiceError('headers_too_large', `The request has more than ${MAX_HEADERS} headers.`)
  }
  refuseHosts(raw.rawHeaders)
}

/** Refuses more than one Host header, because a proxy and this server could each use a different one. */
function refuseHosts(headers: readonly string[]): void {
  let hosts = 0
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts < 2) return
  throw new ServiceError('bad_request', 'The request has more than one Host header. Send exactly one.', {
    headers: { connection: 'close' },
  })
}

function tooLong(what: string, most: number): ServiceError {
  return new ServiceError('uri_too_long', `The ${what} is longer than ${most} characters.`)
}
