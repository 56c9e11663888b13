/**
 * Sends answers in JSON, most of them past the framework's own way, which looks at every header and at the kind of the body anew:
 * the answers of the operations are all of one kind, and nearly all that a server does.
 */
import type { FastifyReply } from 'fastify'
import type { JsonReply } from '../../contract/kernel/operation.ts'
import type { SnapshotSharing } from '../../store/sharing.ts'
import { isUnread } from '../bodies/unread.ts'
import { ANSWER_STALL_MS } from '../guards/limits.ts'

/** What a handler of the framework is to return. */
export type JsonAnswer = (reply: FastifyReply, result: JsonReply<unknown>) => string | Uint8Array | undefined

export interface JsonAnswerOptions {
  /** Headers that every answer has beside its id. */
  readonly headers: Readonly<Record<string, string>>
  readonly isClosing: () => boolean
  readonly sharing: Pick<SnapshotSharing, 'leaveSnapshot' | 'isWriting'>
}

/** An answer of this length lies in the system's buffers, whether it is read or not. */
export const BUFFERED_BYTES = 64 * 1024

/** What may wait to leave together, and how long the first of it while others are served. */
const MOST_WAITING_BYTES = 1 << 20
const MOST_WAIT_MS = 4

const TYPE = 'application/json; charset=utf-8'

export function jsonAnswer({ headers, isClosing, sharing }: JsonAnswerOptions): JsonAnswer {
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
    // names and values in turn
    const head = ['x-request-id', reply.request.id, ...common, 'content-type', TYPE, 'content-length', `${length}`]
    if (length > BUFFERED_BYTES) closeWhenUnread(reply)
    outbox.add(length, () => {
      raw.writeHead(result.status, head)
      // of characters of one byte both are the same, and this is written quicker
      if (isText && length === body.length) raw.end(body, 'latin1')
      else raw.end(body)
    })
    return undefined
  }
}

/**
 * Answers to requests that one look at the sockets brought leave together, when all of these were served: to wake whoever waits for
 * an answer costs more than to send it, and who is awake already is not woken. They wait for nothing that takes long but a request
 * of the same look, and never for a write.
 */
class Outbox {
  private readonly sharing: JsonAnswerOptions['sharing']
  private waiting: (() => void)[] = []
  private bytes = 0
  private since = 0
  private readonly flush = (): void => {
    const { waiting } = this
    this.waiting = []
    this.bytes = 0
    // sending is half of all the work: nobody is held up by a snapshot that is not read meanwhile
    this.sharing.leaveSnapshot()
    for (const send of waiting) send()
  }

  constructor(sharing: JsonAnswerOptions['sharing']) {
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

/** A caller that asks for much and reads nothing must not hold it for ever. */
export function closeWhenUnread({ raw }: FastifyReply): void {
  raw.setTimeout(ANSWER_STALL_MS, () => raw.destroy())
}

function isEmpty(headers: object): boolean {
  for (const _ in headers) return false
  return true
}
