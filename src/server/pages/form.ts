/** Reads what a form of a hosted page sent: bounded, and never quoted in what is complained about. */
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import { arriving } from '../bodies/arriving.ts'
import { JSON_BODY_TIMEOUT_MS } from '../guards/limits.ts'

const MOST_BYTES = 16 * 1024

/** Throws ServiceError 413 over 16 KiB, 408 when it takes too long to arrive, and 415 for another media type. */
export async function readForm(request: FastifyRequest, mostMs = JSON_BODY_TIMEOUT_MS): Promise<URLSearchParams> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new ServiceError('unsupported_media_type', 'A form is sent as application/x-www-form-urlencoded.')
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of arriving(request.body as Readable, mostMs, 'whole')) {
    size += chunk.length
    if (size > MOST_BYTES) throw new ServiceError('body_too_large', 'The form is over the limit of 16 KiB.')
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

/** A parameter of the query that is there once, or '' . */
export function queryText(request: FastifyRequest, name: string): string {
  const value = (request.query as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' ? value : ''
}
