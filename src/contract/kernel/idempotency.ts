/** The headers that carry an idempotency key. */
import { z } from 'zod'
import { line } from './primitives.ts'

const MOST_KEY_CHARACTERS = 255

/** A key is answered the same for 24 hours; `no-cache` keeps refusals from being remembered. */
export const idempotencyHeaders = () =>
  z.object({
    'x-idempotency-key': line(MOST_KEY_CHARACTERS)
      .meta({ description: 'Do this once: a repeated call with the same key gets the first answer, for 24 hours' })
      .optional(),
    'idempotency-key': line(MOST_KEY_CHARACTERS).meta({ description: 'The same as X-Idempotency-Key' }).optional(),
    'x-idempotency-error': z
      .enum(['no-cache'])
      .meta({ description: 'Do not remember a refusal under the key' })
      .optional(),
  })
