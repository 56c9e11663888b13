/**
 * Validates all providers' token responses according to RFC 6749, section 5.1 and appendix A, before a token is stored. Messages contain
 * the invalid member's name, but never a value from the response.
 */
import { DAY_MS, type EpochMs, SECOND_MS } from '../../core/time.ts'
import { type AppSession, ProviderError } from '../provider-session.ts'
import { asObject, member } from '../shared/json-fields.ts'

export interface IssuedTokens {
  readonly accessToken: string
  /** The refresh token; null if the response has none, which the RFC allows. */
  readonly refreshToken: string | null
  /** Null if the response has no `expires_in` or if it exceeds a hundred years. The token is then used until it is refused. */
  readonly expiresAt: EpochMs | null
}

/** Matches printable ASCII characters, because a token with any other character could not be sent in a header. */
const TOKEN = /^[\x20-\x7e]+$/
/** Seconds in a hundred years of 365.25 days. Polar documents tokens that last about ten years. */
const MOST_SECONDS = (36_525 * DAY_MS) / SECOND_MS

/**
 * Returns the tokens in a response. Throws ProviderError `bad_answer` unless `access_token` is a text, `refresh_token` is a text or absent,
 * `expires_in` is absent or a positive whole number of seconds, and `token_type` is absent or Bearer. A text that consists of digits counts
 * as a number, because appendix A.14 writes `expires_in` this way.
 */
export function issuedTokens(session: Pick<AppSession, 'now'>, response: unknown): IssuedTokens {
  if (asObject(response) === undefined) throw invalid('is not a JSON object')
  const type = member(response, 'token_type') ?? 'bearer'
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') throw invalid('has a token_type other than Bearer')
  const accessToken = member(response, 'access_token')
  if (!isToken(accessToken)) throw invalid('needs an access_token that is a text of printable ASCII characters')
  const refreshToken = member(response, 'refresh_token')
  if (refreshToken !== undefined && !isToken(refreshToken)) {
    throw invalid('has a refresh_token that is not a text of printable ASCII characters')
  }
  const lasts = member(response, 'expires_in')
  const seconds = typeof lasts === 'string' && /^\d+$/.test(lasts) ? Number(lasts) : lasts
  if (seconds !== undefined && !isPositiveWhole(seconds)) {
    throw invalid('has an expires_in that is not a positive whole number of seconds')
  }
  const hasEnd = seconds !== undefined && seconds <= MOST_SECONDS
  return {
    accessToken,
    refreshToken: refreshToken ?? null,
    expiresAt: hasEnd ? session.now() + seconds * SECOND_MS : null,
  }
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value)
}

/** Returns whether a value is a positive whole number. A text with too many digits becomes Infinity, which is accepted. */
function isPositiveWhole(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY)
}

function invalid(what: string): ProviderError {
  return new ProviderError('bad_answer', `The response to a token request ${what}.`)
}
