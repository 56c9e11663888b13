/** Reads binary responses. */
import type { CallOptions, ResponseOf, ServiceClient } from '../../client/client.ts'
import type { CallerInput, Reply } from '../../contract/kernel/operation.ts'
import type { OperationId, Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'

/**
 * Calls an operation that responds with bytes, and yields them as they arrive. Throws any error of the call, and ServiceError
 * `bad_response` with the message `otherwise` for any other response.
 */
export async function fetchBytes<K extends OperationId>(
  client: ServiceClient,
  id: K,
  input: CallerInput<Operations[K]>,
  { otherwise, onHeaders, ...options }: CallOptions & { readonly otherwise: string; readonly onHeaders?: OnHeaders },
): Promise<AsyncIterable<Uint8Array>> {
  const reply = await client.call(id, input, options)
  onHeaders?.(reply.headers)
  return requireBytes<ResponseOf<K>>(reply, otherwise)
}

/** Receives the headers of a response, by lower-case name. */
export type OnHeaders = (headers: Readonly<Record<string, string>>) => void

/** Yields the bytes of a response. Throws ServiceError `bad_response` with the message `otherwise` for any other response. */
export function requireBytes<Body>(reply: Reply<Body>, otherwise: string): AsyncIterable<Uint8Array> {
  if (reply.kind !== 'bytes') throw new ServiceError('bad_response', otherwise)
  return reply.bytes instanceof Uint8Array ? asOnePiece(reply.bytes) : reply.bytes
}

/** Yields bytes as one piece. */
export async function* asOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
