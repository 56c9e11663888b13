/** Sends one person's requests to a live provider with the access token, and refreshes it. See connectors/provider-session.ts. */
import type { Grant } from '../../connectors/grant.ts'
import {
  type AppSession,
  type GrantSession,
  type ProviderAnswer,
  type ProviderApp,
  ProviderError,
  type ProviderRequest,
} from '../../connectors/provider-session.ts'
import type { UserId } from '../../core/ids.ts'
import { type EpochMs, MINUTE_MS } from '../../core/time.ts'
import type { EngineContext } from '../context.ts'
import { currentGrant, type HeldGrant, renewGrant } from './grants.ts'
import { openAppSession, type SessionOptions } from './session.ts'

/** Remaining lifetime below which an access token is refreshed before it is sent. */
const RENEW_BEFORE_MS = MINUTE_MS

export interface PersonSessionOptions extends SessionOptions {
  readonly userId: UserId
  /** Receives every response that is not a failure. */
  readonly onAnswer?: ((answer: ProviderAnswer) => void) | undefined
}

/** Opens a session for one person. Throws ProviderError `grant_lost` if there is no usable token set. */
export async function openGrantSession(engine: EngineContext, options: PersonSessionOptions): Promise<GrantSession> {
  const { userId, connector } = options
  const held = await currentGrant(engine, { userId, provider: connector.provider })
  return new PersonSession(engine, options, held)
}

/** Sends the access token, and refreshes it. Several requests may be in progress at once. */
class PersonSession implements GrantSession {
  readonly app: ProviderApp
  readonly signal: AbortSignal | undefined
  private readonly engine: EngineContext
  private readonly options: PersonSessionOptions
  private readonly sending: AppSession
  private current: HeldGrant
  private renewing: Promise<void> | null = null
  private hasRenewedEarly = false

  constructor(engine: EngineContext, options: PersonSessionOptions, current: HeldGrant) {
    this.engine = engine
    this.options = options
    this.app = options.app
    this.signal = options.signal
    this.sending = openAppSession(engine, options)
    this.current = current
  }

  get grant(): Grant {
    return this.current.grant
  }

  now(): EpochMs {
    return this.sending.now()
  }

  async send(request: ProviderRequest): Promise<ProviderAnswer> {
    const answer = await this.sendWithToken(request)
    this.options.onAnswer?.(answer)
    return answer
  }

  private async sendWithToken(request: ProviderRequest): Promise<ProviderAnswer> {
    // the request authenticates in its own way
    if (request.headers?.['authorization'] !== undefined) return this.sending.send(request)
    await this.renewEarly()
    const sent = this.current
    try {
      return await this.sendWith(request)
    } catch (error) {
      if (!isRefused(error)) throw error
    }
    await this.renew(sent)
    try {
      return await this.sendWith(request)
    } catch (error) {
      if (!isRefused(error)) throw error
      const message = `${this.options.connector.provider} refuses access to this account, even with a refreshed token.`
      throw new ProviderError('grant_lost', message, { status: error.status })
    }
  }

  private sendWith(request: ProviderRequest): Promise<ProviderAnswer> {
    const authorization = `Bearer ${this.grant.accessToken}`
    return this.sending.send({ ...request, headers: { ...request.headers, authorization } })
  }

  /**
   * Refreshes a token that is about to expire, but only once: with a wrong clock, every token would seem to expire. A refusal is noticed in
   * any case.
   */
  private async renewEarly(): Promise<void> {
    const { expiresAt, refreshToken } = this.grant
    if (this.hasRenewedEarly || expiresAt === null || refreshToken === null) return
    if (this.now() < expiresAt - RENEW_BEFORE_MS) return
    await this.renew(this.current)
    this.hasRenewedEarly = true
  }

  /** Refreshes the token set. Requests that are refused at the same time share one refresh. */
  private async renew(stale: HeldGrant): Promise<void> {
    if (this.current !== stale) return
    this.renewing ??= renewGrant(this.engine, this.sending, this.options.connector, stale)
      .then(renewed => {
        this.current = renewed
      })
      .finally(() => {
        this.renewing = null
      })
    await this.renewing
  }
}

function isRefused(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.kind === 'access_refused'
}
