/** The body of one call, held until the call is over, and with it the choice of where the call runs: here or in a thread. */
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Operation, Reply } from '../../contract/kernel/operation.ts'
import { type OperationId, operations } from '../../contract/operations.ts'
import type { UserId } from '../../core/ids.ts'
import type { Caller, EngineContext, EngineRequest } from '../../engine/context.ts'
import { activeUser } from '../../engine/users/users.ts'
import { receiveJson, uploaded } from '../http/body.ts'
import type { BodyThread } from './body-thread.ts'
import type { BodyBudget } from './budget.ts'
import { HeldUpload } from './held-upload.ts'
import { isQuickPush } from './quick-push.ts'

export interface CallBodyOptions {
  readonly engine: EngineContext
  readonly budget: BodyBudget
  /** Null: every call runs here. */
  readonly bodyThread: BodyThread | null
}

export interface CallBody {
  /** For the operation. */
  readonly input: unknown
  /** The reply of a thread, or null: the call is to run here. Throws ServiceError `overloaded` when there is no room for the body. */
  readonly elsewhere?: (request: EngineRequest, caller: Caller) => Promise<Reply<unknown> | null>
  release?(): void
}

/**
 * Undefined: there is none. Throws ServiceError 408, 413, 415, 422 and 503 for a body in JSON; what is wrong with an upload is told
 * to who reads it.
 */
export async function receive(
  id: OperationId,
  given: Readable | undefined,
  headers: IncomingHttpHeaders,
  options: CallBodyOptions,
): Promise<CallBody | undefined> {
  const operation: Operation = operations[id]
  if (!operation.bodyIsBytes) return given && receiveJson(given, headers, options.budget)
  const stream = given ?? Readable.from([])
  if (operation.bodyIsHeld) return heldUpload(id, stream, options)
  return { input: { kind: 'stream', stream: uploaded(stream) } }
}

function heldUpload(id: OperationId, stream: Readable, { engine, budget, bodyThread }: CallBodyOptions): CallBody {
  const upload = new HeldUpload(stream, budget)
  return {
    input: upload,
    async elsewhere(request, { team }) {
      // checked as an id where the call runs: nobody is found by what is none
      const userId = request.input.params['user_id'] as UserId
      // a call that is refused for its user is refused before its body is read
      const user = team && (await activeUser(engine, team.teamId, userId).catch(() => null))
      if (user === null) return null
      const gathered = await upload.gather()
      if (gathered === null) return null
      if (bodyThread !== null && !isQuickPush(gathered)) return bodyThread.run(id, request, gathered.bytes)
      upload.weigh()
      return null
    },
    release: () => upload.release(),
  }
}
