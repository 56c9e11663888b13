/** Sends one person's requests to a live provider with the access token, and refreshes the token. See connectors/provider-session.ts. */

import {
  type AppSession,
  type ProviderApp,
  ProviderError,
  type ProviderRequest,
  type ProviderResponse,
  type TokenSession,
} from '../../connectors/provider-session.ts'
import type { TokenSet } from '../../connectors/token-set.ts'
import type { UserId } from '../../core/ids.ts'
import { type EpochMs, MINUTE_MS } from '../../core/time.ts'
import type { EngineContext } from '../context.ts'
import { openAppSession, type SessionOptions } from './session.ts'
import { currentTokenSet, type HeldTokenSet, refreshTokenSet } from './token-sets.ts'

/** An access token with less remaining lifetime than this is refreshed before it is sent. */
const REFRESH_BEFORE_MS = MINUTE_MS

export interface PersonSessionOptions extends SessionOptions {
  readonly userId: UserId
  /** Receives every response that is not a failure. */
  readonly onResponse?: ((request: ProviderRequest, response: ProviderResponse) => void) | undefined
}

/** Opens a session for one person. Throws ProviderError `grant_lost` if there is no usable token set. */
export async function openTokenSession(engine: EngineContext, options: PersonSessionOptions): Promise<TokenSession> {
  const { userId, connector } = options
  const held = await currentTokenSet(engine, { userId, provider: connector.provider })
  return new PersonSession(engine, options, held)
}

/** Sends the access token, and refreshes it if needed. Several requests can be in progress at once. */
class PersonSession implements TokenSession {
  readonly app: ProviderApp
  readonly signal: AbortSignal | undefined
  private readonly engine: EngineContext
  private readonly options: PersonSessionOptions
  private readonly sending: AppSession
  private current: HeldTokenSet
  private refreshing: Promise<void> | null = null
  private hasRefreshedEarly = false

  constructor(engine: EngineContext, options: PersonSessionOptions, current: HeldTokenSet) {
    this.engine = engine
    this.options = options
    this.app = options.app
    this.signal = options.signal
    this.sending = openAppSession(engine, options)
    this.current = current
  }

  get tokenSet(): TokenSet {
    return this.current.tokenSet
  }

  now(): EpochMs {
    return this.sending.now()
  }

  async send(request: ProviderRequest): Promise<ProviderResponse> {
    const response = await this.sendWithToken(request)
    this.options.onResponse?.(request, response)
    return response
  }

  private async sendWithToken(request: ProviderRequest): Promise<ProviderResponse> {
    // the request already contains its own authentication
    if (request.headers?.['authorization'] !== undefined) return this.sending.send(request)
    await this.refreshEarly()
    const sent = this.current
    try {
      return await this.sendWith(request)
    } catch (error) {
      if (!isRefused(error)) throw error
    }
    await this.refresh(sent)
    try {
      return await this.sendWith(request)
    } catch (error) {
      if (!isRefused(error)) throw error
      const message = `${this.options.connector.provider} refuses access to this account, even with a refreshed token.`
      throw new ProviderError('grant_lost', message, { status: error.status })
    }
  }

  private sendWith(request: ProviderRequest): Promise<ProviderResponse> {
    const authorization = `Bearer ${this.tokenSet.accessToken}`
    return this.sending.send({ ...request, headers: { ...request.headers, authorization } })
  }

  /**
   * Refreshes a token that is about to expire, but only once, because with a wrong clock every token would seem to expire. A refusal is
   * noticed in any case.
   */
  private async refreshEarly(): Promise<void> {
    const { expiresAt, refreshToken } = this.tokenSet
    if (this.hasRefreshedEarly || expiresAt === null || refreshToken === null) return
    if (this.now() < expiresAt - REFRESH_BEFORE_MS) return
    await this.refresh(this.current)
    this.hasRefreshedEarly = true
  }

  /** Refreshes the token set. Requests that are refused at the same time share a single refresh. */
  private async refresh(stale: HeldTokenSet): Promise<void> {
    if (this.current !== stale) return
    this.refreshing ??= refreshTokenSet(this.engine, this.sending, this.options.connector, stale)
      .then(refreshed => {
        this.current = refreshed
      })
      .finally(() => {
        this.refreshing = null
      })
    await this.refreshing
  }
}

function isRefused(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.kind === 'access_refused'
}
