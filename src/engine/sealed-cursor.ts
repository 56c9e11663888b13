/** Seals opaque cursors: a few bytes of state that are signed and bound to all parameters of the pagination. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalid } from '../core/errors.ts'

const VERSION = 1
const MAC_BYTES = 16

/** Returns a cursor's text. `pagination` lists the parameters to which the cursor is bound, starting with its kind. */
export function seal(key: Uint8Array, pagination: readonly unknown[], state: Buffer): string {
  const bytes = Buffer.concat([Buffer.of(VERSION), state])
  return Buffer.concat([bytes, computeMac(key, pagination, bytes)]).toString('base64url')
}

/**
 * Returns the state that was sealed for exactly this pagination. Throws 422 `invalid_cursor` for anything else. `what` describes the
 * parameters to which the cursor is bound.
 */
export function unseal(
  key: Uint8Array,
  pagination: readonly unknown[],
  cursor: string,
  size: number,
  what: string,
): Buffer {
  const bytes = Buffer.from(cursor, 'base64url')
  const sealed = bytes.subarray(0, 1 + size)
  const genuine =
    bytes.length === 1 + size + MAC_BYTES &&
    sealed[0] === VERSION &&
    timingSafeEqual(bytes.subarray(1 + size), computeMac(key, pagination, sealed))
  if (genuine) return sealed.subarray(1)
  const msg = `was not issued for this ${what}; start again without a cursor`
  throw invalid([{ loc: ['query', 'next_cursor'], msg, type: 'value_error' }], 'invalid_cursor')
}

function computeMac(key: Uint8Array, pagination: readonly unknown[], sealed: Buffer): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(pagination)).update(sealed).digest().subarray(0, MAC_BYTES)
}
