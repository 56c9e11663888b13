/** A password sign-in and its multi-factor step, as the link commands share them. */
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

/** A link token that was made elsewhere. Undefined: it goes by the user, who wins over the variable. */
export function givenLinkToken(user: string | undefined): string | undefined {
  return user === undefined ? process.env['SVC_LINK_TOKEN'] || undefined : undefined
}

/**
 * Completes a pending sign-in: with the code given, else by asking, again after a wrong one. A result that still is pending
 * comes back when there is neither a code nor anyone to ask.
 */
export async function completePending(
  first: LinkResult,
  given: string | undefined,
  how: {
    /** Undefined: nobody can be asked. */
    readonly askCode: ((message: string) => Promise<string>) | undefined
    readonly say: (line: string) => void
    readonly complete: (code: string) => Promise<LinkResult>
  },
): Promise<LinkResult> {
  if (first.state !== 'pending_provider_mfa') return first
  const { askCode, say, complete } = how
  let last = given === undefined ? first : await complete(given)
  while (askCode && (last.state === 'pending_provider_mfa' || last.error_type === 'incorrect_mfa_code')) {
    // the service says how many tries are left
    if (last.error_type === 'incorrect_mfa_code') say(`${last.error ?? 'That code is not right'}.`)
    last = await complete(await askCode(whereTheCodeWent(first)))
  }
  return last
}

function whereTheCodeWent(pending: LinkResult): string {
  const { method, hint } = pending.provider_mfa ?? {}
  if (method === undefined) return 'Code'
  return `The provider sent a code by ${method === 'sms' ? 'SMS' : method} to ${hint}. Code`
}

/** What a link that failed throws, after its result was printed: exit code 6. */
export function linkFailure(result: LinkResult): ServiceError {
  return new ServiceError('link_failed', `The link failed: ${result.error_type ?? 'no reason given'}.`, {
    suggestions: result.error === null ? [] : [result.error],
  })
}
