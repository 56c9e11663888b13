/**
 * Reads the fields that a form or link on a hosted page sent, and determines which site sent them. Limits sizes. Errors never quote a
 * value.
 */
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import { arriving } from '../bodies/arriving.ts'
import { JSON_BODY_TIMEOUT_MS } from '../guards/limits.ts'

const MOST_BYTES = 16 * 1024

/** Reads a form. Throws ServiceError 413 over 16 KiB, 408 if it takes too long to arrive, and 415 for another media type. */
export async function readForm(request: FastifyRequest, mostMs = JSON_BODY_TIMEOUT_MS): Promise<URLSearchParams> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new ServiceError(
      'unsupported_media_type',
      'The media type of the form is not accepted. Send application/x-www-form-urlencoded.',
    )
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of arriving(request.body as Readable, mostMs, 'whole')) {
    size += chunk.length
    if (size > MOST_BYTES) throw new ServiceError('body_too_large', 'The form is larger than the limit of 16 KiB.')
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

/** Returns a query parameter that is present exactly once, otherwise ''. */
export function queryText(request: FastifyRequest, name: string): string {
  const value = (request.query as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' ? value : ''
}

/**
 * Returns whether another site's page sent the browser here. Such a page could act on behalf of its owner in a visitor's browser. Browsers
 * report the site over https and on loopback; other requests count as same-site.
 */
export function isFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site === 'cross-site' || site === 'same-site'
}
