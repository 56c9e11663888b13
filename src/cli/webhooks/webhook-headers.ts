/** Builds the headers of a webhook that the command line itself sends, which are those of a real delivery. */
import { HEADER_PREFIX, sign } from '../../delivery/signature.ts'

export interface WebhookMessage {
  readonly id: string
  /** Number of the event among the events of its user. */
  readonly sequence: number
  /** Real time in seconds. */
  readonly timestamp: number
  readonly body: string | Uint8Array
}

export interface HeaderOptions {
  readonly keys: readonly Uint8Array[]
  /** Send the headers a second time with this prefix, for example `svix-`. */
  readonly headerPrefix: string | null
  /** Version of svc. */
  readonly version: string
}

export function webhookHeaders(message: WebhookMessage, options: HeaderOptions): Record<string, string> {
  const prefixes = new Set([HEADER_PREFIX, options.headerPrefix ?? HEADER_PREFIX])
  return {
    'content-type': 'application/json',
    'user-agent': `svc/${options.version}`,
    ...sign(message, options.keys, options.headerPrefix),
    ...Object.fromEntries([...prefixes].map(prefix => [`${prefix}sequence`, String(message.sequence)])),
  }
}

/** Returns the current time in the format of `webhook-timestamp`. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000)
}
