/** The fake provider for WHOOP's API v2: its collections, pages and scopes, its limits, and the notifications that it sends. */
import { createHmac, randomUUID } from 'node:crypto'
import {
  type FakeProvider,
  type FakeProviderOptions,
  type FakeProviderRequest,
  type FakeProviderResponse,
  openFakeProvider,
} from '../fake-provider.ts'
import { type WhoopPerson, whoopPerson } from './whoop-data.ts'

export interface WhoopNotification {
  readonly type: string
  readonly id: string
  readonly userId: number
  readonly traceId?: string
  /** When it is signed, in epoch milliseconds. Default: now. */
  readonly at?: number
  /** Signing key. Default: the client secret. */
  readonly secret?: string
}

export interface FakeWhoop extends FakeProvider {
  /** People by account, as they sign in. A new account gets some weeks of data. */
  readonly people: Map<string, WhoopPerson>
  person(account: string): WhoopPerson
  /** The URL that the operator entered in the dashboard; notifications go there. */
  webhookUrl: string | null
  /** Sends a notification. Returns the response status. */
  notify(notification: WhoopNotification): Promise<number>
  /** How often `DELETE /v2/user/access` revoked an access. */
  readonly revoked: readonly string[]
}

export interface WhoopOptions extends Partial<FakeProviderOptions> {
  /** Maximum number of requests per minute. Default: 100. */
  readonly perMinute?: number
  /** Days of data that a new account has. Default: 40. */
  readonly days?: number
}

const SPANS: Readonly<Record<string, { readonly scope: string; readonly list: 'cycles' | 'sleeps' | 'workouts' }>> = {
  '/v2/cycle': { scope: 'read:cycles', list: 'cycles' },
  '/v2/activity/sleep': { scope: 'read:sleep', list: 'sleeps' },
  '/v2/activity/workout': { scope: 'read:workout', list: 'workouts' },
}

export async function openWhoop(options: WhoopOptions = {}): Promise<FakeWhoop> {
  const { perMinute = 100, days = 40, now = Date.now } = options
  const people = new Map<string, WhoopPerson>()
  const revoked: string[] = []
  const recent: number[] = []
  const person = (account: string): WhoopPerson => {
    const known = people.get(account) ?? whoopPerson(1000 + people.size, now(), days)
    people.set(account, known)
    return known
  }

  const limited = (): FakeProviderResponse | undefined => {
    const at = now()
    while (recent[0] !== undefined && recent[0] <= at - 60_000) recent.shift()
    if (recent.length >= perMinute) {
      const reset = String(Math.ceil(((recent[0] ?? at) + 60_000 - at) / 1000))
      return { status: 429, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }, body: {} }
    }
    recent.push(at)
    return undefined
  }

  const fake = await openFakeProvider({
    authorizePath: '/oauth/oauth2/auth',
    tokenPath: '/oauth/oauth2/token',
    clientAuth: 'body',
    refresh: 'rotates',
    expiresInS: 3600,
    // a refresh token is only issued for the scope offline
    tokenResponse: (issued, { scopes }) => {
      const { refresh_token: _refresh, ...without } = issued
      return { body: scopes.includes('offline') ? issued : without }
    },
    handle(request) {
      const { tokenSet, method } = request
      const path = request.path.replace(/^\/developer/, '')
      if (!path.startsWith('/v2/')) return undefined
      const refusal = limited()
      if (refusal) return refusal
      if (tokenSet === null) return { status: 401, body: { error: 'Authorization was not valid' } }
      if (path === '/v2/user/access' && method === 'DELETE') {
        for (const each of fake.tokenSets) if (each.account === tokenSet.account) each.isRevoked = true
        revoked.push(tokenSet.account)
        return { status: 204 }
      }
      if (method !== 'GET') return undefined
      const reply = listRecords(path, request, person(tokenSet.account), tokenSet.scopes)
      const left = String(perMinute - recent.length)
      return (
        reply && {
          ...reply,
          headers: { 'x-ratelimit-limit': `${perMinute}, ${perMinute};window=60`, 'x-ratelimit-remaining': left },
        }
      )
    },
    ...options,
  })

  const notify = async ({ type, id, userId, traceId, at, secret }: WhoopNotification): Promise<number> => {
    if (target.webhookUrl === null) return 0
    const body = JSON.stringify({ user_id: userId, id, type, trace_id: traceId ?? randomUUID() })
    const timestamp = String(at ?? now())
    const signature = createHmac('sha256', secret ?? fake.clientSecret)
      .update(timestamp + body)
      .digest('base64')
    const headers = {
      'content-type': 'application/json',
      'X-WHOOP-Signature': signature,
      'X-WHOOP-Signature-Timestamp': timestamp,
    }
    return (await fetch(target.webhookUrl, { method: 'POST', headers, body })).status
  }
  const target = Object.assign(fake, { webhookUrl: null as string | null, people, person, revoked, notify })
  return target
}

