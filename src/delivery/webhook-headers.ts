/** Builds the headers of a webhook, in the order in which they are sent. */
import { HEADER_PREFIX, type SignedMessage, sign } from './signature.ts'

export interface WebhookMessage extends SignedMessage {
  /** Number of the event among the events of its user. */
  readonly sequence: number
}

export interface HeaderOptions {
  readonly keys: readonly Uint8Array[]
  /** Send the headers a second time with this prefix, for example `svix-`. */
  readonly headerPrefix: string | null
  /** Version of svc, for the User-Agent header. */
  readonly version: string
}

/** Returns the headers by lower-case name. The message is signed once with each key. */
export function webhookHeaders(
  message: WebhookMessage,
  { keys, headerPrefix, version }: HeaderOptions,
): Record<string, string> {
  const sequence = String(message.sequence)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': `svc/${version}`,
    ...sign(message, keys, headerPrefix),
    [`${HEADER_PREFIX}sequence`]: sequence,
  }
  if (headerPrefix !== null) headers[`${headerPrefix}sequence`] = sequence
  return headers
}

/** Returns a real time in the format of `webhook-timestamp`. */
export function timestampAt(realNow: number): number {
  return Math.floor(realNow / 1_000)
}

/** Returns headers as alternating names and values. */
export function namesAndValues(headers: Readonly<Record<string, string>>): string[] {
  const list: string[] = []
  for (const name in headers) list.push(name, headers[name] as string)
  return list
}
