/** A call's body, held until the call is over. Also decides whether the call runs here or in a thread. */
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Operation, Reply } from '../../contract/kernel/operation.ts'
import { type OperationId, operations } from '../../contract/operations.ts'
import type { UserId } from '../../core/ids.ts'
import type { Caller, EngineContext, EngineRequest } from '../../engine/context.ts'
import { activeUser } from '../../engine/users/users.ts'
import { readUpload, receiveJson } from '../http/body.ts'
import type { BodyThread } from './body-thread.ts'
import type { BodyBudget } from './budget.ts'
import { HeldUpload } from './held-upload.ts'
import { isQuickPush } from './quick-push.ts'

export interface CallBodyOptions {
  readonly engine: EngineContext
  readonly budget: BodyBudget
  /** Null if every call runs on the event loop. */
  readonly bodyThread: BodyThread | null
}

export interface CallBody {
  /** The body in the form that the operation reads. */
  readonly input: unknown
  /** Returns a thread's reply, or null if the call must run here. Throws ServiceError `overloaded` if there is no room for the body. */
  readonly elsewhere?: (request: EngineRequest, caller: Caller) => Promise<Reply<unknown> | null>
  release?(): void
}

/**
 * Receives a call's body; returns undefined if there is none. Throws ServiceError 408, 413, 415, 422 or 503 for a JSON body. Errors in an
 * upload are thrown to its reader.
 */
export async function receive(
  id: OperationId,
  given: Readable | undefined,
  headers: IncomingHttpHeaders,
  options: CallBodyOptions,
): Promise<CallBody | undefined> {
  const operation: Operation = operations[id]
  if (!operation.bodyIsBytes) return receiveJson(given, headers, options.budget)
  const stream = given ?? Readable.from([])
  if (operation.bodyIsHeld) return heldUpload(id, stream, options)
  return { input: { kind: 'stream', stream: readUpload(stream) } }
}

function heldUpload(id: OperationId, stream: Readable, { engine, budget, bodyThread }: CallBodyOptions): CallBody {
  const upload = new HeldUpload(stream, budget)
  return {
    input: upload,
    async elsewhere(request, { team }) {
      // the call itself validates the ID; no user is found here for an invalid one
      const userId = request.input.params['user_id'] as UserId
      // refuse a call about an unknown user before reading its body
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
