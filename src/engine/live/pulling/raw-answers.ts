/** Answers of providers as they came, kept for debugging if the set-up says so: sealed, and removed after 30 days. */
import type { ProviderAnswer } from '../../../connectors/provider-session.ts'
import type { UserId } from '../../../core/ids.ts'
import { randomUuid } from '../../../core/random.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { RawAnswer } from '../../../store/live/pulls.ts'
import type { EngineContext } from '../../context.ts'
import { NONCE_BYTES, Sealing } from '../../sealing.ts'

export const RAW_KEPT_MS = 30 * DAY_MS
/** Most bytes of an answer that are kept. */
const MOST_BYTES = 1024 * 1024

const sealing = new Sealing('raw provider answers')

/** Gathers the answers that one pull received. */
export class RawAnswers {
  private waiting: RawAnswer[] = []
  private readonly engine: EngineContext
  private readonly userId: UserId

  constructor(engine: EngineContext, userId: UserId) {
    this.engine = engine
    this.userId = userId
  }

  add(collection: string, { text }: ProviderAnswer, at: EpochMs): void {
    const answerId = randomUuid(this.engine.random)
    const plain = Buffer.from(text).subarray(0, MOST_BYTES)
    const nonce = this.engine.random.bytes(NONCE_BYTES)
    const sealed = sealing.seal(this.engine, boundTo(this.userId, answerId), plain, nonce)
    this.waiting.push({ answerId, collection, at, sealed })
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0
  }

  /** Returns what came since the last time. */
  take(): readonly RawAnswer[] {
    const taken = this.waiting
    this.waiting = []
    return taken
  }
}

/** Returns the text of a kept answer. Throws if it was sealed under another master key, or for another user. */
export function openRaw(engine: Pick<EngineContext, 'masterKey'>, userId: UserId, answer: RawAnswer): string {
  return sealing.open(engine, boundTo(userId, answer.answerId), answer.sealed).toString('utf8')
}

function boundTo(userId: UserId, answerId: string): string {
  return `${userId}\0${answerId}`
}
