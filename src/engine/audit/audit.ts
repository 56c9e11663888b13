/** Writes the audit trail: one entry for each call that may change something, written in the transaction of the change if there is one. */
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
import { readObjectIds } from './object.ts'

/** A call that may be recorded. */
export interface AuditedCall {
  /** The operation's ID, or the name of a change that only the console makes. */
  readonly id: OperationId | 'passkey.add' | 'passkey.sign_in'
  readonly operation: Pick<Operation, 'path'>
  readonly input: RawInput
  readonly caller: Caller
  readonly now: EpochMs
}

/** Returns whether an operation may change something and its calls therefore appear in the audit trail. */
export function isAudited(
  { method, idempotent, readsOnly }: Operation,
  { query }: Pick<RawInput, 'query'> = { query: {} },
): boolean {
  return method === 'GET' ? !idempotent : !(typeof readsOnly === 'function' ? readsOnly(query) : readsOnly)
}

/**
 * Runs a call on a store that appends the call's entry in the same transaction as the first change. If the call changes nothing or is
 * refused, its entry is written separately. A call that changes something and then fails has two entries.
 *
 * A call without a team (an unknown link token) leaves no entry, because strangers could otherwise fill the disk. Neither does a call that
 * another process's lock blocks, because the lock also blocks the entry.
 */
export async function audited(
  engine: EngineContext,
  call: AuditedCall,
  run: (within: EngineContext, about: CallContext['about']) => Promise<Reply<unknown>>,
): Promise<Reply<unknown>> {
  const { teamId, object } = await resolveSubject(engine, call)
  const made: Record<string, string> = {}
  if (teamId === null) return run(engine, () => {})
  const entry = (id: string, outcome: string): AuditEntry => ({
    entryId: id,
    teamId,
    at: call.now,
    actor: call.caller.actor,
    operation: call.id,
    // the object that a refused call would have created does not exist
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
    // return the refusal even if its entry cannot be written; a call that timed out waiting for a lock does not wait again
    if (code !== 'store_busy') await append(code).catch(() => {})
    throw error
  }
  const outcome = replyOutcome(reply)
  if (!auditing.isAudited() || outcome !== 'ok') await append(outcome)
  return reply
}

/** Returns the team that the call belongs to, and the IDs in the call. */
export async function resolveSubject(
  engine: EngineContext,
  { operation, input, caller }: AuditedCall,
): Promise<{ teamId: TeamId | null; object: Record<string, string> }> {
  const object = readObjectIds(operation, input, engine.providers)
  if (caller.team !== null) return { teamId: caller.team.teamId, object }
  const token = caller.linkToken === null ? null : await tokenNamed(engine, caller.linkToken)
  return token ? { teamId: token.teamId, object: { user_id: token.userId, ...object } } : { teamId: null, object }
}

/** Returns a call's outcome. A failed link reports its failure in the response. See docs/interface/linking.md#linking-9. */
export function replyOutcome(reply: Reply<unknown>): string {
  if (reply.kind !== 'json' || typeof reply.body !== 'object' || reply.body === null) return 'ok'
  const { state, error_type: errorType } = reply.body as { state?: unknown; error_type?: unknown }
  return state === 'error' && typeof errorType === 'string' ? errorType : 'ok'
}
