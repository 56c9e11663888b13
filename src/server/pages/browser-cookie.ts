/**
 * Cookies that bind sign-ins at providers to the browser that started them on the link page (RFC 9700, section 4.7). Each sign-in has its
 * own cookie, because two tabs may start sign-ins at the same time.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { hashSecret } from '../../core/ids.ts'
import { HOUR_MS, SECOND_MS } from '../../core/time.ts'
import { cookiePath } from './page-context.ts'

/** Lifetime of the cookie; equal to that of a link token. See docs/interface/linking.md#linking-1. */
const MAX_AGE_S = HOUR_MS / SECOND_MS
const SECRET = /^[\w-]{43}$/
/** Number of characters that distinguish a browser's sign-ins. They are only a name; the secret is the proof. */
const NAME_CHARACTERS = 12

interface SignIn {
  readonly publicUrl: string | null
  readonly state: string
}

/** Returns the secret in the sign-in's cookie, or null. */
export function browserSecret(signIn: SignIn, { cookie = '' }: IncomingHttpHeaders): string | null {
  const wanted = `${cookieName(signIn)}=`
  const values = cookie.split(';').flatMap(pair => {
    const text = pair.trim()
    return text.startsWith(wanted) ? [text.slice(wanted.length)] : []
  })
  return values.find(each => SECRET.test(each)) ?? null
}

/** Returns the header that sets the cookie. `Lax` lets browsers send it after the redirect from a provider. */
export function browserCookie(signIn: SignIn, secret: string): string {
  const secure = isSecure(signIn) ? '; Secure' : ''
  return `${cookieName(signIn)}=${secret}; Path=${cookieScope(signIn)}; Max-Age=${MAX_AGE_S}; HttpOnly; SameSite=Lax${secure}`
}

/**
 * Returns the cookie's name. The prefixes prevent pages without TLS from setting the cookie, and `__Host-` also prevents other hosts in the
 * domain from setting it.
 */
function cookieName(signIn: SignIn): string {
  const name = `svc_link_${hashSecret(signIn.state).slice(0, NAME_CHARACTERS)}`
  if (!isSecure(signIn)) return name
  return cookieScope(signIn) === '/' ? `__Host-${name}` : `__Secure-${name}`
}

/** Returns the cookie's path; `__Host-` does not allow a narrower one. */
function cookieScope(signIn: SignIn): string {
  const path = cookiePath(signIn.publicUrl)
  if (path !== '/') return `${path}/oauth`
  return isSecure(signIn) ? '/' : '/oauth'
}

function isSecure({ publicUrl }: SignIn): boolean {
  return publicUrl?.startsWith('https:') === true
}
