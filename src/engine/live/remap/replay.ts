/** Repeats the pull of a window from its stored raw responses, without the provider. */
import {
  type ProviderApp,
  ProviderError,
  type ProviderRequest,
  type ProviderResponse,
  type TokenSession,
} from '../../../connectors/provider-session.ts'
import type { TokenSet } from '../../../connectors/token-set.ts'
import type { LiveKey } from '../../../store/live/connections.ts'
import type { RawHead } from '../../../store/live/pulls.ts'
import type { EngineContext } from '../../context.ts'
import { type OpenedResponse, openRaw, requestName } from '../pulling/raw-responses.ts'
import { ReceivedResponse } from '../responses/response.ts'

/** The responses of one pull, in the order in which they arrived. */
export interface StoredPull {
  readonly key: LiveKey
  readonly heads: readonly RawHead[]
}

/** Thrown when a request has no stored response: it was removed, was too long, or the new version sends another request. */
export class NoStoredResponse extends ProviderError {
  readonly reason: string

  constructor(reason: string) {
    super('unavailable', `The response is not stored: ${reason}.`)
    this.reason = reason
  }
}

/** A session that answers requests with the stored responses of a pull. */
export class ReplaySession implements TokenSession {
  readonly app: ProviderApp
  readonly signal: AbortSignal | undefined
  readonly tokenSet: TokenSet
  /** Number of responses that were read again. */
  used = 0
  private readonly first: OpenedResponse
  private readonly responses: StoredResponses

  private constructor(
    app: ProviderApp,
    signal: AbortSignal | undefined,
    first: OpenedResponse,
    responses: StoredResponses,
  ) {
    this.app = app
    this.signal = signal
    this.first = first
    this.responses = responses
    this.tokenSet = { accessToken: '', refreshToken: null, expiresAt: null, scopes: first.scopes, extra: {} }
  }

  /** Returns null if no response is stored any more. Throws if the first one cannot be decrypted. */
  static async open(
    engine: EngineContext,
    pull: StoredPull,
    { app, signal }: { readonly app: ProviderApp; readonly signal: AbortSignal | undefined },
  ): Promise<ReplaySession | null> {
    const responses = new StoredResponses(engine, pull)
    const first = await responses.peek()
    return first && new ReplaySession(app, signal, first, responses)
  }

  /** What the pull asked for. */
  get asked(): OpenedResponse['asked'] {
    return this.first.asked
  }

  now(): number {
    return this.first.asked.now
  }

  async send(request: ProviderRequest): Promise<ProviderResponse> {
    this.signal?.throwIfAborted()
    const found = await this.responses.take(requestName(request))
    if (found === null) throw new NoStoredResponse('it was not requested in this way')
    if (found.isCut) throw new NoStoredResponse('it is longer than 1 MiB')
    this.used++
    const provider = this.responses.provider
    // a thread takes the bytes over, so they have a buffer of their own
    const bytes = new Uint8Array(Buffer.from(found.text))
    return new ReceivedResponse({ provider, status: found.status, headers: {}, bytes })
  }
}

/** Opens responses one after the other, because a connector usually sends the same requests in the same order. */
class StoredResponses {
  private opened: OpenedResponse[] = []
  private next = 0
  private readonly engine: EngineContext
  private readonly pull: StoredPull

  constructor(engine: EngineContext, pull: StoredPull) {
    this.engine = engine
    this.pull = pull
  }

  get provider(): string {
    return this.pull.key.provider
  }

  /** Returns a response of the pull; null if there is none. */
  async peek(): Promise<OpenedResponse | null> {
    return this.opened[0] ?? ((await this.open()) ? this.peek() : null)
  }

  /** Returns the first response to a request that was not taken yet; null if there is none. */
  async take(request: string): Promise<OpenedResponse | null> {
    for (;;) {
      const found = this.opened.findIndex(each => each.request === request)
      if (found !== -1) return this.opened.splice(found, 1)[0] ?? null
      if (!(await this.open())) return null
    }
  }

  /** Opens the next response that is still stored. Returns whether there was one. */
  private async open(): Promise<boolean> {
    for (;;) {
      const head = this.pull.heads[this.next++]
      if (head === undefined) return false
      const response = await openRaw(this.engine, this.pull.key, head)
      if (response === null) continue
      this.opened.push(response)
      return true
    }
  }
}
