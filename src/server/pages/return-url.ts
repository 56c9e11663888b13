/**
 * Builds the URL that returns to the application: its redirect URL with the result of the link. See docs/interface/linking.md#linking-2.
 */
import type { LinkErrorType } from '../../contract/links/link.ts'
import type { LinkTokenRecord } from '../../store/link.ts'

export type LinkEnd =
  | { readonly state: 'success' }
  | { readonly state: 'error'; readonly errorType: LinkErrorType | string; readonly error: string }

/** Sets `state`, and `error_type` and `error` after a failure. Leaves the rest of the URL unchanged. */
export function returnUrl(redirectUrl: string, end: LinkEnd): string {
  const url = new URL(redirectUrl)
  url.searchParams.set('state', end.state)
  if (end.state === 'error') {
    url.searchParams.set('error_type', end.errorType)
    url.searchParams.set('error', end.error)
  }
  return url.href
}

/** The parameter with which an application checks that it started the link in this browser. See docs/security.md#sign-ins-at-providers. */
const TOKEN_HASH = 'link_token_hash'

/** Returns the URL that ends a token's link, with the token's hash; null if the token has no redirect URL. */
export function endUrl({ redirectUrl, hash }: LinkTokenRecord, end: LinkEnd): string | null {
  if (redirectUrl === null) return null
  const url = new URL(returnUrl(redirectUrl, end))
  url.searchParams.set(TOKEN_HASH, hash)
  return url.href
}
