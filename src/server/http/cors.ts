/** Handles requests from other sites' scripts, which cannot read responses unless the server allows their origin. */

import type { FastifyInstance } from 'fastify'
import { WARNINGS_HEADER } from '../../contract/aggregates/warnings-header.ts'
import { ServiceError } from '../../core/errors.ts'
import { parseUrl } from '../../core/web-host.ts'

const METHODS = 'GET, POST, PATCH, PUT, DELETE'
const EXPOSED = `x-request-id, x-svc-error-code, ${WARNINGS_HEADER}, x-idempotent-replayed, retry-after, deprecation, sunset, svc-fault`
/** How many seconds a browser may cache the response to a preflight request. */
const MAX_AGE_SECONDS = 600

/** Parses the allowed origins. Throws ServiceError `usage` for text that is not an origin. `*` allows any origin. */
export function parseOrigins(given: readonly string[]): ReadonlySet<string> {
  for (const origin of given) {
    const isOrigin = parseUrl(origin)?.origin === origin && /^https?:/.test(origin)
    if (isOrigin || origin === '*') continue
    throw new ServiceError('usage', 'An origin for --cors must be only scheme, host and port, or * for any origin.', {
      suggestions: ['For example, use https://app.example.com or http://localhost:3000, without a slash at the end.'],
    })
  }
  return new Set(given)
}

/** Adds the CORS headers. Cookies are never sent or accepted: a script sends its own key or token in a header. */
export function addCors(app: FastifyInstance, origins: ReadonlySet<string>): void {
  if (origins.size === 0) return
  app.addHook('onRequest', async (request, reply) => {
    reply.isPlain = false
    reply.header('vary', 'origin')
    const { origin } = request.headers
    if (origin === undefined || !(origins.has('*') || origins.has(origin))) return
    reply.headers({
      'access-control-allow-origin': origins.has('*') ? '*' : origin,
      'access-control-expose-headers': EXPOSED,
      'cross-origin-resource-policy': 'cross-origin',
    })
    const asks = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (!asks) return
    reply.headers({
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
      'access-control-max-age': MAX_AGE_SECONDS,
    })
    return reply.code(204).send('')
  })
}
