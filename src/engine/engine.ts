/** The service: finds the handler of an operation, says who is calling, parses the input and runs it. */
import type { Operation, Reply } from '../contract/operation.ts'
import { type OperationId, operations } from '../contract/operations.ts'
import { parseInput, type RawInput } from '../contract/validation.ts'
import { authenticate } from './authenticate.ts'
import type { CallContext, Credentials, EngineContext, Handler, ImportProgress } from './context.ts'
import { handlers } from './handlers.ts'

export interface EngineRequest {
  readonly input: RawInput
  readonly credentials: Credentials
  readonly accept: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined
}

/** Runs one operation. Throws ServiceError for every answer that is not 2xx; anything else thrown is a bug. */
export async function runOperation(
  engine: EngineContext,
  id: OperationId,
  request: EngineRequest,
): Promise<Reply<unknown>> {
  const operation: Operation = operations[id]
  const { team, linkToken } = await authenticate(engine, operation.auth, request.credentials)
  const input = parseInput(operation, request.input)
  const call: CallContext = {
    team,
    linkToken,
    accept: request.accept,
    now: await engineNow(engine),
    signal: request.signal,
    onProgress: request.onProgress,
  }
  // The table and the handler map are keyed alike; the pairing of one id's types is what `handlers` is checked for.
  const handler = handlers[id] as unknown as Handler<OperationId>
  return handler(engine, input as never, call as never)
}

/** The engine's now: real time and the offset that the store keeps, whole milliseconds. */
export async function engineNow(engine: EngineContext): Promise<number> {
  const { offsetMs } = await engine.store.clock()
  return engine.time.now() + offsetMs
}
