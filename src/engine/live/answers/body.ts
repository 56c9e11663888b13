/** Reads the body of an answer, and stops as soon as it is beyond a limit. */
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type AnswerLimits, FAILURE_BYTES } from '../../../connectors/live/answer-limits.ts'
import { ProviderError } from '../../../connectors/provider-session.ts'
import { nextTurn } from '../../../core/turns.ts'
import type { AnswerHeaders } from './answer.ts'
import { JsonScan } from './json-scan.ts'

const MIB = 1024 * 1024
/** Bytes that are checked before others have their turn. */
const AT_ONCE = MIB

const unzip = promisify(gunzip)

export interface BodyOptions {
  /** Name of the provider for messages. */
  readonly provider: string
  readonly status: number
  readonly headers: AnswerHeaders
  readonly limits: AnswerLimits
}

/**
 * Returns the body, unpacked; of an answer that failed, its beginning. Throws ProviderError `bad_answer` for one beyond the limits or one
 * that is not gzip although it says so, and what the stream throws.
 */
export async function bodyOf(body: Readable, options: BodyOptions): Promise<Uint8Array> {
  const { status, headers, limits } = options
  // the status decides what it is, and its body says at most why
  const isFailure = status >= 300
  const isPacked = `${headers['content-encoding'] ?? ''}`.toLowerCase() === 'gzip'
  const check = checking(options, isFailure || isPage(headers) ? null : new JsonScan(limits))
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    bytes += piece.length
    pieces.push(piece)
    if (isFailure && bytes >= FAILURE_BYTES) break
    check(isPacked ? null : piece, bytes)
  }
  // of its own memory, which a thread can take over
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  if (!isPacked || bytes === 0) return whole
  if (isFailure) return await unpacked(whole, FAILURE_BYTES).catch(() => new Uint8Array())
  const plain = await unpacked(whole, limits.bytes).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') check(null, limits.bytes + 1)
    throw refusal(options, 'that is not gzip although it says so', error)
  })
  for (let from = 0; from < plain.length; from += AT_ONCE) {
    if (from > 0) await nextTurn()
    check(plain.subarray(from, from + AT_ONCE), plain.length)
  }
  return plain
}

/** Returns what throws if the bytes so far are beyond the limits. */
function checking(options: BodyOptions, scan: JsonScan | null): (piece: Uint8Array | null, bytes: number) => void {
  const { limits } = options
  return (piece, bytes) => {
    const tooLong = bytes > limits.bytes ? `of more than ${limits.bytes / MIB} MiB` : null
    const excess = tooLong ?? (piece && scan ? scan.add(piece) : null)
    if (excess !== null) throw refusal(options, `${excess}, which is far more than it documents`)
  }
}

async function unpacked(packed: Uint8Array, mostBytes: number): Promise<Uint8Array> {
  const { buffer, byteOffset, length } = await unzip(packed, { maxOutputLength: mostBytes })
  const isOwn = byteOffset === 0 && buffer.byteLength === length
  const plain = new Uint8Array(buffer, byteOffset, length)
  return isOwn ? plain : plain.slice()
}

/** Whether it is a page for people, such as one of a proxy. */
function isPage(headers: AnswerHeaders): boolean {
  return /^text\/html\b/i.test(`${headers['content-type'] ?? ''}`)
}

function refusal({ provider, status }: BodyOptions, what: string, cause?: unknown): ProviderError {
  const details = cause === undefined ? { status } : { status, cause }
  return new ProviderError('bad_answer', `${provider} sent an answer ${what}.`, details)
}
