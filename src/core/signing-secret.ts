/** Secrets that webhooks are signed with: `whsec_` and the key in base64, as Standard Webhooks writes them. */
import type { RandomSource } from './random.ts'

const PREFIX = 'whsec_'
const NEW_KEY_BYTES = 32
/** What Standard Webhooks allows. */
const FEWEST_KEY_BYTES = 24
const MOST_KEY_BYTES = 64

const FORM = `must be ${PREFIX} and the base64 of ${FEWEST_KEY_BYTES} to ${MOST_KEY_BYTES} bytes`

/** The text of a key. */
export function secretText(key: Uint8Array): string {
  return PREFIX + Buffer.from(key).toString('base64')
}

/** A secret of 32 random bytes, as it is shown: `whsec_…`. */
export function newSecret(random: RandomSource): string {
  return secretText(random.bytes(NEW_KEY_BYTES))
}

/** The key of a secret, or what is wrong with its form; never says a part of it. `whsec_` may be left out. */
export function readSecret(text: string): { readonly key: Uint8Array } | { readonly problem: string } {
  if (/^wh[sp]k_/.test(text)) {
    return { problem: `${FORM}; this is an asymmetric key (whsk_, whpk_), which is not used here` }
  }
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text
  if (encoded === '') return { problem: `${FORM}; it is empty` }
  const odd = encoded.search(/[^A-Za-z0-9+/=]/)
  if (odd >= 0) {
    const urlSafe = /[-_]/.test(encoded[odd] as string)
      ? ' (- and _ belong to the URL-safe alphabet, not to this one)'
      : ''
    return { problem: `${FORM}; character ${text.length - encoded.length + odd + 1} is not base64${urlSafe}` }
  }
  const key = Buffer.from(encoded, 'base64')
  if (key.toString('base64').replace(/=+$/, '') !== encoded.replace(/=+$/, '') || encoded.length % 4 === 1) {
    return { problem: `${FORM}; it is cut off, or its padding is wrong` }
  }
  if (key.length < FEWEST_KEY_BYTES || key.length > MOST_KEY_BYTES) {
    return { problem: `${FORM}; it holds ${key.length === 1 ? '1 byte' : `${key.length} bytes`}` }
  }
  return { key }
}
