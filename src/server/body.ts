/** Reads the body of a request: JSON bounded, UTF-8 and never quoted in what it complains about; uploads piece by piece. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { invalid, ServiceError } from '../core/errors.ts'
import { JSON_BODY_TIMEOUT_MS, UPLOAD_STALL_MS } from './limits.ts'

/** Most bytes of a JSON body; uploads have no such limit. */
export const JSON_BODY_LIMIT_BYTES = 1024 * 1024

/**
 * The parsed body, or undefined when there is none. Throws ServiceError 413 over the limit, 408 when it takes too long to arrive,
 * 415 for another media type, and 422 for what is not JSON. A body without a media type is read as JSON.
 */
export async function readJson(
  stream: Readable | undefined,
  headers: IncomingHttpHeaders,
  mostMs = JSON_BODY_TIMEOUT_MS,
): Promise<unknown> {
  if (stream === undefined) return undefined
  if (Number(headers['content-length'] ?? 0) > JSON_BODY_LIMIT_BYTES) throw tooLarge()
  const bytes = await collect(stream, mostMs)
  if (bytes.length === 0) return undefined
  refuseOtherTypes(headers)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // the parser's own message would quote the body
    throw invalid([
      { loc: ['body'], msg: 'JSON decode error: the body is not valid JSON in UTF-8', type: 'json_invalid' },
    ])
  }
}

/** Leaves the stream open when it stops early: destroying it would cut the connection before the refusal is out. */
async function collect(stream: Readable, mostMs: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of arriving(stream, mostMs, 'whole')) {
    size += chunk.length
    if (size > JSON_BODY_LIMIT_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** An upload as it comes. Throws ServiceError 408 when nothing comes for too long. */
export function uploaded(stream: Readable, mostMs = UPLOAD_STALL_MS): AsyncIterable<Uint8Array> {
  return arriving(stream, mostMs, 'piece')
}

/** The pieces of a body; `whole`: the time is for all of them, `piece`: for each. */
export async function* arriving(stream: Readable, mostMs: number, per: 'whole' | 'piece'): AsyncGenerator<Uint8Array> {
  const pieces = stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>
  let timer: NodeJS.Timeout | undefined
  let late: Promise<never> | undefined
  const start = (): void => {
    clearTimeout(timer)
    late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(tooSlow(mostMs)), mostMs)
    })
    // nobody may be waiting when the time is up
    late.catch(() => {})
  }
  start()
  try {
    for (;;) {
      const next = await Promise.race([pieces.next(), late as Promise<never>])
      if (next.done) return
      yield next.value
      if (per === 'piece') start()
    }
  } finally {
    clearTimeout(timer)
  }
}

function refuseOtherTypes(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    throw new ServiceError(
      'unsupported_media_type',
      'A compressed body is not taken here: send it without Content-Encoding.',
    )
  }
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === '' || type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'))) return
  throw new ServiceError(
    'unsupported_media_type',
    'The body has a media type that is not taken here: send application/json.',
  )
}

function tooLarge(): ServiceError {
  return new ServiceError('body_too_large', 'The request body is over the limit of 1 MiB.')
}

/** What comes late would be taken for the next request: the connection ends with the answer. */
function tooSlow(mostMs: number): ServiceError {
  return new ServiceError('request_timeout', `The body did not arrive within ${mostMs / 1000} s.`, {
    headers: { connection: 'close' },
  })
}
