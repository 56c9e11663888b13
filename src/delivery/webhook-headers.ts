/** Builds a webhook's headers, in the order in which they are sent. */
import { HEADER_PREFIX, type SignedMessage, sign } from './signature.ts'

export interface WebhookMessage extends SignedMessage {
  /** The event's number among its user's events. */
  readonly sequence: number
}

export interface HeaderOptions {
  readonly keys: readonly Uint8Array[]
  /** A prefix with which to send the headers a second time, for example `svix-`. */
  readonly headerPrefix: string | null
  /** Version of svc, for the User-Agent header. */
  readonly version: string
}

/** Returns alternating lower-case names and values. The message is signed once per key. */
export function webhookHeaders(message: WebhookMessage, { keys, headerPrefix, version }: HeaderOptions): string[] {
  const headers = ['content-type', 'application/json', 'user-agent', `svc/${version}`]
  for (const [name, value] of Object.entries(sign(message, keys, headerPrefix))) headers.push(name, value)
  const sequence = String(message.sequence)
  headers.push(`${HEADER_PREFIX}sequence`, sequence)
  if (headerPrefix !== null && headerPrefix !== HEADER_PREFIX) headers.push(`${headerPrefix}sequence`, sequence)
  return headers
}

/** Returns the same headers by name. */
export function headersByName(message: WebhookMessage, options: HeaderOptions): Record<string, string> {
  const list = webhookHeaders(message, options)
  return Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] ?? '']] : [])))
}

/** Formats a real time for `webhook-timestamp`. */
export function timestampAt(realNow: number): number {
  return Math.floor(realNow / 1_000)
}
