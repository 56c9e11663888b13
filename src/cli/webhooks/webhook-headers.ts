/** The headers of a webhook that the command line itself sends: those of a real delivery. */
import { HEADER_PREFIX, sign } from '../../delivery/signature.ts'

export interface WebhookMessage {
  readonly id: string
  /** The number of the event among those of its user. */
  readonly sequence: number
  /** Real seconds. */
  readonly timestamp: number
  readonly body: string | Uint8Array
}

export interface HeaderOptions {
  readonly keys: readonly Uint8Array[]
  /** The headers go a second time under this prefix, `svix-` say. */
  readonly headerPrefix: string | null
  /** Of svc. */
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

/** Now, as `webhook-timestamp` has it. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000)
}
