/** Consent and tokens of a fake provider: codes that can be used once, and token sets that are refreshed as by the real provider. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { StandInOptions, StandInReply, StandInRequest } from './stand-in.ts'

/** A token set that was issued to a person. */
export interface StandInGrant {
  readonly account: string
  readonly scopes: readonly string[]
  accessToken: string
  refreshToken: string | null
  /** By the clock of the fake provider. */
  expiresAt: number
  /** Revoked by the person or by a call. */
  isRevoked: boolean
  /** How often it was refreshed. */
  renewals: number
  /** Used refresh tokens. */
  readonly usedUp: Set<string>
}

export interface TokenAnswer {
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

export class StandInGrants {
  readonly grants: StandInGrant[] = []
  /** How often a used refresh token was reused. */
  reuses = 0
  private readonly codes = new Map<string, Code>()
  private readonly options: StandInOptions & Required<Pick<StandInOptions, 'clientId' | 'clientSecret' | 'now'>>

  constructor(options: StandInGrants['options']) {
    this.options = options
  }

  /** Returns the token set of a bearer token, or null if there is no valid one. */
  of(headers: IncomingHttpHeaders): StandInGrant | null {
    const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
    const now = this.options.now()
    return this.grants.find(each => each.accessToken === token && !each.isRevoked && now < each.expiresAt) ?? null
  }

  issue(account = 'person-1', scopes: readonly string[] = []): StandInGrant {
    const grant: StandInGrant = {
      account,
      scopes,
      accessToken: '',
      refreshToken: null,
      expiresAt: 0,
      isRevoked: false,
      renewals: 0,
      usedUp: new Set(),
    }
    this.renew(grant)
    this.grants.push(grant)
    return grant
  }

  authorize({ query }: StandInRequest, consent: Consent): StandInReply {
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
      const asked = (query.get('scope') ?? '').split(/[ ,]+/).filter(each => each !== '')
      const granted = scopes ? asked.filter(each => scopes.includes(each)) : asked
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

  token({ form, headers }: StandInRequest): StandInReply {
    const { clientAuth, clientId, clientSecret } = this.options
    const [id, secret] = clientAuth === 'basic' ? basicOf(headers) : [form.get('client_id'), form.get('client_secret')]
    if (id !== clientId || !isSame(secret ?? '', clientSecret)) return this.refuse('invalid_client')
    const kind = form.get('grant_type')
    if (kind === 'authorization_code') return this.exchange(form)
    if (kind === 'refresh_token') return this.refresh(form)
    return this.refuse('unsupported_grant_type')
  }

  private exchange(form: URLSearchParams): StandInReply {
    const code = this.codes.get(form.get('code') ?? '')
    if (!code || code.isUsed || code.redirectUrl !== form.get('redirect_uri')) return this.refuse('invalid_grant')
    code.isUsed = true
    if (code.challenge !== null) {
      const verifier = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      if (verifier !== code.challenge) return this.refuse('invalid_grant')
    }
    return this.answer(this.issue(code.account, code.scopes), true)
  }

  private refresh(form: URLSearchParams): StandInReply {
    const { endsOnReuse, refresh } = this.options
    const token = form.get('refresh_token') ?? ''
    const reused = this.grants.find(each => each.usedUp.has(token))
    if (reused) {
      this.reuses++
      if (endsOnReuse !== false) reused.isRevoked = true
      return this.refuse('invalid_grant')
    }
    const grant = this.grants.find(each => each.refreshToken === token && !each.isRevoked)
    if (!grant) return this.refuse('invalid_grant')
    if (refresh === 'rotates') grant.usedUp.add(token)
    grant.renewals++
    this.renew(grant)
    return this.answer(grant, refresh === 'rotates')
  }

  private renew(grant: StandInGrant): void {
    const { refresh, now, expiresInS } = this.options
    grant.accessToken = `at-${randomBytes(16).toString('hex')}`
    if (refresh === 'none') grant.refreshToken = null
    else if (refresh === 'rotates' || grant.refreshToken === null) {
      grant.refreshToken = `rt-${randomBytes(16).toString('hex')}`
    }
    grant.expiresAt = now() + expiresInS * 1_000
  }

  private answer(grant: StandInGrant, withRefreshToken: boolean): StandInReply {
    const { tokenReply, expiresInS, scopeSeparator } = this.options
    const issued: TokenAnswer = {
      access_token: grant.accessToken,
      ...(withRefreshToken && grant.refreshToken !== null && { refresh_token: grant.refreshToken }),
      expires_in: expiresInS,
      scope: grant.scopes.join(scopeSeparator ?? ' '),
      token_type: 'Bearer',
    }
    return tokenReply?.(issued, grant) ?? { body: issued, headers: { 'cache-control': 'no-store' } }
  }

  private refuse(error: string): StandInReply {
    return this.options.tokenRefusal?.(error) ?? { status: error === 'invalid_client' ? 401 : 400, body: { error } }
  }
}

function basicOf(headers: IncomingHttpHeaders): readonly [string, string] {
  const coded = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  const [id = '', ...secret] = Buffer.from(coded, 'base64').toString('utf8').split(':')
  return [decodeURIComponent(id), decodeURIComponent(secret.join(':'))]
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
