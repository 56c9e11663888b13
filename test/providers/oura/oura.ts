/**
 * The fake provider for Oura's API v2: documents by date range with bounds that differ by collection, pages, the heart rate by time range,
 * subscriptions with their handshake, and signed notifications.
 */
import { createHmac, randomUUID } from 'node:crypto'
import {
  type FakeProvider,
  type FakeProviderOptions,
  type FakeProviderRequest,
  type FakeProviderResponse,
  openFakeProvider,
} from '../fake-provider.ts'

/** Tags have no `day`, but a `start_day`. */
export type OuraDocument = Readonly<Record<string, unknown>> & { readonly id: string; readonly day?: string }

export interface OuraHeartRate {
  readonly timestamp: string
  readonly bpm: number | null
  readonly source: string
}

/** The data of one person. */
export interface OuraPerson {
  readonly info: Record<string, unknown>
  /** By collection. */
  readonly documents: Record<string, OuraDocument[]>
  heartrate: OuraHeartRate[]
}

export interface OuraEvent {
  readonly event_type: 'create' | 'update' | 'delete'
  readonly data_type: string
  readonly object_id: string
  readonly user_id: string
  readonly event_time?: string
}

export interface OuraSending {
  /** Seconds since 1970 of the signature. Default: now. */
  readonly sentAt?: number
  /** Default: the client secret. */
  readonly key?: string
  /** Changes the body after it was signed. */
  readonly tamper?: (body: string) => string
}

interface Subscription {
  readonly id: string
  callback_url: string
  verification_token: string
  readonly event_type: string
  readonly data_type: string
  expiration_time: string
}

export interface FakeOura extends FakeProvider {
  person(account: string): OuraPerson
  readonly subscriptions: Subscription[]
  /** Documents or rows on one page. */
  pageSize: number
  /** Returns the body and the headers of a notification. */
  signed(event: OuraEvent, sending?: OuraSending): { readonly body: string; readonly headers: Record<string, string> }
  /** Sends a notification to all its subscribers. Returns the response statuses. */
  notify(event: OuraEvent, sending?: OuraSending): Promise<number[]>
}

const EXCLUSIVE_END = new Set(['daily_activity', 'sleep', 'workout', 'vO2_max', 'session', 'enhanced_tag'])
const INCLUSIVE_END = new Set(['daily_sleep', 'daily_readiness', 'daily_spo2', 'daily_stress'])
const MOST_HEARTRATE_MS = 30 * 86_400_000 + 60_000
const LIFE_MS = 90 * 86_400_000
const DATA = '/v2/usercollection/'
const SCOPES: Readonly<Record<string, string>> = {
  heartrate: 'heartrate',
  workout: 'workout',
  daily_spo2: 'spo2',
  personal_info: 'personal',
  vO2_max: 'heart_health',
  session: 'session',
  enhanced_tag: 'tag',
}

