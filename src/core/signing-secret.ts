/** Secrets that sign webhooks: `whsec_` followed by the key in base64, as in Standard Webhooks. */
import type { RandomSource } from './random.ts'

const PREFIX = 'whsec_'
const NEW_KEY_BYTES = 32
/** The lengths that Standard Webhooks allows. */
const FEWEST_KEY_BYTES = 24
const MOST_KEY_BYTES = 64

const FORM = `must be ${PREFIX} followed by the base64 of ${FEWEST_KEY_BYTES} to ${MOST_KEY_BYTES} bytes`

/** Returns a key's text form. */
export function secretText(key: Uint8Array): string {
  return PREFIX + Buffer.from(key).toString('base64')
}

/** Returns a new secret of 32 random bytes in text form: `whsec_…`. */
export function newSecret(random: RandomSource): string {
  return secretText(random.bytes(NEW_KEY_BYTES))
}

/**
 * Returns a secret's key, or a description of the error in its format, which never repeats any part of the secret. `whsec_` may be omitted.
 */
export function parseSigningSecret(text: string): { readonly key: Uint8Array } | { readonly problem: string } {
  if (/^wh[sp]k_/.test(text)) {
    return { problem: `${FORM}; this is an asymmetric key (whsk_ or whpk_), which is not supported` }
  }
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text
  if (encoded === '') return { problem: `${FORM}; it is empty` }
  const odd = encoded.search(/[^A-Za-z0-9+/=]/)
  if (odd >= 0) {
    const urlSafe = /[-_]/.test(encoded.charAt(odd))
      ? ' (- and _ belong to the URL-safe alphabet, which is not supported)'
      : ''
    return { problem: `${FORM}; character ${text.length - encoded.length + odd + 1} is not base64${urlSafe}` }
  }
  const key = Buffer.from(encoded, 'base64')
  if (key.toString('base64').replace(/=+$/, '') !== encoded.replace(/=+$/, '') || encoded.length % 4 === 1) {
    return { problem: `${FORM}; it is cut off or its padding is wrong` }
  }
  if (key.length < FEWEST_KEY_BYTES || key.length > MOST_KEY_BYTES) {
    return { problem: `${FORM}; it has ${key.length === 1 ? '1 byte' : `${key.length} bytes`}` }
  }
  return { key }
}
