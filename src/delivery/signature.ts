/** Signs webhooks and checks their signatures, as Standard Webhooks has it: HMAC-SHA256 over `id.timestamp.body`. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../core/errors.ts'
import { readSecret } from '../core/signing-secret.ts'

export { newSecret, secretText } from '../core/signing-secret.ts'

const VERSION = 'v1'
/** The prefix of the three headers in Standard Webhooks. */
export const HEADER_PREFIX = 'webhook-'

/** What is signed: the id of the event, real seconds, the very bytes of the body. */
export interface SignedMessage {
  readonly id: string
  readonly timestamp: number
  readonly body: Uint8Array | string
}

/** The key of a secret (`whsec_…`). Throws ServiceError `usage` that says what is wrong with its form and nothing of it. */
export function parseSecret(text: string): Uint8Array {
  const read = readSecret(text)
  if ('key' in read) return read.key
  throw new ServiceError('usage', `The signing secret ${read.problem}.`, {
    suggestions: ['`svc webhook create` and `svc webhook rotate-secret` show the secret of an endpoint, once.'],
  })
}

/**
 * The three headers, by lower-case name; with `headerPrefix` (`svix-`, say) the same three under it as well. A signature a key,
 * in the order of the keys: two during a rotation.
 */
export function sign(
  message: SignedMessage,
  keys: readonly Uint8Array[],
  headerPrefix: string | null = null,
): Record<string, string> {
  const values = [
    ['id', message.id],
    ['timestamp', String(message.timestamp)],
    ['signature', keys.map(key => `${VERSION},${macOf(message, key).toString('base64')}`).join(' ')],
  ] as const
  const prefixes =
    headerPrefix === null || headerPrefix === HEADER_PREFIX ? [HEADER_PREFIX] : [HEADER_PREFIX, headerPrefix]
  const headers: Record<string, string> = {}
  for (const prefix of prefixes) for (const [name, value] of values) headers[prefix + name] = value
  return headers
}

/** Whether a signature of the list (`v1,… v1,…`) is this key's; compared in constant time. */
export function matches(message: SignedMessage, key: Uint8Array, signatures: readonly string[]): boolean {
  const mac = macOf(message, key)
  return signatures.some(text => {
    const [version, encoded] = text.split(',', 2)
    if (version !== VERSION || encoded === undefined) return false
    const given = Buffer.from(encoded, 'base64')
    return given.length === mac.length && timingSafeEqual(given, mac)
  })
}

function macOf({ id, timestamp, body }: SignedMessage, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
}
