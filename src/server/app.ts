/** The HTTP application: Fastify over the operations table, with the headers, refusals and log lines that all answers share. */
import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../core/errors.ts'
import type { EngineContext } from '../engine/context.ts'
import { failureAnswer } from './answer.ts'
import { addPages } from './pages.ts'
import { addRoutes, methodsOf } from './routes.ts'
import type { Spelling } from './spelling.ts'

export interface AppOptions {
  readonly engine: EngineContext
  readonly spelling: Spelling
  readonly version: string
  readonly log: (line: string) => void
  readonly track: (running: Promise<unknown>) => void
  readonly isClosing: () => boolean
}

/** Longest path parameter, percent-encoded: a client_user_id of 512 characters fits in any script. */
const MAX_PARAM_CHARACTERS = 8 * 1024
/** A request that takes longer to arrive is cut off; an upload of a large export fits. */
const REQUEST_TIMEOUT_MS = 3_600_000

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { default: fastify } = await import('fastify')
  const { log } = options
  const codes = new WeakMap<object, string>()

  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const answer = failureAnswer(error, request.id)
    codes.set(reply.raw, answer.code)
    if (answer.report.length > 0 && !reply.raw.destroyed) log([`failed ${request.id}`, ...answer.report].join('\n'))
    return reply.code(answer.status).headers(answer.headers).type('application/json').send(JSON.stringify(answer.body))
  }

  const app = fastify({
    logger: false,
    genReqId: () => `req_${randomUUID()}`,
    requestIdHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_CHARACTERS },
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply)
      fail(error, request, reply)
    },
  })

  // every body stays a stream: JSON operations read it bounded, uploads hand it on
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  app.addHook('onRequest', async (request, reply) => {
    setCommonHeaders(request, reply)
    const began = performance.now()
    reply.raw.once('close', () => {
      const status = reply.raw.writableFinished ? `${reply.raw.statusCode}` : 'closed by the caller'
      const words = [request.method, routeOf(request), status, codes.get(reply.raw)]
      log(`${words.filter(Boolean).join(' ')} ${(performance.now() - began).toFixed(1)} ms ${request.id}`)
    })
  })
  app.addHook('onSend', async (_request, reply) => {
    if (options.isClosing()) reply.header('connection', 'close')
  })
  app.setErrorHandler(fail)
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(request.raw.url ?? '/')
    const refusal =
      methods.length === 0 || methods.includes(request.method)
        ? new ServiceError('not_found', 'Not Found')
        : new ServiceError('method_not_allowed', 'Method Not Allowed', { headers: { allow: methods.join(', ') } })
    fail(refusal, request, reply)
  })

  addPages(app, options)
  addRoutes(app, options)
  await app.ready()
  return app
}

/** No sniffing, no caching, no referrer, and no header that would let another site's script read an answer. */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
}

/** The route's template: a path itself holds ids, and a query may hold a token. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? '(no such path)'
}
