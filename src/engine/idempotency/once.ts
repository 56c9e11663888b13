/** Runs each call with an idempotency key only once, and repeats its first response for a day. See docs/idempotency.md. */
import { randomUUID } from 'node:crypto'
import type { Operation, Reply } from '../../contract/kernel/operation.ts'
import type { RawInput } from '../../contract/kernel/validation.ts'
import type { OperationId } from '../../contract/operations.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import { hashSecret, type TeamId, type UserId } from '../../core/ids.ts'
import { DAY_MS } from '../../core/time.ts'
import { type KeptResponse, type KeyedCall, KeyTaken, type StoredResponse } from '../../store/keyed-response.ts'
import type { UserRecord } from '../../store/user.ts'
import { resolveSubject } from '../audit/audit.ts'
import type { CallContext, EngineContext } from '../context.ts'
import { hashInput } from './asked.ts'
import { computeMac, isOfOlderSchema, replayed, toKeptRefusal, toKeptResponse } from './kept-responses.ts'

/** How long a response is kept, in milliseconds. */
const KEPT_MS = DAY_MS
const NAMES = ['x-idempotency-key', 'idempotency-key'] as const
const ERROR_HEADER = 'x-idempotency-error'

interface Input {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export interface OnceOptions<I extends Input> {
  readonly id: OperationId
  readonly operation: Operation
  /** The request as received, used to find its IDs. */
  readonly given: RawInput
  readonly input: I
  readonly call: CallContext
}

/** Removes responses that are no longer repeated. Returns their number. */
export function removeOldResponses({ store, time }: EngineContext, signal?: AbortSignal): Promise<number> {
  return store.responses.removeOld(time.now() - KEPT_MS, signal)
}

/** Returns a call's key, or null. Throws 422 if the two headers differ. */
export function readIdempotencyKey(headers: Input['headers'] = {}): string | null {
  const [first, second] = NAMES.map(name => headers[name])
  if (first !== undefined && second !== undefined && first !== second) {
    const msg = 'must be the same as x-idempotency-key, or be left out'
    throw invalid([{ loc: ['header', 'idempotency-key'], msg, type: 'value_error' }])
  }
  return first ?? second ?? null
}

/**
 * Runs the call, or repeats the response to the first call with this key. Throws the first call's error if it had one, 422 if the key was
 * used for another request, and 409 while the first call has no response.
 *
 * Refusals with 400 and 404 are stored, unless `x-idempotency-error: no-cache` was sent. A refusal after part of the work was done is
 * always stored.
 */
export async function once<I extends Input>(
  engine: EngineContext,
  key: string,
  options: OnceOptions<I>,
  run: (engine: EngineContext, input: I, call: CallContext) => Promise<Reply<unknown>>,
): Promise<Reply<unknown>> {
  const { operation, call } = options
  const owner = await findKeyOwner(engine, options)
  // a call without a team (with an unknown link token) is refused whatever its key
  if (owner === null) return run(engine, options.input, call)
  const asked = await hashInput(operation, options.input)
  const fixed = [options.id, JSON.stringify([options.input.params, options.input.query]), call.linkToken ?? '']
  const hashOf = (body: Uint8Array | string): string => computeMac(engine, ...fixed, body)
  const made: Record<string, string> = {}
  const realNow = engine.time.now()
  const keyed: KeyedCall = {
    ...owner.key,
    keyHash: hashSecret(key),
    callId: randomUUID(),
    requestHash: () => hashOf(asked.soFar()),
    about: () => (made['user_id'] as UserId | undefined) ?? null,
    createdAt: realNow,
    forgetBefore: realNow - KEPT_MS,
  }
  const find = async (): Promise<KeptResponse | null> => {
    const kept = await engine.store.responses.find(keyed, keyed.forgetBefore)
    // responses about a deleted user are not repeated while the user is deleted
    return kept?.response?.status === 200 && owner.user?.deletedAt ? null : kept
  }
  const again = async (kept: KeptResponse): Promise<Reply<unknown>> => {
    const body = await asked.whole()
    const isSame =
      kept.requestHash ===
      (kept.response && isOfOlderSchema(kept.response) ? hashSecret(JSON.stringify(options.input.body)) : hashOf(body))
    if (!isSame) throw anotherRequest()
    if (kept.response === null) throw noResponseYet()
    return replayed(engine, keyed, kept.response, call.about)
  }
  const known = await find()
  if (known) return again(known)

  const about: CallContext['about'] = (name, id) => {
    made[name] = id
    call.about(name, id)
  }
  /** Builds the reply for the write that is in progress. */
  let replyTo: ((outcome: unknown) => Reply<unknown>) | null = null
  let keptReply: Reply<unknown> | null = null
  const idempotent = engine.store.idempotent(keyed, (outcome): StoredResponse | null => {
    if (replyTo === null) return null
    keptReply = replyTo(outcome)
    return toKeptResponse(engine, keyed, keptReply, made)
  })
  const settle: CallContext['settle'] = async (write, reply) => {
    keptReply = null
    // the store passes on the result of this call's own write
    replyTo = outcome => reply(outcome as never)
    try {
      const outcome = await write()
      // if a write changed nothing, the store did not request the response
      return (keptReply as ReturnType<typeof reply> | null) ?? reply(outcome as never)
    } finally {
      replyTo = null
    }
  }
  const inner: CallContext = Object.assign(Object.create(call) as CallContext, { about, settle })
  try {
    const reply = await run({ ...engine, store: idempotent.store }, asked.input, inner)
    if (reply !== keptReply) {
      const response = toKeptResponse(engine, keyed, reply, made)
      if (response) await engine.store.responses.keep(keyed, response)
    }
    return reply
  } catch (error) {
    // another call ran between the lookup and the change, so this call changed nothing
    const first = idempotent.hasChanged() ? null : await find()
    if (first && first.callId !== keyed.callId) return again(first)
    if (error instanceof KeyTaken) throw new ServiceError('user_not_found', 'User not found')
    if (isKept(error, idempotent.hasChanged(), options.input)) {
      await asked.whole()
      await engine.store.responses.keep(keyed, toKeptRefusal(engine, keyed, error))
    }
    throw error
  }
}

/** Returns the key's owner: the user if the call names one of the team's users, otherwise the team. Null if the call has no team. */
async function findKeyOwner<I extends Input>(
  engine: EngineContext,
  { id, operation, given, call }: OnceOptions<I>,
): Promise<{ readonly key: Pick<KeyedCall, 'teamId' | 'userId'>; readonly user: UserRecord | null } | null> {
  const { team, linkToken, now } = call
  const caller = { team, linkToken, actor: call.actor, isOperator: false }
  const { teamId, object } = await resolveSubject(engine, { id, operation, input: given, caller, now })
  if (teamId === null) return null
  const user = await userNamed(engine, teamId, object)
  return { key: { teamId, userId: user?.userId ?? null }, user }
}

/** Kinds of IDs that begin with the first bytes of their user's ID. */
const OWNED_IDS = ['order_id', 'import_id'] as const

async function userNamed(
  engine: EngineContext,
  teamId: TeamId,
  object: Readonly<Record<string, string>>,
): Promise<UserRecord | null> {
  const named = object['user_id']
  if (named !== undefined) return engine.store.users.find(teamId, named as UserId)
  const owned = OWNED_IDS.flatMap(name => object[name] ?? [])[0]
  if (owned === undefined) return null
  const users = await engine.store.users.ofOwnedId(teamId, owned)
  return users.length === 1 ? (users[0] ?? null) : null
}

function isKept(error: unknown, hasChanged: boolean, { headers }: Input): error is ServiceError {
  if (!(error instanceof ServiceError) || error.status === null) return false
  if (hasChanged) return error.status < 500
  return (error.status === 400 || error.status === 404) && headers?.[ERROR_HEADER] !== 'no-cache'
}

function anotherRequest(): ServiceError {
  const msg = 'was sent before with another request. Use a new key for a new request.'
  return invalid([{ loc: ['header', 'x-idempotency-key'], msg, type: 'value_error' }])
}

function noResponseYet(): ServiceError {
  const message =
    'The first request with this idempotency key has no response yet: it is still running, or was interrupted.'
  return new ServiceError('conflict', message, {
    suggestions: [
      'Try again in a moment.',
      'If the error persists, check what the first request changed, and use a new key for the rest.',
    ],
    headers: { 'retry-after': '1' },
  })
}
