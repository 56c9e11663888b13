/** The server's routes, generated from the operations table. See docs/architecture.md. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation, Reply } from '../../contract/kernel/operation.ts'
import { type OperationId, operationIds, operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { type EngineRequest, runOperation } from '../../engine/engine.ts'
import { type CallBody, type CallBodyOptions, receive } from '../bodies/call-body.ts'
import { CONSOLE_ROUTES } from '../console/console.ts'
import { requireCsrfToken, type SessionCookie } from '../console/cookie.ts'
import type { GuessLimit } from '../guards/guess-limit.ts'
import type { RateLimit } from '../guards/rate-limit.ts'
import { HEALTH_PATHS } from '../observability/health.ts'
import { PAGE_ROUTES } from '../pages/pages.ts'
import { runGuarded } from '../threads/guarded-call.ts'
import type { HeaderPrefixes } from './header-prefix.ts'
import type { JsonSender } from './json-sender.ts'
import { NOTIFICATION_METHODS, NOTIFICATION_PATH } from './notifications.ts'

export interface RouteOptions extends CallBodyOptions {
  readonly prefixes: HeaderPrefixes
  readonly rates: RateLimit
  readonly guesses: GuessLimit
  /** Called with every running call, so that the server can wait for it when closing. */
  readonly track: (running: Promise<unknown>) => void
  readonly sendJson: JsonSender
  /** Absent if the console is not served; cookies are then ignored. */
  readonly cookie?: SessionCookie | undefined
}

export function addRoutes(app: FastifyInstance, options: RouteOptions): void {
  for (const id of operationIds) {
    const operation: Operation = operations[id]
    const url = operation.path.replace(/\{(\w+)\}/g, ':$1')
    app.route({
      method: operation.method,
      url,
      handler: (request, reply) => {
        reply.template = url
        const running = handle(id, operation, request, reply, options)
        options.track(running)
        return running
      },
    })
  }
}

async function handle(
  id: OperationId,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RouteOptions,
): Promise<unknown> {
  const { engine, prefixes, rates, guesses } = options
  const { headers, clientAddress: address } = request
  const { params, query, body: stream } = request as { params: Fields; query: Fields; body: Readable | undefined }
  const apiKey = prefixes.header(headers, 'api-key')
  const linkToken = prefixes.header(headers, 'link-token')
  const session = apiKey === null && linkToken === null ? (options.cookie?.read(headers) ?? null) : null
  if (session !== null) requireCsrfToken(operation.method, headers, session)
  const body = await receive(id, stream, headers, options)
  const engineRequest = new RoutedRequest(
    { params, query, body: body?.input, headers },
    { kind: 'headers', apiKey, linkToken, session },
    prefixes.accept(headers.accept),
    caller => {
      // the console's own requests are not counted, because they would raise the figures that they show
      reply.countedTeam = session === null ? caller.team?.teamId : undefined
      rates.admit(caller)
      const leave = rates.enter(caller)
      if (leave) whenOver(reply, leave)
    },
    reply,
    body?.elsewhere,
  )
  const call = { id, address, apiKey, linkToken }
  const running = runGuarded(guesses, call, () => runOperation(engine, id, engineRequest))
  const result = await running.finally(() => body?.release?.())
  if (operation.isPolled) reply.isUneventful = bringsNothing(result)
  return send(result, reply, options, headers.accept)
}

/** Maximum size of a response that contains only a cursor and no data, in bytes. */
const MOST_NOTHING_BYTES = 4_096

function bringsNothing(result: Reply<unknown>): boolean {
  if (result.kind !== 'json' || (result.wireBytes ?? 0) > MOST_NOTHING_BYTES) return false
  const { data } = result.body as { readonly data?: unknown }
  return Array.isArray(data) && data.length === 0
}

type Fields = Readonly<Record<string, unknown>>

/** A request to the engine. This is a class, because an object literal with a getter is built one property at a time. */
class RoutedRequest implements EngineRequest {
  readonly input: EngineRequest['input']
  readonly credentials: EngineRequest['credentials']
  readonly accept: string
  readonly admit: NonNullable<EngineRequest['admit']>
  readonly elsewhere: EngineRequest['elsewhere']
  private readonly reply: FastifyReply
  private leaving: AbortSignal | undefined

  constructor(
    input: EngineRequest['input'],
    credentials: EngineRequest['credentials'],
    accept: string,
    admit: NonNullable<EngineRequest['admit']>,
    reply: FastifyReply,
    elsewhere: CallBody['elsewhere'],
  ) {
    this.input = input
    this.credentials = credentials
    this.accept = accept
    this.admit = admit
    this.elsewhere = elsewhere && (caller => elsewhere(this, caller))
    this.reply = reply
  }

  get signal(): AbortSignal {
    this.leaving ??= whenCallerLeaves(this.reply)
    return this.leaving
  }
}

function send(
  result: Reply<unknown>,
  reply: FastifyReply,
  { prefixes, sendJson }: RouteOptions,
  engineRequest: string | undefined,
): unknown {
  if (result.kind === 'json') return sendJson(reply, result)
  reply.code(result.status).headers(result.headers)
  if (result.kind === 'empty') return ''
  reply.type(prefixes.mediaType(result.mediaType, engineRequest))
  const { bytes } = result
  return bytes instanceof Uint8Array
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : Readable.from(bytes, { objectMode: false })
}

/** Calls `then` when the response is sent or the caller has disconnected. */
function whenOver({ raw }: FastifyReply, then: () => void): void {
  if (raw.destroyed) then()
  else raw.once('close', then)
}

/** Returns a signal that aborts if the connection closes before the response is sent, because the result is no longer needed. */
function whenCallerLeaves(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const abort = (): void => {
    if (reply.raw.writableFinished) return
    controller.abort(new ServiceError('cancelled', 'The caller closed the connection.'))
  }
  if (reply.raw.destroyed) abort()
  else reply.raw.once('close', abort)
  return controller.signal
}

const ROUTED: readonly { readonly method: string; readonly segments: readonly string[] }[] = [
  ...operationIds.map(id => ({ method: operations[id].method as string, segments: operations[id].path.split('/') })),
  ...PAGE_ROUTES.map(({ method, path }) => ({ method: method as string, segments: path.split('/') })),
  { method: 'GET', segments: ['', ''] },
  ...NOTIFICATION_METHODS.map(method => ({ method: method as string, segments: NOTIFICATION_PATH.split('/') })),
  ...HEALTH_PATHS.map(path => ({ method: 'GET', segments: path.split('/') })),
]

const CONSOLE_ROUTED: typeof ROUTED = CONSOLE_ROUTES.map(({ method, path }) => ({ method, segments: path.split('/') }))

/** Returns the methods that a path accepts; empty if the path does not exist. */
export function allowedMethods(url: string, hasConsole: boolean): string[] {
  const [path = ''] = url.split('?', 1)
  const segments = path.replace(/(.)\/$/, '$1').split('/')
  const fits = (routed: (typeof ROUTED)[number]): boolean =>
    routed.segments.length === segments.length &&
    routed.segments.every((segment, i) => segment === segments[i] || (segment.startsWith('{') && segments[i] !== ''))
  const all = hasConsole ? [...ROUTED, ...CONSOLE_ROUTED] : ROUTED
  return [...new Set(all.filter(fits).map(routed => routed.method))].sort()
}
