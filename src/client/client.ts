/** The interface through which a command calls the service: one call per operation, embedded or over HTTP. */
import type { CallerInput, Reply, ReplyBody } from '../contract/kernel/operation.ts'
import type { OperationId, Operations } from '../contract/operations.ts'

/** The operation's response body. */
export type ResponseOf<K extends OperationId> = ReplyBody<Operations[K]>

/** The input of any operation. */
export interface CallInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export interface CallOptions {
  /** Link token, for link operations. */
  readonly linkToken?: string
  readonly accept?: string
  /** The headers that the operation reads (`Operation.headers`), by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Reports the progress of an upload or import. */
  readonly onProgress?: (progress: CallProgress) => void
}

export interface CallProgress {
  /** The client itself reports `sending`, while it sends bytes to a server. The engine reports the other phases (see ImportPhase). */
  readonly phase: 'sending' | 'receiving' | 'unpacking' | 'reading' | 'storing' | 'comparing'
  /** Bytes processed in the phase. A total of 0 means that it is unknown. */
  readonly doneBytes: number
  readonly totalBytes: number
  readonly records: number
}

export interface ServiceClient {
  /** Throws ServiceError for every response that is not 2xx. */
  call<K extends OperationId>(
    id: K,
    input: CallerInput<Operations[K]>,
    options?: CallOptions,
  ): Promise<Reply<ResponseOf<K>>>
  close(): Promise<void>
}
