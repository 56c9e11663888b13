/** Simulates the sign-in at a provider. The credentials determine the outcome. See docs/sandbox-credentials.md. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Provider } from '../../catalogue/provider.ts'

/** Error types with which a simulated sign-in can end. See docs/interface/linking.md. */
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
  /** One of `REGIONS`, or null. The caller has already refused any other text with 422. */
  readonly region: string | null
}

export type SignInOutcome =
  | { readonly kind: 'success' }
  /** A code was sent; `hint` is the masked destination. */
  | { readonly kind: 'mfa'; readonly method: 'sms' | 'email'; readonly hint: string }
  /** `error` is text for developers and never contains any part of the credentials. */
  | { readonly kind: 'error'; readonly errorType: SandboxErrorType; readonly error: string }
  /** The provider has regions but none was given, so the caller responds with 422. See docs/interface/linking.md#linking-5. */
  | { readonly kind: 'region_missing'; readonly allowed: readonly string[] }

const SUCCESS = { kind: 'success' } as const
const failure = (errorType: SandboxErrorType, error: string) => ({ kind: 'error', errorType, error }) as const

/** Outcomes by special user name. */
const OUTCOMES: ReadonlyMap<string, SignInOutcome> = new Map<string, SignInOutcome>([
  ['mfa-sms@sandbox.test', { kind: 'mfa', method: 'sms', hint: '+1 *** *** **42' }],
  ['mfa-email@sandbox.test', { kind: 'mfa', method: 'email', hint: 'm***@sandbox.test' }],
  ['expired@sandbox.test', failure('provider_password_expired', 'The provider asks for a new password')],
  ['down@sandbox.test', failure('provider_api_error', 'The provider did not respond as expected')],
  [
    'taken@sandbox.test',
    failure('duplicate_connection', 'This provider account is already connected to another user of the team'),
  ],
  ['scopes@sandbox.test', failure('required_scopes_not_granted', 'Not all required scopes were granted')],
])

/** An account that does not exist at any provider. Used for sign-ins without a password, which cannot be wrong. */
const UNKNOWN_ACCOUNT = 'wrong@sandbox.test'
const WRONG_PASSWORD = 'wrong'
const MFA_CODE = '123456'

/**
 * Signs in at a simulated provider. Checks, in this order: the region (missing, then not offered), the special user names, and the
 * password. In user names, as in e-mail addresses, case and surrounding spaces are ignored; passwords are compared exactly.
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
 * Signs in with only an account name: an e-mail address, or the text entered on a consent page (null if none). Special names have the same
 * outcome as with a password, except that names that require a code succeed, because there is no second step.
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

/** Returns whether a multi-factor code is correct. Surrounding spaces are ignored. Takes the same time for every code. */
export function checkCode(code: string): boolean {
  return timingSafeEqual(digest(code.trim()), digest(MFA_CODE))
}

/** Returns a text to record instead of a password. A sign-in with this text has the same outcome. */
export function stoodInPassword(password: string): string {
  return password === WRONG_PASSWORD ? WRONG_PASSWORD : 'not-recorded'
}

/** Returns a text to record instead of a multi-factor code. */
export function stoodInCode(code: string): string {
  return checkCode(code) ? MFA_CODE : 'not-recorded'
}

function unsupportedRegion(provider: Provider): string {
  if (provider.regions.length === 0) return `${provider.slug} has no regions; omit the region`
  return `${provider.slug} is not offered in this region; its regions are ${provider.regions.join(', ')}`
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
