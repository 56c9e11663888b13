/** A password sign-in and its multi-factor step, shared by the link commands. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { type Facts, factSheet, type View } from '../../output/view.ts'

export type LinkResult = ReplyBody<Operations['link.password']>

export function linkView(result: LinkResult): View<Facts> {
  return factSheet({
    state: result.state,
    provider: result.provider,
    connected: result.connected,
    error_type: result.error_type,
    error: result.error,
    mfa_method: result.provider_mfa?.method,
    mfa_hint: result.provider_mfa?.hint,
    redirect_url: result.redirect_url,
  })
}

/** Returns a link token from the environment; undefined when a user is named, who takes precedence. */
export function givenLinkToken(user: string | undefined): string | undefined {
  return user === undefined ? process.env['SVC_LINK_TOKEN'] || undefined : undefined
}

/**
 * Completes a pending sign-in with the given code, or by asking for one, and asks again after a wrong code. Returns a pending result when
 * there is neither a code nor anyone to ask.
 */
export async function completePending(
  first: LinkResult,
  given: string | undefined,
  how: {
    /** Undefined when there is no one to ask. */
    readonly askCode: ((message: string) => Promise<string>) | undefined
    readonly say: (line: string) => void
    readonly complete: (code: string) => Promise<LinkResult>
  },
): Promise<LinkResult> {
  if (first.state !== 'pending_provider_mfa') return first
  const { askCode, say, complete } = how
  let last = given === undefined ? first : await complete(given)
  while (askCode && (last.state === 'pending_provider_mfa' || last.error_type === 'incorrect_mfa_code')) {
    // The service says how many attempts are left.
    if (last.error_type === 'incorrect_mfa_code') say(`${last.error ?? 'The code is wrong'}.`)
    last = await complete(await askCode(whereTheCodeWent(first)))
  }
  return last
}

function whereTheCodeWent(pending: LinkResult): string {
  const { method, hint } = pending.provider_mfa ?? {}
  if (method === undefined) return 'Code'
  return `Code that the provider sent by ${method === 'sms' ? 'SMS' : method} to ${hint}`
}

/** Returns the error for a failed link (exit code 6). Its result was already printed. */
export function linkFailure(result: LinkResult): ServiceError {
  return new ServiceError('link_failed', `The link failed: ${result.error_type ?? 'no reason given'}.`, {
    suggestions: result.error === null ? [] : [result.error],
  })
}
