/** The pages' texts about link errors, written for the user who links an account. */
import { LINK_ERROR_TYPES, type LinkErrorType } from '../../contract/links/link.ts'

/** The problem and what the user can do about it. */
export interface PageProblem {
  readonly title: string
  readonly advice: string
}

const PROBLEMS: Readonly<Record<LinkErrorType, PageProblem>> = {
  invalid_token: {
    title: 'This link is not valid',
    advice: 'Part of its URL may be missing. Go back to the application and start again.',
  },
  token_expired: {
    title: 'This link has expired',
    advice: 'A link works for 60 minutes. Go back to the application and start again.',
  },
  token_not_validated: {
    title: 'This sign-in was not started here',
    advice: 'Go back to the application and start again.',
  },
  token_consumed: {
    title: 'This link has already been used',
    advice: 'A link connects one account. Go back to the application to connect another one.',
  },
  provider_credential_error: {
    title: 'The provider did not let you in',
    advice: 'Check what you typed, or allow access when the provider asks for it.',
  },
  provider_password_expired: {
    title: 'Your password at the provider has expired',
    advice: 'Set a new one at the provider, then try again.',
  },
  provider_api_error: {
    title: 'The provider could not complete the request',
    advice: 'Wait a moment, then try again.',
  },
  unsupported_region: {
    title: 'The provider is not available in this region',
    advice: 'Choose the region in which you opened your account.',
  },
  duplicate_connection: {
    title: 'This account is already connected',
    advice: 'Another user has connected it. Use a different account.',
  },
  required_scopes_not_granted: {
    title: 'A required permission was not granted',
    advice: 'Allow at least the items that are marked as required.',
  },
  incorrect_mfa_code: { title: 'The code is not correct', advice: 'Check the latest message from the provider.' },
  user_cancelled: { title: 'The link was cancelled', advice: 'Nothing was connected.' },
}

/** A sign-in that ends in another browser than the one that started it. This may be an attack on the person who reads the text. */
export const OTHER_BROWSER: PageProblem = {
  title: 'This sign-in was not started in this browser',
  advice:
    'Nothing was connected. To connect your account, go back to the application, start again, and stay in one browser that accepts ' +
    'cookies from this page. If somebody else sent you here, close this page: your data would have gone to them.',
}

export const OTHER_SITE: PageProblem = {
  title: 'This form was sent by another site',
  advice: 'Nothing was connected. Go back to the application, open the link again, and continue on its page.',
}

/** Returns the problem for an error type, or null for any other text, so that a URL cannot put its own text on a page. */
export function findProblem(errorType: string): PageProblem | null {
  const known = LINK_ERROR_TYPES.find(each => each === errorType)
  return known === undefined ? null : PROBLEMS[known]
}
