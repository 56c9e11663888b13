/** A password sign-in and its multi-factor step, shared by the link commands. */
import type { ResponseOf } from '../../client/client.ts'
import { MOST_WRONG_CODES } from '../../contract/links/link.ts'
import { ServiceError } from '../../core/errors.ts'
import { type Facts, factSheet, facts, type View } from '../../output/view.ts'

export type LinkResult = ResponseOf<'link.password'>

export function linkView(result: LinkResult): View<Facts> {
  return factSheet({
    ...facts(result, 'state', 'provider', 'connected', 'error_type', 'error'),
    mfa_method: result.provider_mfa?.method,
    mfa_hint: result.provider_mfa?.hint,
    redirect_url: result.redirect_url,
  })
}

/** Returns a link token from the environment; undefined if a user is given, which takes precedence. */
export function readLinkToken(user: string | undefined): string | undefined {
  return user === undefined ? process.env['SVC_LINK_TOKEN'] || undefined : undefined
}

/** Options for a sign-in whose provider asks for a code. */
export interface CodeSource {
  /** A code that was given in advance. */
  readonly code: string | undefined
  /** Prompts for a code; undefined if prompts are not possible. */
  readonly askCode: ((message: string) => Promise<string>) | undefined
  readonly log: (line: string) => void
  readonly complete: (code: string) => Promise<LinkResult>
}

/**
 * Signs in and completes the sign-in with its code. Signs in again if too many wrong codes have ended the sign-in; with `isAgain`, `signIn`
 * prompts for name and password. Returns a pending result if there is no code and prompts are not possible.
 */
export async function signInWithCode(
  signIn: (isAgain: boolean) => Promise<LinkResult>,
  codes: CodeSource,
): Promise<LinkResult> {
  let result = await completePending(await signIn(false), codes)
  while (codes.askCode && result.error_type === 'incorrect_mfa_code') {
    codes.log(SIGN_IN_AGAIN)
    result = await completePending(await signIn(true), { ...codes, code: undefined })
  }
  return result
}

const SIGN_IN_AGAIN =
  `The code is wrong. A sign-in ends after ${MOST_WRONG_CODES} wrong codes. ` +
  'Enter your user name and password again to get a new code.'

/** Asks again after a wrong code, until the sign-in has ended. */
async function completePending(first: LinkResult, { code, askCode, log, complete }: CodeSource): Promise<LinkResult> {
  if (first.state !== 'pending_provider_mfa') return first
  let last = code === undefined ? first : await complete(code)
  let wrongCodes = 0
  while (askCode && (last.state === 'pending_provider_mfa' || last.error_type === 'incorrect_mfa_code')) {
    if (last.error_type === 'incorrect_mfa_code') {
      wrongCodes++
      if (wrongCodes === MOST_WRONG_CODES) break
      // The service returns the number of remaining attempts.
      log(`${last.error ?? 'The code is wrong'}.`)
    }
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
export function linkFailure({ error_type, error }: LinkResult): ServiceError {
  const reason = `${error_type ?? 'no reason given'}${error === null ? '' : ` (${error})`}`
  const remedy = REMEDIES[error_type ?? '']
  return new ServiceError('link_failed', `The link failed: ${reason}.`, {
    suggestions: remedy === undefined ? [] : [remedy],
  })
}

const NEW_TOKEN = 'Create a new link token with `svc link token`.'

/** Advice by error type. The list is not complete, because a newer server may add types. */
const REMEDIES: Readonly<Record<string, string>> = {
  invalid_token: NEW_TOKEN,
  token_expired: NEW_TOKEN,
  token_consumed: NEW_TOKEN,
  token_not_validated: 'Start the sign-in again, with a link token for this provider.',
  provider_credential_error: 'Check the user name and the password, or allow access on the page of the provider.',
  provider_password_expired: 'Set a new password at the provider, then link again.',
  provider_api_error: 'Wait a moment, then link again.',
  unsupported_region: 'Give the region in which the account was opened with --region.',
  duplicate_connection: 'Link another account, or disconnect this one from the other user first.',
  required_scopes_not_granted: 'Grant at least the required scopes that the message lists.',
  incorrect_mfa_code: 'Give the code from the latest message with --mfa-code.',
  user_cancelled: 'Start the link again.',
}
