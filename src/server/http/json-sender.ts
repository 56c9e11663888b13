/**
 * Sends JSON responses. Most of them bypass the framework, which inspects every header and the body's type each time. Nearly all responses
 * come from operations, which have only one type.
 */
import type { FastifyReply } from 'fastify'
import type { JsonReply } from '../../contract/kernel/operation.ts'
import type { SnapshotSharing } from '../../store/sharing.ts'
import { isUnread } from '../bodies/unread.ts'
import { RESPONSE_STALL_MS } from '../guards/limits.ts'

/** Sends the response or returns its body. A framework handler must return the result. */
export type JsonSender = (reply: FastifyReply, result: JsonReply<unknown>) => string | Uint8Array | undefined

export interface JsonSenderOptions {
  /** Headers of every response, in addition to its request ID. */
  readonly headers: Readonly<Record<string, string>>
  readonly isClosing: () => boolean
  readonly sharing: Pick<SnapshotSharing, 'leaveSnapshot' | 'isWriting'>
}

/** Maximum size of a response that fits into the system's buffers, even if the client reads nothing. */
export const BUFFERED_BYTES = 64 * 1024

/** Limits for responses that are sent together: their total size, and how long the first one waits while other requests are handled. */
const MOST_WAITING_BYTES = 1 << 20
const MOST_WAIT_MS = 4

const TYPE = 'application/json; charset=utf-8'

export function jsonSender({ headers, isClosing, sharing }: JsonSenderOptions): JsonSender {
  const common = Object.entries(headers).flat()
  const outbox = new Outbox(sharing)
  return (reply, result) => {
    const wire = result.wire?.() ?? null
    const body = wire ?? JSON.stringify(result.body)
    if (!reply.isPlain || !isEmpty(result.headers) || isClosing() || isUnread(reply.request.raw)) {
      reply.code(result.status).headers(result.headers).type(TYPE)
      return typeof wire === 'string' ? Buffer.from(wire, 'latin1') : body
    }
    const { raw } = reply
    const isText = typeof body === 'string'
    const length = wire !== null || !isText ? body.length : Buffer.byteLength(body)
    reply.hijack()
    // alternating names and values
    const head = ['x-request-id', reply.request.id, ...common, 'content-type', TYPE, 'content-length', `${length}`]
    if (length > BUFFERED_BYTES) closeWhenUnread(reply)
    outbox.add(length, () => {
      raw.writeHead(result.status, head)
      // every character is one byte, so latin1 writes the right bytes faster
      if (isText && length === body.length) raw.end(body, 'latin1')
      else raw.end(body)
    })
    return undefined
  }
}

/**
 * Collects the responses to requests that arrived in one tick of the event loop, and sends them together once all of these requests are
 * handled. Waking a process that waits for a response costs more than sending the response, and a process that is already awake does not
 * have to be woken. A response waits only for other requests in the same tick, never for a write.
 */
class Outbox {
  private readonly sharing: JsonSenderOptions['sharing']
  private waiting: (() => void)[] = []
  private bytes = 0
  private since = 0
  private readonly flush = (): void => {
    const { waiting } = this
    this.waiting = []
    this.bytes = 0
    // sending is half of all the work, and an open read transaction should not block others in the meantime
    this.sharing.leaveSnapshot()
    for (const send of waiting) send()
  }

  constructor(sharing: JsonSenderOptions['sharing']) {
    this.sharing = sharing
  }

  add(bytes: number, send: () => void): void {
    const now = performance.now()
    if (this.waiting.length === 0) {
      this.since = now
      setImmediate(this.flush)
    }
    this.waiting.push(send)
    this.bytes += bytes
    const isLate = this.sharing.isWriting || now - this.since > MOST_WAIT_MS
    if (isLate || this.bytes > MOST_WAITING_BYTES) this.flush()
  }
}

/**
 * Closes the connection if the client reads nothing for too long, so that a client that sends many requests and reads nothing cannot keep
 * it open forever.
 */
export function closeWhenUnread({ raw }: FastifyReply): void {
  raw.setTimeout(RESPONSE_STALL_MS, () => raw.destroy())
}

function isEmpty(headers: object): boolean {
  for (const _ in headers) return false
  return true
}
