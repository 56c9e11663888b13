/** An app's session with a live provider, used by connectors to send requests. See connectors/provider-session.ts. */

import type { LiveConnector } from '../../connectors/live/live-connector.ts'
import { FAILURE_BYTES, type ResponseLimits, SHORT_LIMITS } from '../../connectors/live/response-limits.ts'
import {
  type AppSession,
  type ProviderApp,
  ProviderError,
  type ProviderRequest,
  type ProviderResponse,
} from '../../connectors/provider-session.ts'
import type { TeamId, UserId } from '../../core/ids.ts'
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import type { EngineContext } from '../context.ts'
import { pauseAfter, paused } from './backoff.ts'
import { detectFailure } from './detect-failure.ts'
import { exchange } from './exchange.ts'
import { type BudgetOwner, sharedPermits } from './permits.ts'

/** Settings for retries. */
export interface Pace {
  /** Maximum number of attempts per request. */
  readonly tries: number
  readonly firstMs: number
  readonly mostMs: number
}
const PACE: Pace = { tries: 3, firstMs: 500, mostMs: 2_000 }
/** Longest pause within a pull. If a provider requests a longer pause, the pull ends and is due again afterwards. */
const MOST_ASKED_MS = MINUTE_MS
/** Longest wait or request at an unavailable provider. After a longer one, the request is not retried, so that others can use the time. */
const MOST_AWAY_MS = 5 * SECOND_MS

export interface SessionOptions {
  readonly teamId: TeamId
  /** The person whose budget is also charged for the requests. If absent, only the app's budget is charged. */
  readonly userId?: UserId | undefined
  readonly connector: LiveConnector
  readonly app: ProviderApp
  readonly signal?: AbortSignal | undefined
  readonly pace?: Pace | undefined
  /** Limits for responses with data. Defaults to the limits for short responses. */
  readonly limits?: ResponseLimits | undefined
  /** Called for each response. */
  readonly onActivity?: (() => void) | undefined
}

/** Opens an app's session. */
export function openAppSession(engine: EngineContext, options: SessionOptions): AppSession {
  return new Sending(engine, options)
}

class Sending implements AppSession {
  readonly app: ProviderApp
  readonly signal: AbortSignal | undefined
  private readonly engine: EngineContext
  private readonly options: SessionOptions

  constructor(engine: EngineContext, options: SessionOptions) {
    this.engine = engine
    this.options = options
    this.app = options.app
    this.signal = options.signal
  }

  now(): EpochMs {
    return this.engine.wall.now()
  }

  async send(request: ProviderRequest): Promise<ProviderResponse> {
    const { connector, pace = PACE } = this.options
    for (let tries = 1; ; tries++) {
      const { outcome, tookMs } = await this.tryOnce(request)
      if (!(outcome instanceof ProviderError)) return outcome
      const pause = pauseAfter(tries, pace, this.engine.random)
      if (outcome.kind === 'rate_limited') await this.block(outcome.retryAfterMs ?? pause)
      const waitMs = Math.max(pause, outcome.retryAfterMs ?? 0)
      const isAway = outcome.kind === 'unavailable' && Math.max(waitMs, tookMs) > MOST_AWAY_MS
      if (!canRepeat(request, outcome) || tries >= pace.tries || waitMs > MOST_ASKED_MS || isAway) throw outcome
      // the budget enforces a pause that the provider requested
      await paused(outcome.kind === 'rate_limited' ? pause : waitMs, this.signal)
      this.engine.observe?.({ kind: 'request', provider: connector.provider, outcome: 'repeated', ms: 0 })
    }
  }

  /** Returns a failure instead of throwing it, unless it is a bug. */
  private async tryOnce(
    request: ProviderRequest,
  ): Promise<{ readonly outcome: ProviderResponse | ProviderError; readonly tookMs: number }> {
    const { connector, limits = SHORT_LIMITS } = this.options
    const { provider, responseTimeoutMs } = connector
    const purpose = this.requestPurpose(request)
    await sharedPermits(this.engine).take(this.engine, this.owner(), this.signal)
    const began = performance.now()
    const { teamId } = this.options
    const most = purpose === 'token' ? SHORT_LIMITS : limits
    const of = { responseTimeoutMs, limits: most, signal: this.signal, provider, teamId }
    const outcome = await exchange(request, of).then(
      response => {
        const isLong = response.parts.bytes.length > FAILURE_BYTES
        return detectFailure(connector, { request, response, purpose, isLong, now: this.now() }) ?? response
      },
      (error: unknown) => {
        if (error instanceof ProviderError) return error
        throw error
      },
    )
    const kind = outcome instanceof ProviderError ? outcome.kind : 'answered'
    const tookMs = performance.now() - began
    this.engine.observe?.({ kind: 'request', provider, outcome: kind, ms: tookMs })
    this.options.onActivity?.()
    return { outcome, tookMs }
  }

  private requestPurpose({ url }: ProviderRequest): 'token' | 'data' {
    const token = new URL(this.app.tokenUrl)
    return url.origin === token.origin && url.pathname === token.pathname ? 'token' : 'data'
  }

  private block(ms: number): Promise<void> {
    return sharedPermits(this.engine).block(this.engine, this.owner(), Math.ceil(this.now() + ms))
  }

  private owner(): BudgetOwner {
    const { teamId, connector, userId = null } = this.options
    return { teamId, provider: connector.provider, limits: connector.limits, userId }
  }
}

const REPEATABLE = new Set(['GET', 'PUT', 'DELETE'])

function canRepeat({ method, isRepeatable }: ProviderRequest, { kind }: ProviderError): boolean {
  if (kind !== 'unavailable' && kind !== 'rate_limited') return false
  // a request that was refused because of a rate limit had no effect
  return kind === 'rate_limited' || (isRepeatable ?? REPEATABLE.has(method))
}
