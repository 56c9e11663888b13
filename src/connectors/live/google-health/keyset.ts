/**
 * The public keys for Google's notification signatures: a Tink keyset in JSON, which contains protobuf in base64. The keyset is public and
 * the same for everyone, so it is cached for the whole process.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { HOUR_MS, MINUTE_MS } from '../../../core/time.ts'
import { type AppSession, ProviderError } from '../../provider-session.ts'
import { asList, asNumber, asText, member } from '../../shared/json-fields.ts'
import { objectIn } from '../requests.ts'

interface Keyset {
  readonly keys: ReadonlyMap<number, KeyObject>
  readonly readAt: number
}

const keysets = new Map<string, Keyset>()
const MOST_AGE_MS = 24 * HOUR_MS
/** Minimum time between reads of the keys. An unknown key ID causes another read, but a forger can send one in every request. */
const LEAST_AGE_MS = MINUTE_MS
/** The first byte of a Tink signature, which is followed by the key ID. */
const TINK_PREFIX = 1
const PREFIX_BYTES = 5
/** Number of bytes in a coordinate on P-256. */
const COORDINATE = 32
/** Field numbers in a public key. */
const FIELD_X = 3
const FIELD_Y = 4

/** Returns whether a base64 signature over these bytes was made by the provider. Throws ProviderError if the keys cannot be read. */
export async function isSigned(session: AppSession, signature: string, body: Uint8Array): Promise<boolean> {
  const bytes = Buffer.from(signature, 'base64')
  if (bytes.length <= PREFIX_BYTES || bytes[0] !== TINK_PREFIX) return false
  const key = await findKey(session, bytes.readUInt32BE(1))
  return key !== undefined && verify('sha256', body, key, bytes.subarray(PREFIX_BYTES))
}

/**
 * Returns the part that all encodings of one signature have in common. The same signature has several base64 encodings, and anyone who
 * knows the numbers r and s can replace s with another valid number. r is random, so it differs between signatures.
 */
export function signatureId(signature: string): string {
  const der = Buffer.from(signature, 'base64').subarray(PREFIX_BYTES)
  // a sequence of two integers, each preceded by a type byte and a length byte
  return der.subarray(4, 4 + (der[3] ?? 0)).toString('base64url')
}

async function findKey(session: AppSession, id: number): Promise<KeyObject | undefined> {
  const url = session.app.settings['keyset_url'] ?? ''
  const kept = keysets.get(url)
  const age = kept === undefined ? Number.POSITIVE_INFINITY : Math.abs(session.now() - kept.readAt)
  if (kept !== undefined && age < (kept.keys.has(id) ? MOST_AGE_MS : LEAST_AGE_MS)) return kept.keys.get(id)
  const keys = keysIn(objectIn(await session.send({ method: 'GET', url: new URL(url) })))
  keysets.set(url, { keys, readAt: session.now() })
  return keys.get(id)
}

function keysIn(keyset: unknown): ReadonlyMap<number, KeyObject> {
  const keys = new Map<number, KeyObject>()
  for (const each of asList(member(keyset, 'key'))) {
    const id = asNumber(member(each, 'keyId'))
    const value = asText(member(member(each, 'keyData'), 'value'))
    if (id === undefined || value === undefined || member(each, 'status') !== 'ENABLED') continue
    const key = publicKey(Buffer.from(value, 'base64'))
    if (key !== undefined) keys.set(id, key)
  }
  if (keys.size > 0) return keys
  throw new ProviderError('bad_answer', 'The keyset for notifications of Google Health has no key that can be used.')
}

function publicKey(message: Buffer): KeyObject | undefined {
  const fields = bytesIn(message)
  const [x, y] = [coordinate(fields.get(FIELD_X)), coordinate(fields.get(FIELD_Y))]
  if (x === undefined || y === undefined) return undefined
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  } catch {
    return undefined // the coordinates are not a point on the curve
  }
}

/** Returns a coordinate as base64url. Removes the zero byte that some writers put before it, and pads a short one to its length. */
function coordinate(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return undefined
  const first = bytes.findIndex(byte => byte !== 0)
  const digits = first === -1 ? Buffer.alloc(0) : bytes.subarray(first)
  if (digits.length > COORDINATE) return undefined
  return Buffer.concat([Buffer.alloc(COORDINATE - digits.length), digits]).toString('base64url')
}

/** Returns a protobuf message's `bytes` fields by number. Reading stops early if the message is damaged. */
function bytesIn(message: Buffer): ReadonlyMap<number, Buffer> {
  const fields = new Map<number, Buffer>()
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; at < message.length; scale *= 128) {
      const byte = message.readUInt8(at++)
      value += (byte % 128) * scale
      if (byte < 128) break
    }
    return value
  }
  while (at < message.length) {
    const tag = varint()
    const wire = tag % 8
    const value = varint()
    if (wire === 0) continue
    // all other fields in a public key have a length
    if (wire !== 2) break
    fields.set(Math.floor(tag / 8), message.subarray(at, at + value))
    at += value
  }
  return fields
}
