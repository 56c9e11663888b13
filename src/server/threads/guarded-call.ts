/** Runs an operation for a client that may be guessing: counts wrong values, and refuses them if there are too many. */
import type { Reply } from '../../contract/kernel/operation.ts'
import { type OperationId, operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import type { GuessLimit } from '../guards/guess-limit.ts'

export interface GuardedCall {
  readonly id: OperationId
  /** The client's address. */
  readonly address: string
  readonly apiKey: string | null
  readonly linkToken: string | null
}

/** Runs the operation. Throws any error from `run`, or `rate_limited` instead. */
export async function runGuarded(
  guesses: GuessLimit,
  { id, address, apiKey, linkToken }: GuardedCall,
  run: () => Promise<Reply<unknown>>,
): Promise<Reply<unknown>> {
  const { auth, guessable } = operations[id]
  const takeBack = guessable === 'mfa_code' && linkToken !== null ? guesses.tryCode(linkToken) : () => {}
  let reply: Reply<unknown>
  try {
    reply = await run()
  } catch (error) {
    takeBack()
    const code = error instanceof ServiceError ? error.code : undefined
    // a missing value is not a guess
    if (code === 'invalid_api_key' && apiKey !== null) guesses.failed('api_key', address)
    if (code === 'invalid_link_token' && linkToken !== null && isUnknownToken((error as ServiceError).body['detail'])) {
      guesses.failed('link_token', address)
    }
    if (code === 'not_found' && guessable === 'requisition') guesses.failed(guessable, address)
    throw error
  }
  if (auth !== 'link_token' || reply.kind !== 'json' || linkToken === null) return reply
  const { error_type: errorType } = (reply.body ?? {}) as { readonly error_type?: unknown }
  if (errorType !== 'incorrect_mfa_code') takeBack()
  if (errorType === 'invalid_token') guesses.failed('link_token', address)
  return reply
}

function isUnknownToken(detail: unknown): boolean {
  return (detail as { readonly error_type?: unknown } | undefined)?.error_type === 'invalid_token'
}
