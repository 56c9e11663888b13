/** Calls that carry an idempotency key: the first answer is remembered and said again (interface-gaps 4.12). */
import { invalid, ServiceError } from '../../core/errors.ts'
import { hashSecret, type UserId } from '../../core/ids.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import type { RememberedAnswer } from '../../store/order.ts'
import type { EngineContext, TeamCall } from '../context.ts'

/** How long an answer is remembered. */
const REMEMBERED_MS = DAY_MS

/** Under what the answer to this call will be remembered. */
export type FirstAnswer = Pick<RememberedAnswer, 'teamId' | 'keyHash' | 'requestHash' | 'createdAt'> & {
  readonly forgetBefore: EpochMs
}

interface Keyed {
  readonly call: TeamCall
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: unknown
  readonly userId: UserId
}

interface Answer {
  readonly body: Readonly<Record<string, unknown>>
  readonly isRepeated: boolean
}

/**
 * Runs `work`, or answers as the first call with this key was answered. Throws what the first call threw; 422 for a key that came
 * with another body before. Refusals are remembered unless `x-idempotency-error: no-cache` was sent; what is no valid request
 * (422) never is.
 */
export async function answerOnce(
  engine: EngineContext,
  { call, headers, body, userId }: Keyed,
  work: (first: FirstAnswer | null) => Promise<Answer>,
): Promise<Answer> {
  const key = headers['x-idempotency-key']
  if (key === undefined) return work(null)
  const { teamId } = call.team
  const first: FirstAnswer = {
    teamId,
    keyHash: hashSecret(key),
    requestHash: hashSecret(JSON.stringify(body)),
    createdAt: call.now,
    forgetBefore: call.now - REMEMBERED_MS,
  }
  const known = await engine.store.orders.answer(teamId, first.keyHash, first.forgetBefore)
  if (known) return repeated(known, first)
  try {
    const answer = await work(first)
    if (!answer.isRepeated) return answer
  } catch (error) {
    const isKept = error instanceof ServiceError && (error.status === 400 || error.status === 404)
    if (!isKept || headers['x-idempotency-error'] === 'no-cache') throw error
    const { forgetBefore, ...rest } = first
    await engine.store.orders.remember(
      { ...rest, userId, status: error.status as number, body: error.body },
      forgetBefore,
    )
    throw error
  }
  // another call with the key was first, between the look and the commit
  const answered = await engine.store.orders.answer(teamId, first.keyHash, first.forgetBefore)
  // it went with its user since
  if (!answered) throw new ServiceError('user_not_found', 'User not found')
  return repeated(answered, first)
}

function repeated(known: RememberedAnswer, first: FirstAnswer): Answer {
  if (known.requestHash !== first.requestHash) {
    const msg = 'was sent before with another body; use a new key for a new order'
    throw invalid([{ loc: ['header', 'x-idempotency-key'], msg, type: 'value_error' }])
  }
  if (known.status === 200) return { body: known.body, isRepeated: true }
  const { detail } = known.body as { readonly detail?: unknown }
  const message = typeof detail === 'string' ? detail : 'The first call with this key was refused.'
  throw new ServiceError(known.status === 404 ? 'not_found' : 'bad_request', message, {
    body: known.body,
    headers: { 'x-idempotent-replayed': 'true' },
  })
}
