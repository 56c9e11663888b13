/** The simulated sign-in at a provider: what is typed decides the outcome (docs/sandbox-credentials.md). */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Provider } from '../../catalogue/provider.ts'

/** The error types a simulated sign-in can end with (interface.md 7.2). */
export type SandboxErrorType =
  | 'provider_credential_error'
  | 'provider_password_expired'
  | 'provider_api_error'
  | 'unsupported_region'
  | 'duplicate_connection'
  | 'required_scopes_not_granted'

export interface SignInRequest {
  readonly provider: Provider
  readonly username: string
  readonly password: string
  /** One of `REGIONS` or null; the caller has refused any other text with 422. */
  readonly region: string | null
}

export type SignInOutcome =
  | { readonly kind: 'success' }
  /** A code is on its way; `hint` says where to, redacted. */
  | { readonly kind: 'mfa'; readonly method: 'sms' | 'email'; readonly hint: string }
  /** `error` is text for developers and holds nothing that was typed. */
  | { readonly kind: 'error'; readonly errorType: SandboxErrorType; readonly error: string }
  /** The provider has regions and none was given: the caller answers 422 (interface-gaps, link errors). */
  | { readonly kind: 'region_missing'; readonly allowed: readonly string[] }

const SUCCESS = { kind: 'success' } as const
const failure = (errorType: SandboxErrorType, error: string) => ({ kind: 'error', errorType, error }) as const

/** What each special user name leads to. */
const OUTCOMES: ReadonlyMap<string, SignInOutcome> = new Map<string, SignInOutcome>([
  ['mfa-sms@sandbox.test', { kind: 'mfa', method: 'sms', hint: '+1 *** *** **42' }],
  ['mfa-email@sandbox.test', { kind: 'mfa', method: 'email', hint: 'm***@sandbox.test' }],
  ['expired@sandbox.test', failure('provider_password_expired', 'The provider asks for a new password')],
  ['down@sandbox.test', failure('provider_api_error', 'The provider did not answer as expected')],
  [
    'taken@sandbox.test',
    failure('duplicate_connection', 'This provider account is already connected to another user of the team'),
  ],
  ['scopes@sandbox.test', failure('required_scopes_not_granted', 'Not all required scopes were granted')],
])

/** The account that no provider knows, where there is no password to get wrong. */
const UNKNOWN_ACCOUNT = 'wrong@sandbox.test'
const WRONG_PASSWORD = 'wrong'
const MFA_CODE = '123456'

/**
 * Signs in at a simulated provider. In this order: the region (missing, then not offered), the special user names, the
 * password. User names compare trimmed and without case, as mail addresses do; passwords compare exactly.
 */
export function signIn({ provider, username, password, region }: SignInRequest): SignInOutcome {
  if (region === null && provider.regions.length > 0) return { kind: 'region_missing', allowed: provider.regions }
  if (region !== null && !(provider.regions as readonly string[]).includes(region)) {
    return failure('unsupported_region', unsupportedRegion(provider))
  }
  const special = OUTCOMES.get(username.trim().toLowerCase())
  if (special) return special
  if (password === WRONG_PASSWORD) return failure('provider_credential_error', 'Invalid username or password')
  return SUCCESS
}

/**
 * Signs in with an account's name alone: an e-mail address, or what is typed at a consent page (null: nothing). The special names
 * end as they do with a password; those of the second step succeed, as there is none.
 */
export function signInByName({
  provider,
  name,
  region,
}: {
  readonly provider: Provider
  readonly name: string | null
  readonly region: string | null
}): Exclude<SignInOutcome, { kind: 'mfa' | 'region_missing' }> {
  if (region !== null && !(provider.regions as readonly string[]).includes(region)) {
    return failure('unsupported_region', unsupportedRegion(provider))
  }
  const key = name?.trim().toLowerCase() ?? ''
  if (key === UNKNOWN_ACCOUNT) return failure('provider_credential_error', 'The provider does not know this account')
  const special = OUTCOMES.get(key)
  return special?.kind === 'error' ? special : SUCCESS
}

/** Whether a multi-factor code is the right one; surrounding blanks are ignored. Takes the same time for every code. */
export function checkCode(code: string): boolean {
  return timingSafeEqual(digest(code.trim()), digest(MFA_CODE))
}

/** What may stand for a password where it was typed: a sign-in with it ends in the same way. */
export function stoodInPassword(password: string): string {
  return password === WRONG_PASSWORD ? WRONG_PASSWORD : 'not-recorded'
}

/** The same for a multi-factor code. */
export function stoodInCode(code: string): string {
  return checkCode(code) ? MFA_CODE : 'not-recorded'
}

function unsupportedRegion(provider: Provider): string {
  if (provider.regions.length === 0) return `A region does not apply to ${provider.slug}; leave it out`
  return `${provider.slug} is not offered in this region; it is in: ${provider.regions.join(', ')}`
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
