/** Reads request bodies. A JSON body is limited in size, must be UTF-8 and is never quoted in an error. An upload is read in pieces. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { invalid, ServiceError } from '../../core/errors.ts'
import { jsonShape, MOST_JSON_DEPTH, parsedBytes } from '../../core/json-shape.ts'
import { formatCount } from '../../core/text.ts'
import { arriving, Stopper } from '../bodies/arriving.ts'
import type { BodyBudget, Hold } from '../bodies/budget.ts'
import { Slabs } from '../bodies/slabs.ts'
import { JSON_BODY_TIMEOUT_MS, UPLOAD_STALL_MS } from '../guards/limits.ts'

/** Maximum size of a JSON body, in bytes. Uploads have no such limit. */
export const JSON_BODY_LIMIT_BYTES = 1024 * 1024
/** Maximum number of values in a JSON body: twice as many as in any operation's largest valid body. Parsing them takes at most 10 ms. */
export const JSON_BODY_LIMIT_VALUES = 25_000

/** A JSON body. It counts as held until it is released. */
export interface JsonBody {
  /** The parsed body. */
  readonly input: unknown
  release(): void
}

/**
 * Reads a JSON body; undefined if there is none. Throws ServiceError 413 over a limit, 408 if it takes too long to arrive, 503 if there is
 * no memory for it, 415 for another media type, and 422 if it is not JSON. A body without a media type is read as JSON.
 */
export async function receiveJson(
  stream: Readable | undefined,
  headers: IncomingHttpHeaders,
  budget: BodyBudget,
  mostMs = JSON_BODY_TIMEOUT_MS,
): Promise<JsonBody | undefined> {
  if (stream === undefined) return undefined
  const body = await receiveBytes(stream, headers, budget, mostMs)
  const release = (): void => body.hold.release()
  try {
    if (body.bytes.length === 0) {
      release()
      return undefined
    }
    refuseOtherTypes(headers)
    return { input: parse(body.bytes, body.hold), release }
  } catch (error) {
    release()
    throw error
  }
}

/** The bytes of a body, as received. They count as held until the hold is released. */
export interface WholeBody {
  readonly bytes: Buffer
  readonly hold: Hold
}

/**
 * Reads a body of at most 1 MiB. Throws ServiceError 413 over this size, 408 if it takes too long to arrive, and 503 if there is no memory
 * for it.
 */
export async function receiveBytes(
  stream: Readable,
  headers: IncomingHttpHeaders,
  budget: BodyBudget,
  mostMs = JSON_BODY_TIMEOUT_MS,
): Promise<WholeBody> {
  if (Number(headers['content-length'] ?? 0) > JSON_BODY_LIMIT_BYTES) throw tooLarge()
  const stopper = new Stopper()
  const hold = budget.hold(stopper.stop)
  const slabs = new Slabs()
  try {
    for await (const piece of arriving(stream, mostMs, 'whole', stopper)) {
      if (slabs.length + piece.length > JSON_BODY_LIMIT_BYTES) throw tooLarge()
      hold.add(piece.length)
      slabs.add(piece)
    }
    hold.arrived()
    return { bytes: slabs.whole(), hold }
  } catch (error) {
    hold.release()
    throw error
  }
}

function parse(bytes: Buffer, hold: Hold): unknown {
  const shape = jsonShape(bytes)
  if (shape.values > JSON_BODY_LIMIT_VALUES) {
    const most = formatCount(JSON_BODY_LIMIT_VALUES)
    throw new ServiceError('body_too_large', `The request body contains more than ${most} values.`)
  }
  if (shape.depth > MOST_JSON_DEPTH) {
    const msg = `must not be more than ${MOST_JSON_DEPTH} levels deep`
    throw invalid([{ loc: ['body'], msg, type: 'value_error' }])
  }
  hold.weigh(parsedBytes(bytes.length, shape) - bytes.length)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // the parser's own message would quote the body
    throw invalid([
      { loc: ['body'], msg: 'JSON decode error: the body is not valid JSON in UTF-8', type: 'json_invalid' },
    ])
  }
}

/** Yields an upload as it arrives. Throws ServiceError 408 if no data arrives for too long. */
export function readUpload(stream: Readable, mostMs = UPLOAD_STALL_MS): AsyncIterable<Uint8Array> {
  return arriving(stream, mostMs, 'piece')
}

function refuseOtherTypes(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    throw new ServiceError(
      'unsupported_media_type',
      'Compressed bodies are not accepted here. Send the body without Content-Encoding.',
    )
  }
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === '' || type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'))) return
  throw new ServiceError(
    'unsupported_media_type',
    'The media type of the body is not accepted here. Send application/json.',
  )
}

function tooLarge(): ServiceError {
  return new ServiceError('body_too_large', 'The request body is larger than the limit of 1 MiB.')
}