export async function openOura(
  options: Pick<FakeProviderOptions, 'port' | 'now' | 'clientSecret' | 'gate'> = {},
): Promise<FakeOura> {
  const { now = Date.now } = options
  const people = new Map<string, OuraPerson>()
  const subscriptions: Subscription[] = []
  const person = (account: string): OuraPerson => {
    const found = people.get(account) ?? { info: { id: account }, documents: {}, heartrate: [] }
    people.set(account, found)
    return found
  }

  const handle = async (request: FakeProviderRequest): Promise<FakeProviderResponse | undefined> => {
    const { path, method, query } = request
    if (path === '/oauth/revoke' && method === 'POST') {
      const tokenSet = fake.tokenSets.find(each => each.accessToken === query.get('access_token'))
      if (!tokenSet || tokenSet.isRevoked) return { status: 401, body: { status: 401, title: 'Unauthorized' } }
      tokenSet.isRevoked = true
      return { status: 200, body: '' }
    }
    if (path.startsWith('/v2/webhook/subscription')) return manage(request)
    if (!path.startsWith(DATA) || method !== 'GET') return undefined
    if (request.tokenSet === null) return { status: 401, body: { status: 401, title: 'Unauthorized' } }
    const [name = '', id] = path.slice(DATA.length).split('/')
    if (request.tokenSet.scopes.length > 0 && !request.tokenSet.scopes.includes(SCOPES[name] ?? 'daily')) {
      return { status: 403, body: { status: 403, title: 'Forbidden' } }
    }
    const has = person(request.tokenSet.account)
    if (name === 'personal_info') return { body: has.info }
    if (id !== undefined) {
      const found = has.documents[name]?.find(each => each.id === decodeURIComponent(id))
      return found ? { body: found } : { status: 404, body: { detail: 'not found' } }
    }
    return name === 'heartrate' ? heartRates(has, query) : documents(has, name, query)
  }

  function documents(has: OuraPerson, name: string, query: URLSearchParams): FakeProviderResponse {
    const [start, end] = [query.get('start_date') ?? '', query.get('end_date') ?? '']
    const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text)
    if (!isDate(start) || !isDate(end) || end < start) return invalid('start_date')
    if (!EXCLUSIVE_END.has(name) && !INCLUSIVE_END.has(name)) return { status: 404, body: { detail: 'not found' } }
    // the range of workouts applies to the UTC date of their start
    const dateOf = (each: OuraDocument): string =>
      name === 'workout'
        ? new Date(String(each['start_datetime'])).toISOString().slice(0, 10)
        : String(each.day ?? each['start_day'])
    const all = (has.documents[name] ?? []).filter(each => {
      const date = dateOf(each)
      return date >= start && (INCLUSIVE_END.has(name) ? date <= end : date < end)
    })
    return page(all, query)
  }

  function heartRates(has: OuraPerson, query: URLSearchParams): FakeProviderResponse {
    const [from, to] = [Date.parse(query.get('start_datetime') ?? ''), Date.parse(query.get('end_datetime') ?? '')]
    if (!(from <= to) || to - from > MOST_HEARTRATE_MS) return invalid('start_datetime')
    const rows = has.heartrate.filter(({ timestamp }) => Date.parse(timestamp) >= from && Date.parse(timestamp) < to)
    return page(
      rows.map(each => ({ ...each, timestamp_unix: Date.parse(each.timestamp) })),
      query,
    )
  }

  function page(all: readonly unknown[], query: URLSearchParams): FakeProviderResponse {
    const [text, first] = (query.get('next_token') ?? '').split('.')
    const from = text === 'page' ? Number(first) : 0
    const until = from + fake.pageSize
    return { body: { data: all.slice(from, until), next_token: until < all.length ? `page.${until}` : null } }
  }

  async function manage({ path, method, headers, json }: FakeProviderRequest): Promise<FakeProviderResponse> {
    if (headers['x-client-id'] !== fake.clientId || headers['x-client-secret'] !== fake.clientSecret) {
      return { status: 401, body: { detail: 'unauthorized' } }
    }
    const id = path.split('/').at(-1)
    const at = subscriptions.findIndex(each => each.id === id)
    const found = subscriptions[at]
    if (method === 'GET') return { body: subscriptions.map(shown) }
    if (method === 'POST') {
      const requested = json() as Subscription
      const isTaken = subscriptions.some(
        each => each.event_type === requested.event_type && each.data_type === requested.data_type,
      )
      if (isTaken) return { status: 409, body: { detail: 'exists' } }
      if (!(await acceptsChallenge(requested)))
        return { status: 400, body: { detail: 'the callback did not answer the challenge' } }
      const made = { ...requested, id: randomUUID(), expiration_time: expiry() }
      subscriptions.push(made)
      return { status: 201, body: shown(made) }
    }
    if (!found) return { status: 404, body: { detail: 'not found' } }
    if (method === 'DELETE') {
      subscriptions.splice(at, 1)
      return { status: 204 }
    }
    if (path.includes('/renew/')) found.expiration_time = expiry()
    else {
      const requested = json() as Subscription
      if (!(await acceptsChallenge(requested)))
        return { status: 400, body: { detail: 'the callback did not answer the challenge' } }
      found.callback_url = requested.callback_url
      found.verification_token = requested.verification_token
    }
    return { body: shown(found) }
  }

  const expiry = (): string => new Date(now() + LIFE_MS).toISOString()

  const fake = (await openFakeProvider({
    authorizePath: '/oauth/authorize',
    tokenPath: '/oauth/token',
    clientAuth: 'body',
    refresh: 'rotates',
    expiresInS: 86_400,
    ...options,
    handle,
  })) as FakeOura
  const signed: FakeOura['signed'] = (event, { sentAt = Math.floor(now() / 1000), key, tamper } = {}) => {
    const body = JSON.stringify({ event_time: new Date(now()).toISOString(), ...event })
    const signature = createHmac('sha256', key ?? fake.clientSecret)
      .update(`${sentAt}${body}`)
      .digest('hex')
      .toUpperCase()
    const headers = {
      'content-type': 'application/json',
      'x-oura-timestamp': String(sentAt),
      'x-oura-signature': signature,
    }
    return { body: tamper?.(body) ?? body, headers }
  }
  return Object.assign(fake, {
    person,
    subscriptions,
    pageSize: 50,
    signed,
    notify: (event: OuraEvent, sending?: OuraSending) => {
      const { body, headers } = signed(event, sending)
      const to = subscriptions.filter(
        each => each.event_type === event.event_type && each.data_type === event.data_type,
      )
      return Promise.all(
        to.map(async each => (await fetch(each.callback_url, { method: 'POST', body, headers })).status),
      )
    },
  })
}

function shown({ verification_token: _, ...subscription }: Subscription) {
  return subscription
}

/** Does the handshake. */
async function acceptsChallenge({ callback_url: callback, verification_token: token }: Subscription): Promise<boolean> {
  const challenge = randomUUID()
  const url = new URL(callback)
  url.searchParams.set('verification_token', token)
  url.searchParams.set('challenge', challenge)
  try {
    const response = await fetch(url)
    return response.status === 200 && ((await response.json()) as { challenge?: string }).challenge === challenge
  } catch {
    return false
  }
}

function invalid(field: string): FakeProviderResponse {
  return { status: 422, body: { detail: [{ loc: ['query', field], msg: 'invalid', type: 'value_error' }] } }
}
