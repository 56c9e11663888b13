/** The fake provider for Polar AccessLink v3: registration, windows, limits, and the one webhook of a client. */
import {
  type FakeProvider,
  type FakeProviderOptions,
  type FakeProviderResponse,
  openFakeProvider,
} from '../fake-provider.ts'
import { type PolarPerson, polarPerson } from './polar-data.ts'
import { respondWithData } from './polar-responses.ts'
import { PolarWebhook } from './polar-webhook.ts'

export interface FakePolar extends FakeProvider {
  /** People by account, as they sign in. A new account gets some weeks of data. */
  readonly people: Map<string, PolarPerson>
  person(account: string): PolarPerson
  readonly webhook: PolarWebhook
}

export interface PolarOptions extends Partial<FakeProviderOptions> {
  /** Days of data that a new account has. Default: 40. */
  readonly days?: number
  /** Requests that a client may send in 15 minutes; each registered person adds 20. Default: 500. */
  readonly perQuarter?: number
}

const QUARTER = 15 * 60_000

export async function openPolar(options: PolarOptions = {}): Promise<FakePolar> {
  const { days = 40, perQuarter = 500, now = Date.now } = options
  const people = new Map<string, PolarPerson>()
  const recent: number[] = []
  const person = (account: string): PolarPerson => {
    const known = people.get(account) ?? { ...polarPerson(2000 + people.size, now(), days), isRegistered: false }
    people.set(account, known)
    return known
  }

  const limited = (): FakeProviderResponse | null => {
    const at = now()
    while (recent[0] !== undefined && recent[0] <= at - QUARTER) recent.shift()
    const most = perQuarter + 20 * [...people.values()].filter(each => each.isRegistered).length
    if (recent.length < most) {
      recent.push(at)
      return null
    }
    const reset = Math.ceil(((recent[0] ?? at) + QUARTER - at) / 1000)
    const headers = {
      'ratelimit-usage': `${recent.length}, ${recent.length}`,
      'ratelimit-limit': `${most}, ${most * 10}`,
      'ratelimit-reset': `${reset}, 86400`,
    }
    return { status: 429, headers, body: errorBody(429, 'too_many_requests') }
  }

  const fake = await openFakeProvider({
    authorizePath: '/oauth2/authorization',
    tokenPath: '/v2/oauth2/token',
    clientAuth: 'basic',
    refresh: 'none',
    expiresInS: 315_359_999,
    // Polar returns the person, but no scopes
    tokenResponse: ({ access_token, expires_in }, { account }) => ({
      body: { access_token, token_type: 'bearer', expires_in, x_user_id: person(account).userId },
    }),
    async handle(request) {
      const { path, method, tokenSet } = request
      if (path.startsWith('/v3/webhooks')) return webhook.respond(request)
      const refusal = limited()
      if (refusal) return refusal
      if (tokenSet === null) return { status: 401, body: errorBody(401, 'unauthorized') }
      const owner = person(tokenSet.account)
      if (path === '/v3/users' && method === 'POST') return register(owner, request.json())
      if (method === 'DELETE' && path === `/v3/users/${owner.userId}`) {
        owner.isRegistered = false
        for (const each of fake.tokenSets) if (each.account === tokenSet.account) each.isRevoked = true
        return { status: 204 }
      }
      if (!owner.isRegistered || !owner.hasConsented) return { status: 403, body: errorBody(403, 'consents_missing') }
      return method === 'GET' ? respondWithData(request, owner, now()) : undefined
    },
    ...options,
  })
  const webhook = new PolarWebhook(fake, now)
  return Object.assign(fake, { people, person, webhook })
}

function register(person: PolarPerson, body: unknown): FakeProviderResponse {
  const memberId = (body as Record<string, unknown>)['member-id']
  if (typeof memberId !== 'string' || memberId === '') return { status: 400, body: errorBody(400, 'member-id') }
  if (!person.hasConsented) return { status: 403, body: errorBody(403, 'consents_missing') }
  if (person.isRegistered) return { status: 409, body: errorBody(409, 'user_already_registered') }
  person.isRegistered = true
  return { status: 200, body: { 'polar-user-id': person.userId, 'member-id': memberId } }
}

function errorBody(status: number, errorType: string): Record<string, unknown> {
  return { timestamp: '2026-11-20T12:00:00Z', status, errorType, message: errorType, corrId: 'c-1' }
}
