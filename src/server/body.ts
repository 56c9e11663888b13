/** Reads the JSON body of a request: bounded, UTF-8, and never quoted in what it complains about. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { invalid, ServiceError } from '../core/errors.ts'

/** Most bytes of a JSON body; uploads have no such limit. */
export const JSON_BODY_LIMIT_BYTES = 1024 * 1024

/**
 * The parsed body, or undefined when there is none. Throws ServiceError 413 over the limit, 415 for another media type, and
 * 422 for what is not JSON. A body without a media type is read as JSON.
 */
export async function readJson(stream: Readable | undefined, headers: IncomingHttpHeaders): Promise<unknown> {
  if (stream === undefined) return undefined
  if (Number(headers['content-length'] ?? 0) > JSON_BODY_LIMIT_BYTES) throw tooLarge()
  const bytes = await collect(stream)
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
async function collect(stream: Readable): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > JSON_BODY_LIMIT_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
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
