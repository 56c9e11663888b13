/** The monitoring endpoints: whether the server accepts requests, and its metrics. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import { authenticate } from '../../engine/authenticate.ts'
import type { EngineContext } from '../../engine/context.ts'
import { engineNow } from '../../engine/engine.ts'
import type { DiskWatch } from '../guards/disk-watch.ts'
import type { GuessLimit } from '../guards/guess-limit.ts'
import type { HeaderPrefixes } from '../http/header-prefix.ts'
import type { ServerMetrics } from './metrics.ts'

/** This module's paths, for the response to a wrong method. */
export const HEALTH_PATHS = ['/healthz', '/readyz', '/metrics'] as const

export interface HealthOptions {
  readonly engine: EngineContext
  readonly prefixes: HeaderPrefixes
  readonly metrics: ServerMetrics
  readonly guesses: GuessLimit
  /** Whether `/metrics` can be read without a key. */
  readonly metricsAreOpen: boolean
  readonly disk: Pick<DiskWatch, 'isFull'>
  readonly isClosing: () => boolean
}

export function addHealth(app: FastifyInstance, options: HealthOptions): void {
  const { engine, metrics, metricsAreOpen, disk, isClosing } = options
  app.get('/healthz', async (_request, reply) => {
    reply.type('application/json')
    const trouble = await findTrouble(engine)
    if (trouble === null) return '{"status":"ok"}'
    reply.code(503).header('retry-after', '1')
    return JSON.stringify({ status: 'unavailable', reason: trouble })
  })
  app.get('/readyz', async (_request, reply) => {
    reply.type('application/json')
    const trouble = isClosing() ? null : ((await findTrouble(engine)) ?? ((await disk.isFull()) ? 'disk_full' : null))
    const share = engine.store.upkeep.reachableShare()
    if (trouble === null && !isClosing())
      return share === 1 ? '{"status":"ready"}' : JSON.stringify({ status: 'degraded', reachable_share: share })
    reply.code(503).header('retry-after', '1')
    if (isClosing()) return '{"status":"closing"}'
    return JSON.stringify({ status: 'unavailable', reason: trouble })
  })
  app.get('/metrics', async (request, reply) => {
    if (!metricsAreOpen) await refuseStrangers(request, options)
    reply.type(metrics.contentType)
    return metrics.text()
  })
}

/** Returns the error code if the store has a problem, otherwise null. The message is omitted, because it may contain a local path. */
async function findTrouble(engine: EngineContext): Promise<string | null> {
  try {
    await engine.store.upkeep.ping()
    return null
  } catch (error) {
    return error instanceof ServiceError ? error.code : 'server_failed'
  }
}

/** Requires an operator's key, in the usual header or as a bearer token, because scrapers can send only bearer tokens. */
async function refuseStrangers(request: FastifyRequest, options: HealthOptions): Promise<void> {
  const { engine, prefixes, guesses } = options
  const { headers, clientAddress } = request
  const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const apiKey = prefixes.header(headers, 'api-key') ?? bearer ?? null
  const credentials = { kind: 'headers', apiKey, linkToken: null } as const
  const now = await engineNow(engine)
  const caller = await authenticate(engine, 'api_key', credentials, now).catch(error => {
    if (apiKey !== null) guesses.failed('api_key', clientAddress)
    throw error
  })
  if (!caller.isOperator) {
    throw new ServiceError(
      'operator_only',
      "Metrics cover the whole server, so reading them requires an operator's API key.",
    )
  }
}
