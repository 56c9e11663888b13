/** Verifies a received webhook by its headers, and explains any failure. */
import { HEADER_PREFIX, matches, type SignedMessage } from './signature.ts'

/** How many seconds a timestamp may differ from now, in either direction. */
export const TOLERANCE_SECONDS = 5 * 60

export type VerificationProblem =
  | 'missing_header'
  | 'malformed_header'
  | 'no_match'
  | 'body_changed'
  | 'wrong_key_form'
  | 'too_old'
  | 'too_new'

export type Verification =
  | { readonly ok: true; readonly id: string; readonly timestamp: number; readonly ageSeconds: number }
  | { readonly ok: false; readonly problem: VerificationProblem; readonly reason: string }

export interface ReceivedWebhook {
  /** Header names in any case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
  /** The webhook is valid if any of these keys signed it. */
  readonly keys: readonly Uint8Array[]
  /** Real time. */
  readonly nowSeconds: number
  /** 0 skips the check of the timestamp. */
  readonly toleranceSeconds?: number
  /** Prefix of the three headers. Defaults to `webhook-`, or else to the prefix that all three headers share. */
  readonly headerPrefix?: string | undefined
}

/** Verifies a webhook. The signature is checked first, so that a wrong timestamp can be reported as the only problem. */
export function verify(webhook: ReceivedWebhook): Verification {
  const read = readHeaders(webhook)
  if ('ok' in read) return read
  const { message, signatures, timestampName } = read
  if (!webhook.keys.some(key => matches(message, key, signatures))) return mismatch(webhook, message, signatures)
  const ageSeconds = webhook.nowSeconds - message.timestamp
  const tolerance = webhook.toleranceSeconds ?? TOLERANCE_SECONDS
  if (tolerance > 0 && Math.abs(ageSeconds) > tolerance) {
    const [problem, side] = ageSeconds > 0 ? (['too_old', 'before'] as const) : (['too_new', 'after'] as const)
    const off = `${timestampName} is ${Math.abs(ageSeconds)} s ${side} now, and at most ${tolerance} s are allowed`
    return { ok: false, problem, reason: `The signature matches, but ${off}.` }
  }
  return { ok: true, id: message.id, timestamp: message.timestamp, ageSeconds }
}

interface ReadHeaders {
  readonly message: SignedMessage
  readonly signatures: readonly string[]
  readonly timestampName: string
}

function readHeaders({ headers, body, headerPrefix }: ReceivedWebhook): ReadHeaders | (Verification & { ok: false }) {
  const all = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    // a header that was sent several times is a list in Node
    if (value !== undefined)
      all.set(name.toLowerCase(), typeof value === 'string' ? value.trim() : value.join(' ').trim())
  }
  const prefix = (headerPrefix ?? prefixIn([...all.keys()])).toLowerCase()
  const wanted = (name: string): string => all.get(prefix + name) ?? ''
  const missing = ['id', 'timestamp', 'signature'].filter(name => wanted(name) === '').map(name => prefix + name)
  const wrong = (problem: VerificationProblem, reason: string) => ({ ok: false, problem, reason }) as const
  if (missing.length > 0) return wrong('missing_header', `Missing or empty: ${missing.join(', ')}.`)
  const timestampName = `${prefix}timestamp`
  const digits = wanted('timestamp')
  if (!/^\d{1,12}$/.test(digits)) {
    const hint = /^\d{13}$/.test(digits) ? ': it looks like milliseconds' : ''
    return wrong('malformed_header', `${timestampName} is not a whole number of seconds since 1970${hint}.`)
  }
  const signatures = wanted('signature').split(/\s+/)
  if (!signatures.some(text => /^v1,[A-Za-z0-9+/]{43}=$/.test(text))) {
    const form = '"v1," followed by the base64 of 32 bytes. Separate several signatures with spaces'
    return wrong('malformed_header', `${prefix}signature has no valid signature. The form is ${form}.`)
  }
  return { message: { id: wanted('id'), timestamp: Number(digits), body }, signatures, timestampName }
}

/** Returns the prefix that all three headers share. */
function prefixIn(names: readonly string[]): string {
  const has = (prefix: string): boolean => ['id', 'timestamp', 'signature'].every(name => names.includes(prefix + name))
  if (has(HEADER_PREFIX)) return HEADER_PREFIX
  const candidates = names.filter(name => name.endsWith('signature')).map(name => name.slice(0, -'signature'.length))
  return candidates.find(has) ?? HEADER_PREFIX
}

/** Explains a wrong signature by testing for common mistakes with the body and the key. */
function mismatch(
  { keys, body }: ReceivedWebhook,
  message: SignedMessage,
  signatures: readonly string[],
): Verification & { ok: false } {
  for (const [how, changed] of formerBodies(body)) {
    if (keys.some(key => matches({ ...message, body: changed }, key, signatures))) {
      const reason = `The body was changed in transit: the signature matches ${how}. Verify the exact bytes that arrived.`
      return { ok: false, problem: 'body_changed', reason }
    }
  }
  const asText = keys.flatMap(key => {
    const encoded = Buffer.from(key).toString('base64')
    return [Buffer.from(encoded), Buffer.from(`whsec_${encoded}`)]
  })
  if (asText.some(key => matches(message, key, signatures))) {
    const reason = 'It was signed with the text of the secret. The key is what the base64 after whsec_ decodes to.'
    return { ok: false, problem: 'wrong_key_form', reason }
  }
  const shown = keys.length === 1 ? 'this secret' : 'any of these secrets'
  const reason = `No signature was made with ${shown} for this id, timestamp and body. Either the secret is a different one, or the body (${body.length} bytes) or a header was changed.`
  return { ok: false, problem: 'no_match', reason }
}

/** Yields bodies that the sender may originally have signed, each with a description. */
function* formerBodies(body: Uint8Array): Generator<readonly [string, Uint8Array | string]> {
  const text = Buffer.from(body).toString('utf8')
  const withoutEnd = text.replace(/[\r\n]+$/, '')
  if (withoutEnd !== text) yield ['the body without its trailing newlines', withoutEnd]
  yield ['the body with a trailing newline', `${text}\n`]
  if (text.includes('\r\n')) yield ['the body with LF line breaks', text.replaceAll('\r\n', '\n')]
  if (text.startsWith('\ufeff')) yield ['the body without its byte order mark', text.slice(1)]
  try {
    yield ['the JSON written without spaces, so it was parsed and serialized again', JSON.stringify(JSON.parse(text))]
  } catch {
    // not JSON
  }
}
