/** The HTTP application: Fastify routes from the operations table, with the headers, refusals and log lines that all responses share. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import type { TeamId } from '../../core/ids.ts'
import type { EngineContext } from '../../engine/context.ts'
import type { SnapshotSharing } from '../../store/sharing.ts'
import { boundUnread, inviteWhenRead, isUnread } from '../bodies/unread.ts'
import { Callers } from '../connections/callers.ts'
import type { ClientAddresses } from '../connections/client-address.ts'
import { addConsole } from '../console/console.ts'
import { addLandingPage } from '../console/landing-page.ts'
import type { ConsoleOptions } from '../console/options.ts'
import type { ServedConsole } from '../console/served.ts'
import { addFaults, type FaultOptions } from '../faults/faults.ts'
import type { DiskWatch } from '../guards/disk-watch.ts'
import {
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  LATENESS_LOOK_MS,
  MAX_HEADER_BYTES,
  MAX_PARAM_CHARACTERS,
  REQUEST_TIMEOUT_MS,
  refuseMalformed,
} from '../guards/limits.ts'
import { addHealth, type HealthOptions } from '../observability/health.ts'
import type { ServerLog } from '../observability/log.ts'
import { addPages, type PageOptions } from '../pages/pages.ts'
import { closeMalformed } from './client-error.ts'
import { addCors } from './cors.ts'
import { failureResponse } from './failure-response.ts'
import { BUFFERED_BYTES, closeWhenUnread, jsonSender } from './json-sender.ts'
import { addNotifications, type NotificationOptions } from './notifications.ts'
import { addRoutes, allowedMethods, type RouteOptions } from './routes.ts'
import { secureTransport, type TlsPair } from './tls.ts'

export interface AppOptions extends Omit<RouteOptions, 'sendJson'>, PageOptions, HealthOptions, NotificationOptions {
  readonly sharing: SnapshotSharing
  readonly log: ServerLog
  readonly faults: FaultOptions
  readonly clients: ClientAddresses
  readonly disk: DiskWatch
  /** Origins whose scripts may read responses; see cors.ts. */
  readonly origins: ReadonlySet<string>
  readonly tls: TlsPair | null
  /** Null if the console is not served. */
  readonly console: (ServedConsole & Pick<ConsoleOptions, 'onError'>) | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address, which may come from a trusted proxy. */
    clientAddress: string
    /** Stops counting the request towards its client's limit, because a stream may stay open for hours. */
    leaveShare: () => void
  }
  interface FastifyReply {
    /** The route's template, if its handler set it, because the framework rebuilds the template on every read. */
    template: string
    /** The team for which the request is counted, if any. */
    countedTeam: TeamId | undefined
    /** The error code that was sent, if the request was refused. */
    refusal: string | undefined
    /** Whether the response has only the common headers and an unchanged body. Code that adds anything sets this to false. */
    isPlain: boolean
    /** Whether this is an empty response to a client that polls. Such responses are not logged. */
    isUneventful: boolean
  }
}

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { default: fastify } = await import('fastify')
  const { log, metrics, sharing } = options
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const response = failureResponse(error, request.id)
    reply.refusal = response.code
    options.disk.report(error)
    if (response.report.length > 0 && !reply.raw.destroyed) log.failure(request.id, response.report)
    return reply
      .code(response.status)
      .headers(response.headers)
      .type('application/json')
      .send(JSON.stringify(response.body))
  }
  const headers = commonHeaders(options.tls !== null)
  const setCommonHeaders = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.header('x-request-id', request.id).headers(headers)
  }
  const newId = requestIds()

  const transport = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: LATENESS_LOOK_MS,
  }
  const { tls } = options
  const app = fastify({
    ...(tls ? { https: { ...transport, ...secureTransport(tls) } } : { http: transport }),
    logger: false,
    genReqId: request => givenId(request as IncomingMessage) ?? newId(),
    requestIdHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    // requests on open connections still receive a response; the connection then closes
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_CHARACTERS },
    clientErrorHandler: closeMalformed,
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply)
      fail(error, request, reply)
    },
  }) as FastifyInstance
  const callers = new Callers(app.server, options.clients, { isTls: tls !== null, note: log.note })
  inviteWhenRead(app.server)
  app.decorateRequest('clientAddress', '')
  app.decorateRequest('leaveShare', function leaveShare(this: FastifyRequest): void {
    callers.leftShare(this.raw, this.clientAddress)
  })
  app.decorateReply('template', '')
  app.decorateReply('countedTeam', undefined)
  app.decorateReply('refusal', undefined)
  app.decorateReply('isPlain', true)
  app.decorateReply('isUneventful', false)

  // every body stays a stream: JSON operations read it up to a limit, and uploads pass it on
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  app.addHook('onRequest', (request, reply, done) => {
    // a TLS request may have waited in a buffer
    if (!tls) sharing.shareSnapshot(request.raw.socket)
    setCommonHeaders(request, reply)
    boundUnread(request.raw, reply.raw)
    // read now: later, the connection and its address may be gone
    const { socket } = request.raw
    const address = callers.began(request.raw)
    request.clientAddress = address
    const began = performance.now()
    metrics.began()
    // the event is emitted only once anyway, and `once` would cost another function
    reply.raw.on('close', () => {
      callers.ended(request.raw, socket, address)
      const ms = performance.now() - began
      const { method } = request
      const route = reply.template || routeName(request)
      const status = reply.raw.writableFinished ? reply.raw.statusCode : null
      metrics.ended(method, route, status, ms)
      if (reply.countedTeam !== undefined && status !== null) countRequest(options.engine, reply.countedTeam, status)
      if (reply.isUneventful && status !== null) return
      log.request({ requestId: request.id, method, route, status, code: reply.refusal, ms, address })
    })
    try {
      refuseMalformed(request)
      callers.refuseOverShare(address)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  addCors(app, options.origins)
  addFaults(app, options.faults)
  app.addHook('onSend', (request, reply, payload, done) => {
    if (options.isClosing() || isUnread(request.raw)) reply.header('connection', 'close')
    if (typeof payload !== 'string' || payload.length > BUFFERED_BYTES) closeWhenUnread(reply)
    done()
  })
  app.setErrorHandler(fail)
  app.setNotFoundHandler((request, reply) => {
    const methods = allowedMethods(request.raw.url ?? '/', options.console !== null)
    const refusal =
      methods.length === 0 || methods.includes(request.method)
        ? new ServiceError('not_found', 'Not Found')
        : new ServiceError('method_not_allowed', 'Method Not Allowed', { headers: { allow: methods.join(', ') } })
    fail(refusal, request, reply)
  })

  addLandingPage(app, options)
  if (options.console) addConsole(app, options.console.assets, { ...options, ...options.console })
  addPages(app, options)
  addHealth(app, options)
  addNotifications(app, options)
  addRoutes(app, {
    ...options,
    cookie: options.console?.cookie,
    sendJson: jsonSender({ headers, isClosing: options.isClosing, sharing }),
  })
  await app.ready()
  return app
}

function countRequest({ count }: EngineContext, teamId: TeamId, status: number): void {
  const name = status < 400 ? 'requests_2xx' : status < 500 ? 'requests_4xx' : 'requests_5xx'
  count?.({ teamId, name, subject: '', n: 1 })
}

/** Forbids sniffing, caching, framing and referrers, and prevents other sites' scripts from reading responses. */
function commonHeaders(isTls: boolean): Readonly<Record<string, string>> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...(isTls ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

const SANE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** Returns the caller's own request ID, if it is safe to log. */
function givenId({ headers }: IncomingMessage): string | undefined {
  const given = headers['x-request-id']
  return typeof given === 'string' && SANE_ID.test(given) ? given : undefined
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
/** Number of request IDs generated from one UUID. */
const IDS_OF_UUID = 2 ** 24

/** Returns a generator of request IDs: a random UUID whose last three bytes are incremented until all values are used. */
function requestIds(): () => string {
  let prefix = ''
  let count = 0
  let left = 0
  return () => {
    if (left === 0) {
      const uuid = randomUUID()
      prefix = `req_${uuid.slice(0, -6)}`
      count = Number.parseInt(uuid.slice(-6), 16)
      left = IDS_OF_UUID
    }
    left--
    count = (count + 1) % IDS_OF_UUID
    return `${prefix}${BYTES[count >> 16]}${BYTES[(count >> 8) & 0xff]}${BYTES[count & 0xff]}`
  }
}

/** Returns the route's template: the path itself contains IDs, and the query may contain a token. */
function routeName(request: FastifyRequest): string {
  return request.routeOptions.url ?? '(no such path)'
}
