/** Stores raw responses for debugging if the OAuth app is configured for it. They are sealed, and removed after 30 days. */
import type { ProviderResponse } from '../../../connectors/provider-session.ts'
import type { UserId } from '../../../core/ids.ts'
import { randomUuid } from '../../../core/random.ts'
import { DAY_MS, type EpochMs, formatInstant } from '../../../core/time.ts'
import type { RawResponse } from '../../../store/live/pulls.ts'
import { knownProvider } from '../../connections/providers.ts'
import { type EngineContext, type Handler, ok } from '../../context.ts'
import { parseRangeStart } from '../../readings/timeseries.ts'
import { NONCE_BYTES, Sealing } from '../../sealing.ts'
import { activeUser } from '../../users/users.ts'

export const RAW_KEPT_MS = 30 * DAY_MS
/** Maximum number of bytes to store of a response. */
const MOST_BYTES = 1024 * 1024

const sealing = new Sealing('raw provider answers')

/** Gathers the responses received during one pull. */
export class RawResponses {
  private waiting: RawResponse[] = []
  private readonly engine: EngineContext
  private readonly userId: UserId

  constructor(engine: EngineContext, userId: UserId) {
    this.engine = engine
    this.userId = userId
  }

  add(collection: string, { text }: ProviderResponse, at: EpochMs): void {
    const answerId = randomUuid(this.engine.random)
    const plain = Buffer.from(text).subarray(0, MOST_BYTES)
    const nonce = this.engine.random.bytes(NONCE_BYTES)
    const sealed = sealing.seal(this.engine, boundTo(this.userId, answerId), plain, nonce)
    this.waiting.push({ answerId, collection, at, sealed })
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

/** Shows stored responses, newest first. There are none if the OAuth app is not configured to store responses. */
export const listRawResponses: Handler<'provider.raw_answers'> = async (engine, { params, query }, call) => {
  const { provider } = params
  knownProvider(engine, provider, ['path', 'provider'])
  const { userId } = await activeUser(engine, call.team.teamId, params.user_id)
  const before = query.before === undefined ? Number.MAX_SAFE_INTEGER : parseRangeStart(query.before)
  const asked = { collection: query.collection ?? null, before, limit: query.limit }
  const responses = await engine.store.live.pulls.raw({ userId, provider }, asked)
  return ok({
    answers: responses.map(({ answerId, collection, at, sealed }) => ({
      collection,
      at: formatInstant(at),
      text: sealing.open(engine, boundTo(userId, answerId), sealed).toString('utf8'),
    })),
  })
}

function boundTo(userId: UserId, answerId: string): string {
  return `${userId}\0${answerId}`
}
