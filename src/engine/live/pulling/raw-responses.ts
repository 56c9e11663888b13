/**
 * Stores raw responses for debugging and for remaps, if the OAuth app is configured for it. They are sealed, and removed after 30 days. Each
 * one is stored with its request, so that the pull of its window can be repeated without the provider.
 */
import type { PullRequest } from '../../../connectors/connector.ts'
import type { ProviderRequest, ProviderResponse } from '../../../connectors/provider-session.ts'
import type { UserId } from '../../../core/ids.ts'
import { randomUuid } from '../../../core/random.ts'
import { DAY_MS, type EpochMs, formatInstant } from '../../../core/time.ts'
import type { LiveKey } from '../../../store/live/connections.ts'
import type { RawHead, RawResponse } from '../../../store/live/pulls.ts'
import { knownProvider } from '../../connections/providers.ts'
import { type EngineContext, type Handler, ok } from '../../context.ts'
import { parseRangeStart } from '../../readings/timeseries.ts'
import { NONCE_BYTES, Sealing } from '../../sealing.ts'
import { activeUser } from '../../users/users.ts'

export const RAW_KEPT_MS = 30 * DAY_MS
/** Maximum number of bytes to store of a response. */
const MOST_BYTES = 1024 * 1024
const LINE_END = 0x0a

const sealing = new Sealing('raw provider answers')

/** The pull of one window, to which responses belong. */
export interface RawPull {
  readonly pullId: string
  readonly asked: Omit<PullRequest, 'userId'>
  /** The granted scopes at the time of the pull; null if the provider does not report them. */
  readonly scopes: readonly string[] | null
}

/** What is stored before the text of a response, as one line of JSON. */
interface RawHeader extends Omit<RawPull, 'pullId'> {
  /** Position of the response in its pull. */
  readonly ord: number
  readonly request: string
  readonly status: number
  /** Whether only the beginning of the text is stored. */
  readonly isCut: boolean
}

/** A raw response as it is read again. */
export interface OpenedResponse extends RawHeader {
  readonly text: string
}

/** Gathers the responses received during one pull. */
export class RawResponses {
  /** The pull of a window that is in progress. */
  private current: RawPull | null = null
  private ord = 0
  private waiting: RawResponse[] = []
  private readonly engine: EngineContext
  private readonly userId: UserId

  constructor(engine: EngineContext, userId: UserId) {
    this.engine = engine
    this.userId = userId
  }

  /** Begins the pull of a window. */
  begin(asked: PullRequest, scopes: readonly string[] | null): void {
    const { userId: _, ...rest } = asked
    this.current = { pullId: randomUuid(this.engine.random), asked: rest, scopes }
    this.ord = 0
  }

  /** Ends the pull of a window. */
  end(): void {
    this.current = null
  }

  /** Adds a response. One that belongs to no window, such as that to a subscription, is not stored. */
  add(request: ProviderRequest, { text, status }: ProviderResponse, at: EpochMs): void {
    if (this.current === null) return
    const { pullId, asked, scopes } = this.current
    const answerId = randomUuid(this.engine.random)
    const whole = Buffer.from(text)
    const isCut = whole.length > MOST_BYTES
    const header: RawHeader = { ord: this.ord++, asked, scopes, request: requestName(request), status, isCut }
    const plain = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), whole.subarray(0, MOST_BYTES)])
    const nonce = this.engine.random.bytes(NONCE_BYTES)
    const sealed = sealing.seal(this.engine, boundTo(this.userId, answerId), plain, nonce)
    this.waiting.push({ answerId, collection: asked.collection, at, sealed, pullId })
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0
  }

  /** Returns the responses received since the last call. */
  take(): readonly RawResponse[] {
    const taken = this.waiting
    this.waiting = []
    return taken
  }
}

/** Returns a text that identifies a request to a provider within a pull, whatever the API's host. */
export function requestName({ method, url, form, json }: ProviderRequest): string {
  const fields = form === undefined ? [] : [...new URLSearchParams(form)]
  return JSON.stringify([method, url.pathname, url.search, fields, json ?? null])
}

/** Returns a raw response with its request, or null if it is no longer stored. Throws if it cannot be decrypted. */
export async function openRaw(
  engine: EngineContext,
  key: LiveKey,
  { answerId }: RawHead,
): Promise<OpenedResponse | null> {
  const sealed = await engine.store.live.pulls.rawContent(key, answerId)
  if (sealed === null) return null
  const plain = sealing.open(engine, boundTo(key.userId, answerId), sealed)
  const end = plain.indexOf(LINE_END)
  // written by `add`
  const header = JSON.parse(plain.toString('utf8', 0, end)) as RawHeader
  return { ...header, text: plain.toString('utf8', end + 1) }
}

/** Shows stored responses, newest first. There are none if the OAuth app is not configured to store responses. */
export const listRawResponses: Handler<'provider.raw_answers'> = async (engine, { params, query }, call) => {
  const { provider } = params
  knownProvider(engine, provider, ['path', 'provider'])
  const { userId } = await activeUser(engine, call.team.teamId, params.user_id)
  const before = query.before === undefined ? Number.MAX_SAFE_INTEGER : parseRangeStart(query.before)
  const asked = { collection: query.collection ?? null, before, limit: query.limit }
  const responses = await engine.store.live.pulls.raw({ userId, provider }, asked)
  return ok({
    answers: responses.map(({ answerId, collection, at, sealed, pullId }) => {
      const plain = sealing.open(engine, boundTo(userId, answerId), sealed)
      // without a pull, it has no header
      const from = pullId === null ? 0 : plain.indexOf(LINE_END) + 1
      return { collection, at: formatInstant(at), text: plain.toString('utf8', from) }
    }),
  })
}

function boundTo(userId: UserId, answerId: string): string {
  return `${userId}\0${answerId}`
}
