/** The idempotency key headers. */
import * as z from 'zod'
import { line } from './primitives.ts'

const MOST_KEY_CHARACTERS = 255

/** The headers' schema. A repeated key returns the same response for 24 hours. With `no-cache`, error responses are not stored. */
export const idempotencyHeaders = () =>
  z.object({
    'x-idempotency-key': line(MOST_KEY_CHARACTERS)
      .meta({
        description: 'Idempotency key: for 24 hours, repeated calls with the same key return the first response',
      })
      .optional(),
    'idempotency-key': line(MOST_KEY_CHARACTERS).meta({ description: 'Same as X-Idempotency-Key' }).optional(),
    'x-idempotency-error': z
      .enum(['no-cache'])
      .meta({ description: 'no-cache: do not store an error response under the key' })
      .optional(),
  })
