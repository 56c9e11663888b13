/** Decides from a response what happens to a delivery: it is completed, retried or given up, or its endpoint is disabled. */
import type { RandomSource } from '../core/random.ts'
import type { EpochMs } from '../core/time.ts'
import type { AfterAttempt, ClaimedDelivery } from '../store/delivery.ts'
import { askedBy, type FailedAttempt, nextAttemptAt, type RetrySchedule } from './schedule.ts'
import { type EndpointResponse, isAccepted } from './sender.ts'

export const EXHAUSTED = 'message.attempt.exhausted'

/** The consequence of an attempt, without the event that reports that a delivery was given up. */
export type Verdict = Exclude<AfterAttempt, { kind: 'exhausted' }> | { readonly kind: 'exhausted' }

export interface AttemptResult extends FailedAttempt {
  readonly status: number | null
}

/** Judges an attempt. Without a schedule, the retries are those of an endpoint. */
export function judgeAttempt(result: AttemptResult, random: RandomSource, retries?: RetrySchedule): Verdict {
  if (isAccepted(result)) return { kind: 'delivered' }
  if (result.status === 410) return { kind: 'gone' }
  const dueAt = nextAttemptAt(result, random, retries)
  return dueAt === null ? { kind: 'exhausted' } : { kind: 'again', dueAt }
}

export interface VerdictContext {
  readonly eventId: string
  readonly eventType: string
  /** The time of the response, by the engine's clock; `realNow` is real time. */
  readonly at: EpochMs
  readonly realNow: EpochMs
  readonly random: RandomSource
}

/** Returns the consequence of an attempt at an endpoint. */
export function afterAttempt(item: ClaimedDelivery, response: EndpointResponse, context: VerdictContext): AfterAttempt {
  const { status, error } = response
  const { at, random, realNow, eventId, eventType } = context
  const verdict = judgeAttempt({ status, at, round: item.round, askedMs: askedBy(response, realNow) }, random)
  if (verdict.kind !== 'exhausted') return verdict
  // no event reports that a `message.attempt.exhausted` event could not be delivered
  if (eventType === EXHAUSTED) return { kind: 'exhausted', event: null }
  return {
    kind: 'exhausted',
    event: {
      event_id: eventId,
      event_type: eventType,
      endpoint_id: item.endpointId,
      attempts: item.attempts + 1,
      last_status: status,
      last_error: error,
    },
  }
}
