/** Link results: what every attempt to link answers, failures included (interface.md 2.5). */

import type { Reply, ReplyBody } from '../../contract/kernel/operation.ts'
import type { LinkErrorType } from '../../contract/links/link.ts'
import type { Operations } from '../../contract/operations.ts'
import type { LinkTokenRecord } from '../../store/link.ts'
import { ok } from '../context.ts'
import type { RefusedToken } from './tokens.ts'

export type LinkResult = ReplyBody<Operations['link.password']>

/** One that says nothing yet: of an attempt with this token (null: an unknown one) at the provider. */
export function resultOf(token: LinkTokenRecord | null, provider: string): LinkResult {
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

/** `error` is text for developers, without anything that was typed. */
export function failed(
  token: LinkTokenRecord | null,
  provider: string,
  errorType: LinkErrorType,
  error: string,
): Reply<LinkResult> {
  return ok({ ...resultOf(token, provider), error_type: errorType, error })
}

export function refusedBy(found: RefusedToken, provider: string): Reply<LinkResult> {
  return failed(found.token, provider, found.errorType, found.error)
}
