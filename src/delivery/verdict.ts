/** Decides from a response whether a delivery is completed, retried or given up, or whether its endpoint is disabled. */
import type { RandomSource } from '../core/random.ts'
import type { EpochMs } from '../core/time.ts'
import type { AfterAttempt, ClaimedDelivery } from '../store/delivery.ts'
import { askedBy, type FailedAttempt, nextAttemptAt, type RetrySchedule } from './schedule.ts'
import { type EndpointResponse, isAccepted } from './sender.ts'

export const EXHAUSTED = 'message.attempt.exhausted'

/** The consequence of an attempt, without the event that reports a delivery that was given up. */
export type Verdict = Exclude<AfterAttempt, { kind: 'exhausted' }> | { readonly kind: 'exhausted' }

export interface AttemptResult extends FailedAttempt {
  readonly status: number | null
}

/** Evaluates an attempt. The default schedule is the one for endpoints. */
export function judgeAttempt(result: AttemptResult, random: RandomSource, retries?: RetrySchedule): Verdict {
  if (isAccepted(result)) return { kind: 'delivered' }
  if (result.status === 410) return { kind: 'gone' }
  const dueAt = nextAttemptAt(result, random, retries)
  return dueAt === null ? { kind: 'exhausted' } : { kind: 'again', dueAt }
}

export interface VerdictContext {
  readonly eventId: string
  readonly eventType: string
  /** When the response arrived, by the engine's clock. `realNow` is real time. */
  readonly at: EpochMs
  readonly realNow: EpochMs
  readonly random: RandomSource
}

/** Returns the consequence of an endpoint's attempt. */
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
