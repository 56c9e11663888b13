/** Answers to scripts of other sites: none may read anything, unless the server was told which. */
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../core/errors.ts'

const METHODS = 'GET, POST, PATCH, PUT, DELETE'
const EXPOSED = 'x-request-id, x-svc-error-code, x-idempotent-replayed, retry-after, deprecation, sunset, svc-fault'
/** How long a browser keeps the answer to its question. */
const MAX_AGE_SECONDS = 600

/** Throws ServiceError `usage` for what is no origin; `*` is any. */
export function parseOrigins(given: readonly string[]): ReadonlySet<string> {
  for (const origin of given) {
    const isOrigin = URL.canParse(origin) && new URL(origin).origin === origin && /^https?:/.test(origin)
    if (isOrigin || origin === '*') continue
    throw new ServiceError('usage', 'An origin for --cors is scheme, host and port alone, or * for any.', {
      suggestions: ['As in https://app.example.com or http://localhost:3000, without a slash at the end.'],
    })
  }
  return new Set(given)
}

/** Cookies are never sent or taken: keys and tokens come in headers, which a script must hold itself. */
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