function listRecords(
  path: string,
  { query }: FakeProviderRequest,
  person: WhoopPerson,
  scopes: readonly string[],
): FakeProviderResponse | undefined {
  const needs = (scope: string): FakeProviderResponse | null =>
    scopes.includes(scope) ? null : { status: 403, body: { error: `requires ${scope}` } }
  if (path === '/v2/user/profile/basic') {
    return (
      needs('read:profile') ?? {
        body: { user_id: person.userId, email: 'person@example.com', first_name: 'Per', last_name: 'Son' },
      }
    )
  }
  if (path === '/v2/user/measurement/body') return needs('read:body_measurement') ?? { body: person.body }
  if (path === '/v2/recovery') {
    const spanOf = (cycleId: number): { start: string; end?: string } =>
      person.cycles.find(each => each.id === cycleId) ?? { start: '2000-01-01T00:00:00Z' }
    return needs('read:recovery') ?? page(person.recoveries, each => spanOf(each.cycle_id), query)
  }
  const collection = SPANS[path]
  if (collection)
    return (
      needs(collection.scope) ?? page<{ start: string; end?: string }>(person[collection.list], each => each, query)
    )
  const part = /^\/v2\/cycle\/(\d+)\/(sleep|recovery)$/.exec(path)
  if (part) {
    const cycleId = Number(part[1])
    const isRecovery = part[2] === 'recovery'
    const found = isRecovery
      ? person.recoveries.find(each => each.cycle_id === cycleId)
      : person.sleeps.find(each => each['cycle_id'] === cycleId && each['nap'] !== true)
    return needs(isRecovery ? 'read:recovery' : 'read:sleep') ?? one(found)
  }
  const single = /^(\/v2\/cycle|\/v2\/activity\/(?:sleep|workout))\/([\w-]+)$/.exec(path)
  const kind = SPANS[single?.[1] ?? '']
  if (!single || !kind) return undefined
  const list: readonly { readonly id: number | string }[] = person[kind.list]
  return needs(kind.scope) ?? one(list.find(each => String(each.id) === single[2]))
}

function one(record: unknown): FakeProviderResponse {
  return record === undefined ? { status: 404, body: { error: 'not found' } } : { body: record }
}

/** Returns a page of the records whose span overlaps the range, newest first. */
function page<T>(
  records: readonly T[],
  spanOf: (record: T) => { readonly start: string; readonly end?: string },
  query: URLSearchParams,
): FakeProviderResponse {
  const limit = Number(query.get('limit') ?? 10)
  if (!(limit >= 1 && limit <= 25)) return { status: 400, body: { error: 'limit' } }
  const times = ['start', 'end'].map(name => query.get(name))
  if (times.some(text => text !== null && !/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text))) {
    return { status: 400, body: { error: 'range' } }
  }
  const from = times[0] == null ? Number.NEGATIVE_INFINITY : Date.parse(times[0])
  const to = times[1] == null ? Number.POSITIVE_INFINITY : Date.parse(times[1])
  const found = records
    .map(record => ({ record, span: spanOf(record) }))
    .filter(({ span }) => Date.parse(span.start) < to && (span.end === undefined || Date.parse(span.end) > from))
    .sort((a, b) => Date.parse(b.span.start) - Date.parse(a.span.start))
    .map(({ record }) => record)
  const token = query.get('nextToken')
  const offset = token === null ? 0 : Number(Buffer.from(token, 'base64').toString('utf8'))
  if (!Number.isInteger(offset)) return { status: 400, body: { error: 'nextToken' } }
  const more = offset + limit < found.length
  const next = more ? Buffer.from(String(offset + limit)).toString('base64') : null
  return { body: { records: found.slice(offset, offset + limit), next_token: next } }
}
