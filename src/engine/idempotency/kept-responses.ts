/** Encrypts the responses stored under an idempotency key, because they may contain secrets or health data. */
import type { Reply } from '../../contract/kernel/operation.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '../../core/error-catalogue.ts'
import { ServiceError } from '../../core/errors.ts'
import type { ResponseKey, StoredResponse } from '../../store/keyed-response.ts'
import type { EngineContext } from '../context.ts'
import { NONCE_BYTES, Sealing } from '../sealing.ts'

/** Marks a repeated response. */
export const REPLAYED: Readonly<Record<string, string>> = { 'x-idempotent-replayed': 'true' }

/** A response, and the IDs that the call created (for the audit trail). */
interface Document {
  readonly made: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Absent if the response has no body. */
  readonly body?: unknown
  /** Present only for a refusal. */
  readonly refusal?: { readonly code: ErrorCode; readonly message: string; readonly suggestions: readonly string[] }
}

const sealing = new Sealing('idempotent answers')
/** `{`, the first byte of a response that an older schema stored as JSON. */
const PLAIN = 0x7b

export const computeMac = (engine: EngineContext, ...parts: readonly (string | Uint8Array)[]): string =>
  sealing.mac(engine, ...parts).toString('hex')

/** Returns the response to store, or null for a binary response. No operation that accepts a key has binary responses. */
export function toKeptResponse(
  engine: EngineContext,
  key: ResponseKey,
  reply: Reply<unknown>,
  made: Document['made'],
): StoredResponse | null {
  if (reply.kind === 'bytes') return null
  const { status, headers } = reply
  return sealed(engine, key, status, { made, headers, ...(reply.kind === 'json' ? { body: reply.body } : {}) })
}

export function toKeptRefusal(engine: EngineContext, key: ResponseKey, error: ServiceError): StoredResponse {
  const { code, message, suggestions, body, headers } = error
  const status = error.status ?? 400
  return sealed(engine, key, status, { made: {}, headers, body, refusal: { code, message, suggestions } })
}

function sealed(engine: EngineContext, key: ResponseKey, status: number, document: Document): StoredResponse {
  const plain = Buffer.from(JSON.stringify(document))
  const boundTo = sealingContext(key, status)
  // derived from the sealed content, so that a response has the same bytes in every replay and no nonce is used for two responses
  const nonce = sealing.mac(engine, boundTo, plain).subarray(0, NONCE_BYTES)
  return { status, sealed: sealing.seal(engine, boundTo, plain, nonce) }
}

/**
 * Returns the first response again, and records in `about` what the first call created. Throws the original error if the first call was
 * refused, and 409 if the response cannot be decrypted.
 */
export function replayed(
  engine: EngineContext,
  key: ResponseKey,
  { status, sealed }: StoredResponse,
  about: (name: string, id: string) => void,
): Reply<unknown> {
  const { made, headers: own, body, refusal } = opened(engine, key, status, sealed)
  const headers = { ...own, ...REPLAYED }
  if (refusal && refusal.code in ERROR_CATALOGUE) {
    const { code, message, suggestions } = refusal
    const known = body as Readonly<Record<string, unknown>>
    throw new ServiceError(code, message, { suggestions, body: known, headers, status })
  }
  for (const [name, id] of Object.entries(made)) about(name, id)
  return status === 204 ? { kind: 'empty', status, headers } : { kind: 'json', status, headers, body }
}

function opened(engine: EngineContext, key: ResponseKey, status: number, sealed: Uint8Array): Document {
  try {
    if (sealed[0] === PLAIN) return ofOlderSchema(status, JSON.parse(Buffer.from(sealed).toString()))
    // only documents are sealed
    return JSON.parse(sealing.open(engine, sealingContext(key, status), sealed).toString()) as Document
  } catch (cause) {
    const message = 'This idempotency key was used before, and its response can no longer be opened.'
    throw new ServiceError('conflict', message, {
      suggestions: [
        'Check what the first call changed, and use a new key.',
        'The response was encrypted with another master key, or it is damaged.',
      ],
      cause,
    })
  }
}

function ofOlderSchema(status: number, body: Readonly<Record<string, unknown>>): Document {
  const plain = { made: {}, headers: {}, body }
  if (status === 200) return plain
  const { detail } = body
  const message = typeof detail === 'string' ? detail : 'The first call with this key was refused.'
  return { ...plain, refusal: { code: status === 404 ? 'not_found' : 'bad_request', message, suggestions: [] } }
}

/** Returns whether the response was stored by an older schema, which hashed requests differently. */
export const isOfOlderSchema = ({ sealed }: StoredResponse): boolean => sealed[0] === PLAIN

function sealingContext({ teamId, userId, keyHash }: ResponseKey, status: number): string {
  return [teamId, userId ?? '', keyHash, status].join('\0')
}
