/**
 * Sends answers in JSON, most of them past the framework's own way, which looks at every header and at the kind of the body anew:
 * the answers of the operations are all of one kind, and nearly all that a server does.
 */
import type { FastifyReply } from 'fastify'
import type { JsonReply } from '../contract/operation.ts'
import { ANSWER_STALL_MS } from './limits.ts'

/** What a handler of the framework is to return. */
export type JsonAnswer = (reply: FastifyReply, result: JsonReply<unknown>) => string | Uint8Array | undefined

export interface JsonAnswerOptions {
  /** Headers that every answer has beside its id. */
  readonly headers: Readonly<Record<string, string>>
  readonly isClosing: () => boolean
}

/** An answer of this length lies in the system's buffers, whether it is read or not. */
export const BUFFERED_BYTES = 64 * 1024

const TYPE = 'application/json; charset=utf-8'

export function jsonAnswer({ headers, isClosing }: JsonAnswerOptions): JsonAnswer {
  const common = Object.entries(headers).flat()
  return (reply, result) => {
    const body = result.bytes?.() ?? JSON.stringify(result.body)
    if (!reply.isPlain || !isEmpty(result.headers) || isClosing()) {
      reply.code(result.status).headers(result.headers).type(TYPE)
      return body
    }
    const { raw } = reply
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    reply.hijack()
    // names and values in turn
    const head = ['x-request-id', reply.request.id, ...common, 'content-type', TYPE, 'content-length', `${length}`]
    raw.writeHead(result.status, head)
    if (length > BUFFERED_BYTES) closeWhenUnread(reply)
    // of characters of one byte both are the same, and this is written quicker
    if (length === body.length) raw.end(body, 'latin1')
    else raw.end(body)
    return undefined
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
