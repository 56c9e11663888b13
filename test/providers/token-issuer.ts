/** Consent and tokens of a fake provider: codes that can be used once, and token sets that are refreshed as by the real provider. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FakeProviderOptions, FakeProviderRequest, FakeProviderResponse } from './fake-provider.ts'

/** A token set that was issued to a person. */
export interface IssuedTokenSet {
  readonly account: string
  readonly scopes: readonly string[]
  accessToken: string
  refreshToken: string | null
  /** By the clock of the fake provider. */
  expiresAt: number
  /** Revoked by the person or by a call. */
  isRevoked: boolean
  /** How often it was refreshed. */
  refreshes: number
  /** Used refresh tokens. */
  readonly usedUp: Set<string>
}

export interface TokenResponse {
  readonly access_token: string
  readonly refresh_token?: string
  readonly expires_in: number
  readonly scope: string
  readonly token_type: string
}

/** The person's actions on the consent page. */
export interface Consent {
  /** Who signs in. Default: `person-1`. */
  readonly account?: string
  /** Scopes that the person leaves checked; absent: all requested scopes. */
  readonly scopes?: readonly string[]
  readonly isDenied?: boolean
}

interface Code {
  readonly account: string
  readonly scopes: readonly string[]
  readonly redirectUrl: string
  readonly challenge: string | null
  isUsed: boolean
}

export class TokenIssuer {
  readonly tokenSets: IssuedTokenSet[] = []
  /** How often a used refresh token was reused. */
  reuses = 0
  private readonly codes = new Map<string, Code>()
  private readonly options: FakeProviderOptions &
    Required<Pick<FakeProviderOptions, 'clientId' | 'clientSecret' | 'now'>>

  constructor(options: TokenIssuer['options']) {
    this.options = options
  }

  /** Returns the token set of a bearer token, or null if there is no valid one. */
  bearer(headers: IncomingHttpHeaders): IssuedTokenSet | null {
    const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
    const now = this.options.now()
    return this.tokenSets.find(each => each.accessToken === token && !each.isRevoked && now < each.expiresAt) ?? null
  }

  issue(account = 'person-1', scopes: readonly string[] = []): IssuedTokenSet {
    const tokenSet: IssuedTokenSet = {
      account,
      scopes,
      accessToken: '',
      refreshToken: null,
      expiresAt: 0,
      isRevoked: false,
      refreshes: 0,
      usedUp: new Set(),
    }
    this.replaceTokens(tokenSet)
    this.tokenSets.push(tokenSet)
    return tokenSet
  }

  authorize({ query }: FakeProviderRequest, consent: Consent): FakeProviderResponse {
    const { redirectUrls, clientId, scopeSeparator } = this.options
    const redirectUrl = query.get('redirect_uri') ?? ''
    const isKnown = redirectUrls?.includes(redirectUrl) ?? URL.canParse(redirectUrl)
    if (query.get('client_id') !== clientId || !isKnown || query.get('response_type') !== 'code') {
      return { status: 400, body: 'The application or its redirect address is unknown.' }
    }
    const target = new URL(redirectUrl)
    const state = query.get('state')
    if (state !== null) target.searchParams.set('state', state)
    const { account = 'person-1', isDenied = false, scopes } = consent
    if (isDenied) target.searchParams.set('error', 'access_denied')
    else {
      const requested = (query.get('scope') ?? '').split(/[ ,]+/).filter(each => each !== '')
      const granted = scopes ? requested.filter(each => scopes.includes(each)) : requested
      const code = `code-${randomBytes(16).toString('hex')}`
      this.codes.set(code, {
        account,
        scopes: granted,
        redirectUrl,
        challenge: query.get('code_challenge'),
        isUsed: false,
      })
      target.searchParams.set('code', code)
      target.searchParams.set('scope', granted.join(scopeSeparator ?? ' '))
    }
    return { status: 302, headers: { location: target.href } }
  }

  token({ form, headers }: FakeProviderRequest): FakeProviderResponse {
    const { clientAuth, clientId, clientSecret } = this.options
    const [id, secret] =
      clientAuth === 'basic' ? readBasicAuth(headers) : [form.get('client_id'), form.get('client_secret')]
    if (id !== clientId || !isSame(secret ?? '', clientSecret)) return this.refuse('invalid_client')
    const kind = form.get('grant_type')
    if (kind === 'authorization_code') return this.exchange(form)
    if (kind === 'refresh_token') return this.refresh(form)
    return this.refuse('unsupported_grant_type')
  }

  private exchange(form: URLSearchParams): FakeProviderResponse {
    const code = this.codes.get(form.get('code') ?? '')
    if (!code || code.isUsed || code.redirectUrl !== form.get('redirect_uri')) return this.refuse('invalid_grant')
    code.isUsed = true
    if (code.challenge !== null) {
      const verifier = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      if (verifier !== code.challenge) return this.refuse('invalid_grant')
    }
    return this.tokenResponse(this.issue(code.account, code.scopes), true)
  }

  private refresh(form: URLSearchParams): FakeProviderResponse {
    const { endsOnReuse, refresh } = this.options
    const token = form.get('refresh_token') ?? ''
    const reused = this.tokenSets.find(each => each.usedUp.has(token))
    if (reused) {
      this.reuses++
      if (endsOnReuse !== false) reused.isRevoked = true
      return this.refuse('invalid_grant')
    }
    const tokenSet = this.tokenSets.find(each => each.refreshToken === token && !each.isRevoked)
    if (!tokenSet) return this.refuse('invalid_grant')
    if (refresh === 'rotates') tokenSet.usedUp.add(token)
    tokenSet.refreshes++
    this.replaceTokens(tokenSet)
    return this.tokenResponse(tokenSet, refresh === 'rotates')
  }

  private replaceTokens(tokenSet: IssuedTokenSet): void {
    const { refresh, now, expiresInS } = this.options
    tokenSet.accessToken = `at-${randomBytes(16).toString('hex')}`
    if (refresh === 'none') tokenSet.refreshToken = null
    else if (refresh === 'rotates' || tokenSet.refreshToken === null) {
      tokenSet.refreshToken = `rt-${randomBytes(16).toString('hex')}`
    }
    tokenSet.expiresAt = now() + expiresInS * 1_000
  }

  private tokenResponse(tokenSet: IssuedTokenSet, withRefreshToken: boolean): FakeProviderResponse {
    const { tokenResponse: tokenReply, expiresInS, scopeSeparator } = this.options
    const issued: TokenResponse = {
      access_token: tokenSet.accessToken,
      ...(withRefreshToken && tokenSet.refreshToken !== null && { refresh_token: tokenSet.refreshToken }),
      expires_in: expiresInS,
      scope: tokenSet.scopes.join(scopeSeparator ?? ' '),
      token_type: 'Bearer',
    }
    return tokenReply?.(issued, tokenSet) ?? { body: issued, headers: { 'cache-control': 'no-store' } }
  }

  private refuse(error: string): FakeProviderResponse {
    return this.options.tokenRefusal?.(error) ?? { status: error === 'invalid_client' ? 401 : 400, body: { error } }
  }
}

function readBasicAuth(headers: IncomingHttpHeaders): readonly [string, string] {
  const coded = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  const [id = '', ...secret] = Buffer.from(coded, 'base64').toString('utf8').split(':')
  return [decodeURIComponent(id), decodeURIComponent(secret.join(':'))]
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
