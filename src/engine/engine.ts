/** The service: finds the handler of an operation, says who is calling, what they may, parses the input and runs it. */
import type { Operation, Reply } from '../contract/operation.ts'
import { type OperationId, operations } from '../contract/operations.ts'
import { parseInput, type RawInput } from '../contract/validation.ts'
import { formatDate } from '../core/time.ts'
import { isAudited, recorded } from './audit/audit.ts'
import { authenticate } from './authenticate.ts'
import type { CallContext, Caller, Credentials, EngineContext, Handler, ImportProgress } from './context.ts'
import { announcementOf, refuseRemoved, withAnnouncement } from './deprecations.ts'
import { handlers } from './handlers.ts'
import { refuseForbidden } from './teams/permissions.ts'

export interface EngineRequest {
  readonly input: RawInput
  readonly credentials: Credentials
  readonly accept: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined
  /** Told who calls before anything is done for them; it may throw (a rate limit). */
  readonly admit?: ((caller: Caller) => void) | undefined
}

/** Runs one operation. Throws ServiceError for every answer that is not 2xx; anything else thrown is a bug. */
export async function runOperation(
  engine: EngineContext,
  id: OperationId,
  request: EngineRequest,
): Promise<Reply<unknown>> {
  const operation: Operation = operations[id]
  const now = await engineNow(engine)
  const caller = await authenticate(engine, operation.auth, request.credentials, now)
  request.admit?.(caller)
  const run = async (within: EngineContext, about: CallContext['about']): Promise<Reply<unknown>> => {
    refuseForbidden(operation, caller)
    const compatibilityDate = caller.team?.compatibilityDate ?? formatDate(now)
    const announcement = announcementOf(operation, request.input.params)
    if (announcement) refuseRemoved(announcement, compatibilityDate)
    const input = parseInput(operation, request.input)
    const call: CallContext = {
      team: caller.team,
      linkToken: caller.linkToken,
      actor: caller.actor,
      accept: request.accept,
      now,
      compatibilityDate,
      about,
      // made when it is asked for: most calls are over before anybody could leave
      get signal() {
        return request.signal
      },
      onProgress: request.onProgress,
    }
    // The table and the handler map are keyed alike; the pairing of one id's types is what `handlers` is checked for.
    const handler = handlers[id] as unknown as Handler<OperationId>
    const reply = await handler(within, input as never, call as never)
    return announcement ? withAnnouncement(reply, announcement) : reply
  }
  if (!isAudited(operation)) return run(engine, nothing)
  return recorded(engine, { id, operation, input: request.input, caller, now }, run)
}

/** The engine's now: real time and the offset that the store keeps, whole milliseconds. */
export async function engineNow(engine: EngineContext): Promise<number> {
  const { offsetMs } = await engine.store.clock()
  return engine.time.now() + offsetMs
}

function nothing(): void {}
