/** Checks a received webhook by its headers, and says why it does not pass. */
import { HEADER_PREFIX, matches, type SignedMessage } from './signature.ts'

/** Seconds that a timestamp may be off, either way. */
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
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
  /** Any one of them may have signed it. */
  readonly keys: readonly Uint8Array[]
  /** Real time. */
  readonly nowSeconds: number
  /** 0: the timestamp is not checked. */
  readonly toleranceSeconds?: number
  /** Of the three headers; absent: `webhook-`, else the one that all three of them have. */
  readonly headerPrefix?: string | undefined
}

/** The signature is checked first, so that a wrong timestamp can say whether everything else is right. */
export function verify(webhook: ReceivedWebhook): Verification {
  const read = readHeaders(webhook)
  if ('ok' in read) return read
  const { message, signatures, timestampName } = read
  if (!webhook.keys.some(key => matches(message, key, signatures))) return mismatch(webhook, message, signatures)
  const ageSeconds = webhook.nowSeconds - message.timestamp
  const tolerance = webhook.toleranceSeconds ?? TOLERANCE_SECONDS
  if (tolerance > 0 && Math.abs(ageSeconds) > tolerance) {
    const [problem, side] = ageSeconds > 0 ? (['too_old', 'before'] as const) : (['too_new', 'after'] as const)
    const off = `${timestampName} is ${Math.abs(ageSeconds)} s ${side} now, and ${tolerance} s is allowed`
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
    // a header that came twice is a list, as node joins it
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
    return wrong('malformed_header', `${timestampName} is no whole number of seconds since 1970${hint}.`)
  }
  const signatures = wanted('signature').split(/\s+/)
  if (!signatures.some(text => /^v1,[A-Za-z0-9+/]{43}=$/.test(text))) {
    const form = 'v1, and the base64 of 32 bytes, one or several with spaces between'
    return wrong('malformed_header', `${prefix}signature holds no signature of the form ${form}.`)
  }
  return { message: { id: wanted('id'), timestamp: Number(digits), body }, signatures, timestampName }
}

/** The prefix that all three headers are there under. */
function prefixIn(names: readonly string[]): string {
  const has = (prefix: string): boolean => ['id', 'timestamp', 'signature'].every(name => names.includes(prefix + name))
  if (has(HEADER_PREFIX)) return HEADER_PREFIX
  const candidates = names.filter(name => name.endsWith('signature')).map(name => name.slice(0, -'signature'.length))
  return candidates.find(has) ?? HEADER_PREFIX
}

/** Tries what usually goes wrong on the way of a body, and with a key. */
function mismatch(
  { keys, body }: ReceivedWebhook,
  message: SignedMessage,
  signatures: readonly string[],
): Verification & { ok: false } {
  for (const [how, changed] of formerBodies(body)) {
    if (keys.some(key => matches({ ...message, body: changed }, key, signatures))) {
      const reason = `The body was changed on its way: the signature matches ${how}. Keep the bytes as they arrived.`
      return { ok: false, problem: 'body_changed', reason }
    }
  }
  const asText = keys.flatMap(key => {
    const encoded = Buffer.from(key).toString('base64')
    return [Buffer.from(encoded), Buffer.from(`whsec_${encoded}`)]
  })
  if (asText.some(key => matches(message, key, signatures))) {
    const reason = 'It was signed with the text of the secret: the key is what the base64 after whsec_ stands for.'
    return { ok: false, problem: 'wrong_key_form', reason }
  }
  const shown = keys.length === 1 ? 'this secret' : 'any of these secrets'
  const reason = `No signature is of ${shown} over this id, timestamp and body: another secret, or the body (${body.length} bytes) or a header was changed.`
  return { ok: false, problem: 'no_match', reason }
}

/** What the body may have been, each with words for it. */
function* formerBodies(body: Uint8Array): Generator<readonly [string, Uint8Array | string]> {
  const text = Buffer.from(body).toString('utf8')
  const withoutEnd = text.replace(/[\r\n]+$/, '')
  if (withoutEnd !== text) yield ['without the line break at its end', withoutEnd]
  yield ['with a line break at its end', `${text}\n`]
  if (text.includes('\r\n')) yield ['with plain line feeds', text.replaceAll('\r\n', '\n')]
  if (text.startsWith('\ufeff')) yield ['without the byte order mark', text.slice(1)]
  try {
    yield [
      'after the JSON is written without spaces: it was parsed and written again',
      JSON.stringify(JSON.parse(text)),
    ]
  } catch {
    // no JSON
  }
}
