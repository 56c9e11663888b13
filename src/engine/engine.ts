/** Runs operations: finds the handler, identifies the caller, checks permissions, parses the input and calls the handler. */
import { type Operation, type Reply, type ThreadName, takesIdempotencyKey } from '../contract/kernel/operation.ts'
import { parseInput, type RawInput } from '../contract/kernel/validation.ts'
import { type OperationId, operations } from '../contract/operations.ts'
import { clockAt } from '../core/clock.ts'
import { type EpochMs, formatDate, type IsoDate } from '../core/time.ts'
import { audited, isAudited } from './audit/audit.ts'
import { authenticate } from './authenticate.ts'
import {
  type CallContext,
  type Caller,
  type EngineContext,
  type EngineRequest,
  type Handler,
  writeAndReply,
} from './context.ts'
import { findAnnouncement, refuseRemoved, withAnnouncement } from './deprecations.ts'
import { handlers } from './handlers.ts'
import { once, readIdempotencyKey } from './idempotency/once.ts'
import { recordedCall } from './recordings/calls.ts'
import { refuseForbidden } from './teams/permissions.ts'
import { refuseUnsupported } from './unsupported.ts'

export type { EngineRequest } from './context.ts'

/** Runs one operation. Throws ServiceError for every response outside 2xx. Any other error is a bug. */
export async function runOperation(
  engine: EngineContext,
  id: OperationId,
  request: EngineRequest,
): Promise<Reply<unknown>> {
  const operation: Operation = operations[id]
  const real = engine.time.now()
  const now = clockAt(await engine.store.clock.read(), real)
  const caller = request.caller ?? (await authenticate(engine, operation.auth, request.credentials, now))
  request.admit?.(caller)
  refuseUnsupported(engine, operation, request.input, caller)
  const remoteReply = request.elsewhere && (await request.elsewhere(caller))
  if (remoteReply) return remoteReply
  const thread = engine.apart ? chooseThread(operation, request.input) : null
  if (engine.apart && thread) return engine.apart.operation(thread, id, calledBy(request, caller))
  if (!isAudited(operation, request.input))
    return perform(engine, id, request.input, new Call(request, caller, now, nothing))
  const call = { id, operation, input: request.input, caller, now, real, signal: () => request.signal }
  return recordedCall(engine, call, (within, input) =>
    audited(within, { id, operation, input, caller, now }, (written, about) =>
      perform(written, id, input, new Call(request, caller, now, about)),
    ),
  )
}

/** Runs a call in a thread, without authenticating the caller a second time. */
function calledBy({ input, credentials, accept, signal }: EngineRequest, caller: Caller): EngineRequest {
  return { input, credentials, caller, accept, ...(signal ? { signal } : {}) }
}

function chooseThread({ takesLong }: Operation, { query }: RawInput): ThreadName | null {
  return typeof takesLong === 'function' ? takesLong(query) : (takesLong ?? null)
}

async function perform(engine: EngineContext, id: OperationId, given: RawInput, call: Call): Promise<Reply<unknown>> {
  const operation: Operation = operations[id]
  refuseForbidden(operation, call.caller, given)
  const announcement = findAnnouncement(operation, given.params)
  if (announcement) refuseRemoved(announcement, call.compatibilityDate)
  const input = parseInput(operation, given, engine.providers)
  // The table and the handler map have the same keys. The type of `handlers` checks that each handler matches its operation.
  const handler = handlers[id] as Handler<OperationId>
  const key = takesIdempotencyKey(operation) ? readIdempotencyKey(input.headers) : null
  // `never`: parseInput returned this operation's input, which the handlers' union type cannot express
  const reply =
    key === null
      ? await handler(engine, input as never, call as never)
      : await once(engine, key, { id, operation, given, input, call }, (within, own, inner) =>
          handler(within, own as never, inner as never),
        )
  return announcement ? withAnnouncement(reply, announcement) : reply
}

/** A class, because an object literal with a getter is built property by property each time. */
class Call implements CallContext {
  readonly caller: Caller
  readonly now: EpochMs
  readonly about: CallContext['about']
  readonly team: CallContext['team']
  readonly linkToken: string | null
  readonly actor: Caller['actor']
  readonly isOperator: boolean
  readonly accept: string
  readonly compatibilityDate: IsoDate
  readonly onProgress: CallContext['onProgress']
  readonly operate = runOperation
  readonly settle = writeAndReply
  private readonly request: EngineRequest

  constructor(request: EngineRequest, caller: Caller, now: EpochMs, about: CallContext['about']) {
    this.request = request
    this.caller = caller
    this.now = now
    this.about = about
    this.team = caller.team
    this.linkToken = caller.linkToken
    this.actor = caller.actor
    this.isOperator = caller.isOperator
    this.accept = request.accept
    this.compatibilityDate = caller.team?.compatibilityDate ?? formatDate(now)
    this.onProgress = request.onProgress
  }

  get browser(): string | null {
    return this.request.browser ?? null
  }

  get session(): string | null {
    const { credentials } = this.request
    if (credentials.kind !== 'headers' || credentials.apiKey !== null || credentials.linkToken !== null) return null
    return credentials.session ?? null
  }

  /** Created on demand, because most calls finish before the caller can disconnect. */
  get signal(): AbortSignal | undefined {
    return this.request.signal
  }
}

/** Returns the engine's time in whole milliseconds, like the store's clock. */
export async function engineNow(engine: EngineContext): Promise<number> {
  return clockAt(await engine.store.clock.read(), engine.time.now())
}

function nothing(): void {}
