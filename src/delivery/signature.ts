/** Signs webhooks and checks their signatures as Standard Webhooks specifies: HMAC-SHA256 over `id.timestamp.body`. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../core/errors.ts'
import { parseSigningSecret } from '../core/signing-secret.ts'

export { newSecret, secretText } from '../core/signing-secret.ts'

const VERSION = 'v1'
/** The prefix of the three headers in Standard Webhooks. */
export const HEADER_PREFIX = 'webhook-'

/** The signed content: the event ID, the real time in seconds, and the exact bytes of the body. */
export interface SignedMessage {
  readonly id: string
  readonly timestamp: number
  readonly body: Uint8Array | string
}

/**
 * Returns the key of a secret (`whsec_…`). Throws ServiceError `usage`, which explains the error in the secret's format without quoting the
 * secret.
 */
export function parseSecret(text: string): Uint8Array {
  const read = parseSigningSecret(text)
  if ('key' in read) return read.key
  throw new ServiceError('usage', `The signing secret ${read.problem}.`, {
    suggestions: ["`svc webhook create` and `svc webhook rotate-secret` show an endpoint's secret once."],
  })
}

/**
 * Returns the three headers by lower-case name. With `headerPrefix` (for example `svix-`), also returns them under that prefix. There is
 * one signature per key, in the order of the keys; during a rotation, there are two.
 */
export function sign(
  message: SignedMessage,
  keys: readonly Uint8Array[],
  headerPrefix: string | null = null,
): Record<string, string> {
  const values = [
    ['id', message.id],
    ['timestamp', String(message.timestamp)],
    ['signature', keys.map(key => `${VERSION},${computeMac(message, key).toString('base64')}`).join(' ')],
  ] as const
  const prefixes =
    headerPrefix === null || headerPrefix === HEADER_PREFIX ? [HEADER_PREFIX] : [HEADER_PREFIX, headerPrefix]
  const headers: Record<string, string> = {}
  for (const prefix of prefixes) for (const [name, value] of values) headers[prefix + name] = value
  return headers
}

/** Returns whether one of the signatures (`v1,… v1,…`) was created with this key. Compares in constant time. */
export function matches(message: SignedMessage, key: Uint8Array, signatures: readonly string[]): boolean {
  const mac = computeMac(message, key)
  return signatures.some(text => {
    const [version, encoded] = text.split(',', 2)
    if (version !== VERSION || encoded === undefined) return false
    const given = Buffer.from(encoded, 'base64')
    return given.length === mac.length && timingSafeEqual(given, mac)
  })
}

function computeMac({ id, timestamp, body }: SignedMessage, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
}
