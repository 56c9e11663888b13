/** The console's cookie: its name, its attributes, and the token that a change must include. */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '../../core/errors.ts'
import { deriveCsrfToken } from '../../engine/console/sessions.ts'
import { cookiePath } from '../pages/page-context.ts'

export const CSRF_HEADER = 'x-svc-csrf-token'
const NAME = 'svc_session'
const SECRET = /^[\w-]{43}$/

export interface CookieOptions {
  /** The URL at which browsers reach the server, if given. */
  readonly publicUrl: string | null
  /** Whether browsers reach the server by https only. */
  readonly isSecure: boolean
}

/** Reads and writes one server's cookie. */
export class SessionCookie {
  private readonly options: CookieOptions
  private readonly publicPort: string | null
  private readonly path: string

  constructor(options: CookieOptions) {
    this.options = options
    this.publicPort = options.publicUrl === null ? null : new URL(options.publicUrl).port
    this.path = cookiePath(options.publicUrl)
  }

  /** Returns the session secret in the request's cookie, or null. */
  read(headers: IncomingHttpHeaders): string | null {
    const { cookie } = headers
    if (cookie === undefined || !cookie.includes(NAME)) return null
    const wanted = `${this.nameFor(headers)}=`
    for (const pair of cookie.split(';')) {
      const text = pair.trim()
      if (!text.startsWith(wanted)) continue
      const secret = text.slice(wanted.length)
      if (SECRET.test(secret)) return secret
    }
    return null
  }

  /** Returns the header that sets the cookie. The cookie expires when the browser's session or the server's session ends. */
  set(headers: IncomingHttpHeaders, secret: string): string {
    return `${this.nameFor(headers)}=${secret}; ${this.attributes}`
  }

  clear(headers: IncomingHttpHeaders): string {
    return `${this.nameFor(headers)}=; ${this.attributes}; Max-Age=0`
  }

  private get attributes(): string {
    return `Path=${this.path}; HttpOnly; SameSite=Strict${this.options.isSecure ? '; Secure' : ''}`
  }

  /**
   * Returns the cookie's name. The name includes the port, because cookies belong to a host regardless of its port. Otherwise, servers on
   * one machine would sign each other out.
   */
  private nameFor({ host }: IncomingHttpHeaders): string {
    const port = this.publicPort ?? /:(\d{1,5})$/.exec(host ?? '')?.[1] ?? ''
    return port === '' ? NAME : `${NAME}_${port}`
  }
}

/** Throws ServiceError `csrf_token_missing` for a change without its session's token. */
export function requireCsrfToken(method: string, headers: IncomingHttpHeaders, secret: string): void {
  if (method === 'GET' || method === 'HEAD') return
  const given = headers[CSRF_HEADER]
  const wanted = Buffer.from(deriveCsrfToken(secret))
  const found = Buffer.from(typeof given === 'string' ? given : '')
  if (found.length === wanted.length && timingSafeEqual(found, wanted)) return
  throw new ServiceError(
    'csrf_token_missing',
    `A change with the console's cookie needs the header ${CSRF_HEADER} with the session's csrf_token.`,
  )
}
