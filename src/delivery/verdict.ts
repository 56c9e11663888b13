/** Decides from a response what follows for a delivery: it is done, retried or given up, or its endpoint is disabled. */
import type { RandomSource } from '../core/random.ts'
import type { EpochMs } from '../core/time.ts'
import type { AfterAttempt, ClaimedDelivery } from '../store/delivery.ts'
import { askedFor, nextAttemptAt } from './schedule.ts'
import type { Answer } from './sender.ts'

export const EXHAUSTED = 'message.attempt.exhausted'

export interface VerdictContext {
  readonly eventId: string
  readonly eventType: string
  /** The time of the response, by the engine's clock; `realNow` is real time. */
  readonly at: EpochMs
  readonly realNow: EpochMs
  readonly random: RandomSource
}

export function verdictOf(item: ClaimedDelivery, answer: Answer, context: VerdictContext): AfterAttempt {
  if (answer.error === null) return { kind: 'delivered' }
  const { status } = answer
  if (status === 410) return { kind: 'gone' }
  const mayAsk = status === 429 || status === 503
  const askedMs = mayAsk ? askedFor(answer.retryAfter, context.realNow) : null
  const dueAt = nextAttemptAt({ round: item.round, at: context.at, askedMs }, context.random)
  if (dueAt !== null) return { kind: 'again', dueAt }
  // no event reports that a `message.attempt.exhausted` event could not be delivered
  if (context.eventType === EXHAUSTED) return { kind: 'exhausted', event: null }
  return {
    kind: 'exhausted',
    event: {
      event_id: context.eventId,
      event_type: context.eventType,
      endpoint_id: item.endpointId,
      attempts: item.attempts + 1,
      last_status: status,
      last_error: answer.error,
    },
  }
}
