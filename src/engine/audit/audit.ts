/** Keeps the audit trail: a line for every call that is to change something, with the change itself where there is one. */
import type { Operation, Reply } from '../../contract/kernel/operation.ts'
import type { RawInput } from '../../contract/kernel/validation.ts'
import type { OperationId } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import type { TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { AuditEntry } from '../../store/audit.ts'
import type { CallContext, Caller, EngineContext } from '../context.ts'
import { tokenNamed } from '../links/tokens.ts'
import { entryId } from './entry-id.ts'
import { objectOf } from './object.ts'

/** A call that may be recorded. */
export interface AuditedCall {
  readonly id: OperationId
  readonly operation: Operation
  readonly input: RawInput
  readonly caller: Caller
  readonly now: EpochMs
}

/** Whether calls of an operation stand in the trail: all that may change something. */
export function isAudited(
  { method, idempotent, readsOnly }: Operation,
  { query }: Pick<RawInput, 'query'> = { query: {} },
): boolean {
  return method === 'GET' ? !idempotent : !(typeof readsOnly === 'function' ? readsOnly(query) : readsOnly)
}

/**
 * Runs a call on a store whose first change also appends the call's line, in one transaction. What changed nothing, and what is
 * refused, gets a line of its own. A call that changed something and then failed has two. Who is nobody's (an unknown link token)
 * leaves none: else strangers could fill the disk. What another process's lock kept out leaves none either: it keeps the line out too.
 */
export async function audited(
  engine: EngineContext,
  call: AuditedCall,
  run: (within: EngineContext, about: CallContext['about']) => Promise<Reply<unknown>>,
): Promise<Reply<unknown>> {
  const { teamId, object } = await subjectOf(engine, call)
  const made: Record<string, string> = {}
  if (teamId === null) return run(engine, () => {})
  const entry = (id: string, outcome: string): AuditEntry => ({
    entryId: id,
    teamId,
    at: call.now,
    actor: call.caller.actor,
    operation: call.id,
    // what a refused call was about to make is not there
    object: outcome === 'ok' ? { ...object, ...made } : object,
    outcome,
  })
  const append = (outcome: string): Promise<void> => engine.store.audit.append(entry(entryId(engine), outcome))
  const first = entryId(engine)
  const auditing = engine.store.auditing(() => entry(first, 'ok'))
  const about = (name: string, id: string): void => {
    made[name] = id
  }
  let reply: Reply<unknown>
  try {
    reply = await run({ ...engine, store: auditing.store }, about)
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : 'bug'
    // the refusal is what the caller is told, whatever becomes of its line; who waited for a lock in vain does not wait again
    if (code !== 'store_busy') await append(code).catch(() => {})
    throw error
  }
  const outcome = outcomeOf(reply)
  if (!auditing.isAudited() || outcome !== 'ok') await append(outcome)
  return reply
}

/** Whose the call is, and the ids it names. */
export async function subjectOf(
  engine: EngineContext,
  { operation, input, caller }: AuditedCall,
): Promise<{ teamId: TeamId | null; object: Record<string, string> }> {
  const object = objectOf(operation, input)
  if (caller.team !== null) return { teamId: caller.team.teamId, object }
  const token = caller.linkToken === null ? null : await tokenNamed(engine, caller.linkToken)
  return token ? { teamId: token.teamId, object: { user_id: token.userId, ...object } } : { teamId: null, object }
}

/** Links tell in their answer that they failed (interface.md 7.2). */
export function outcomeOf(reply: Reply<unknown>): string {
  if (reply.kind !== 'json' || typeof reply.body !== 'object' || reply.body === null) return 'ok'
  const { state, error_type: errorType } = reply.body as { state?: unknown; error_type?: unknown }
  return state === 'error' && typeof errorType === 'string' ? errorType : 'ok'
}
