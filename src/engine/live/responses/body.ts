/** Reads a response body, and stops if it exceeds a limit. */
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { FAILURE_BYTES, type ResponseLimits } from '../../../connectors/live/response-limits.ts'
import { ProviderError } from '../../../connectors/provider-session.ts'
import { arrivingBytes, tooMuch } from './arriving.ts'
import { JsonScan } from './json-scan.ts'
import type { ResponseHeaders } from './response.ts'

const MIB = 1024 * 1024
/** Number of bytes that are unpacked and checked before other work can run. */
const AT_ONCE = 64 * 1024

export interface BodyOptions {
  /** The provider's name, for messages. */
  readonly provider: string
  /** The team and provider that share memory (arriving.ts). */
  readonly share: string
  readonly status: number
  readonly headers: ResponseHeaders
  readonly limits: ResponseLimits
}

/**
 * Returns the unpacked body, or only its beginning for a failure response. Throws ProviderError `bad_answer` if the body exceeds the limits
 * or is declared as gzip but is not, `unavailable` if others need the memory, and any stream error.
 */
export async function readResponseBody(body: Readable, options: BodyOptions): Promise<Uint8Array> {
  const { share, status, headers, limits } = options
  // the status determines the outcome, and the body can only explain it
  const isFailure = status >= 300
  const isPacked = `${headers['content-encoding'] ?? ''}`.toLowerCase() === 'gzip'
  const scan = isFailure || isPage(headers) ? null : new JsonScan(limits)
  const pieces: Uint8Array[] = []
  let bytes = 0
  const held = arrivingBytes(share, () => body.destroy(tooMuch(options.provider)))
  try {
    for await (const piece of (isPacked ? unpacked(body) : body) as AsyncIterable<Buffer>) {
      bytes += piece.length
      held.add(piece.length)
      pieces.push(piece)
      if (isFailure && bytes >= FAILURE_BYTES) break
      const excess = bytes > limits.bytes ? `of more than ${limits.bytes / MIB} MiB` : (scan?.add(piece) ?? null)
      if (excess !== null) throw refusal(options, `${excess}, far more than documented`)
    }
  } catch (error) {
    if (!isOfGzip(error)) throw error
    if (!isFailure) throw refusal(options, 'that claims to be gzip but is not', error)
  } finally {
    held.end()
  }
  // a copy in its own memory, which can be transferred to a thread
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Unpacks a stream. An empty stream stays empty. */
async function* unpacked(body: Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: AT_ONCE })
  let isEmpty = true
  body.once('data', () => {
    isEmpty = false
  })
  // the last stream throws the error that is passed to this callback
  pipeline(body, gunzip, () => {})
  try {
    yield* gunzip
  } catch (error) {
    if (!isEmpty || !isOfGzip(error)) throw error
  }
}

function isOfGzip(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(`${error.code}`)
}

/** Returns whether the body is an HTML page for humans, for example from a proxy. */
function isPage(headers: ResponseHeaders): boolean {
  return /^text\/html\b/i.test(`${headers['content-type'] ?? ''}`)
}

function refusal({ provider, status }: BodyOptions, what: string, cause?: unknown): ProviderError {
  const details = cause === undefined ? { status } : { status, cause }
  return new ProviderError('bad_answer', `${provider} sent a response ${what}.`, details)
}
