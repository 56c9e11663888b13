/** Builds link results: the response to every link attempt, including failures. See docs/interface/linking.md#linking-9. */

import type { Reply, ReplyBody } from '../../contract/kernel/operation.ts'
import type { LinkErrorType } from '../../contract/links/link.ts'
import type { Operations } from '../../contract/operations.ts'
import type { LinkTokenRecord } from '../../store/link.ts'
import { ok } from '../context.ts'
import type { RefusedToken } from './tokens.ts'

export type LinkResult = ReplyBody<Operations['link.password']>

/** Returns a result without an outcome, for a link attempt with this token (null if the token is unknown). */
export function emptyResult(token: LinkTokenRecord | null, provider: string): LinkResult {
  return {
    state: 'error',
    provider,
    connected: false,
    provider_id: null,
    redirect_url: token?.redirectUrl ?? null,
    error_type: null,
    error: null,
    provider_mfa: null,
  }
}

/** Returns a failed result. `error` is for developers and contains no user input. */
export function failed(
  token: LinkTokenRecord | null,
  provider: string,
  errorType: LinkErrorType,
  error: string,
): Reply<LinkResult> {
  return ok({ ...emptyResult(token, provider), error_type: errorType, error })
}

export function refusedBy(found: RefusedToken, provider: string): Reply<LinkResult> {
  return failed(found.token, provider, found.errorType, found.error)
}
