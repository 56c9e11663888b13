/** How a command reaches the service: one call an operation, embedded or over HTTP. */
import type { CallerInput, Reply, ReplyBody } from '../contract/kernel/operation.ts'
import type { OperationId, Operations } from '../contract/operations.ts'

export interface CallOptions {
  /** Link token for the link operations. */
  readonly linkToken?: string
  readonly accept?: string
  /** Headers of the operation's own (`Operation.headers`), by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** How much of an uploaded or imported file is done. */
  readonly onProgress?: (progress: CallProgress) => void
}

export interface CallProgress {
  /** `sending` is this side's own: the bytes go to a server. The others are the engine's (see ImportPhase). */
  readonly phase: 'sending' | 'receiving' | 'unpacking' | 'reading' | 'storing' | 'comparing'
  /** Of the phase. The total is 0 where nobody knows it. */
  readonly doneBytes: number
  readonly totalBytes: number
  readonly records: number
}

export interface ServiceClient {
  /** Throws ServiceError for every answer that is not 2xx. */
  call<K extends OperationId>(
    id: K,
    input: CallerInput<Operations[K]>,
    options?: CallOptions,
  ): Promise<Reply<ReplyBody<Operations[K]>>>
  close(): Promise<void>
}
