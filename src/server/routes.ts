/** The routes of the server: one for every operation of the table, never a second list (design 2). */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation, Reply } from '../contract/operation.ts'
import { type OperationId, operationIds, operations } from '../contract/operations.ts'
import { ServiceError } from '../core/errors.ts'
import type { EngineContext } from '../engine/context.ts'
import { runOperation } from '../engine/engine.ts'
import { readJson, uploaded } from './body.ts'
import type { GuessLimit } from './guess-limit.ts'
import { HEALTH_PATHS } from './health.ts'
import { PAGE_ROUTES } from './pages.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Spelling } from './spelling.ts'

export interface RouteOptions {
  readonly engine: EngineContext
  readonly spelling: Spelling
  readonly rates: RateLimit
  readonly guesses: GuessLimit
  /** Told of every call that runs, so that closing can wait for it. */
  readonly track: (running: Promise<unknown>) => void
}

export function addRoutes(app: FastifyInstance, options: RouteOptions): void {
  for (const id of operationIds) {
    const operation: Operation = operations[id]
    app.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      handler: async (request, reply) => {
        const running = answer(id, operation, request, reply, options)
        options.track(running)
        return running
      },
    })
  }
}

async function answer(
  id: OperationId,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { engine, spelling, rates, guesses }: RouteOptions,
): Promise<unknown> {
  const { headers, ip } = request
  const apiKey = spelling.header(headers, 'api-key')
  const linkToken = spelling.header(headers, 'link-token')
  guesses.check(ip, operation.auth === 'link_token' ? linkToken : null)
  const stream = request.body as Readable | undefined
  const body = operation.bodyIsBytes
    ? { kind: 'stream', stream: uploaded(stream ?? Readable.from([])) }
    : await readJson(stream, headers)
  let signal: AbortSignal | undefined
  const running = runOperation(engine, id, {
    input: {
      params: request.params as Record<string, unknown>,
      query: request.query as Record<string, unknown>,
      body,
      headers,
    },
    credentials: {
      kind: 'headers',
      apiKey,
      linkToken,
    },
    accept: spelling.accept(headers.accept),
    get signal() {
      signal ??= whenCallerLeaves(reply)
      return signal
    },
    admit: caller => rates.admit(caller),
  })
  const result = await running.catch(error => {
    // a key that is missing is no guess
    if (error instanceof ServiceError && error.code === 'invalid_api_key' && apiKey !== null) guesses.failed(ip)
    if (error instanceof ServiceError && error.code === 'invalid_link_token')
      guesses.judge(ip, null, error.body['detail'])
    throw error
  })
  if (operation.auth === 'link_token' && result.kind === 'json') guesses.judge(ip, linkToken, result.body)
  return send(result, reply, spelling, headers.accept)
}

function send(result: Reply<unknown>, reply: FastifyReply, spelling: Spelling, asked: string | undefined): unknown {
  reply.code(result.status).headers(result.headers)
  if (result.kind === 'json') {
    reply.type('application/json')
    return JSON.stringify(result.body)
  }
  if (result.kind === 'empty') return ''
  reply.type(spelling.mediaType(result.mediaType, asked))
  const { bytes } = result
  return bytes instanceof Uint8Array
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : Readable.from(bytes, { objectMode: false })
}

/** Aborts when the connection closes before the answer is out: nobody waits for the work any more. */
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
  ...HEALTH_PATHS.map(path => ({ method: 'GET', segments: path.split('/') })),
]

/** The methods that a path answers; none: there is no such path. */
export function methodsOf(url: string): string[] {
  const path = (url.split('?', 1)[0] as string).replace(/(.)\/$/, '$1')
  const segments = path.split('/')
  const fits = (routed: (typeof ROUTED)[number]): boolean =>
    routed.segments.length === segments.length &&
    routed.segments.every((segment, i) => segment === segments[i] || (segment.startsWith('{') && segments[i] !== ''))
  return [...new Set(ROUTED.filter(fits).map(routed => routed.method))].sort()
}
