/**
 * A fake provider with data like that of Oura's users, in its own process: a heart rate each minute, and a document each day. Its responses
 * are created before they are requested, so that a benchmark measures the client. The parent talks to it over IPC.
 */
import { randomUUID } from 'node:crypto'
import { type FakeProviderRequest, type FakeProviderResponse, openFakeProvider } from '../../providers/fake-provider.ts'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

const { days, rowsAPage } = JSON.parse(process.argv[2] ?? '{}') as { readonly days: number; readonly rowsAPage: number }
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
const first = today - days * DAY_MS
const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

const blockMs = rowsAPage * MINUTE_MS
/** Whole pages of the heart rate by their first minute: the same for everyone. */
const pages = new Map<number, string>()
for (let at = first; at + blockMs <= today; at += blockMs) pages.set(at, heartRates(at, at + blockMs, true))

function heartrate(query: URLSearchParams): FakeProviderResponse {
  const [from, to] = [Date.parse(query.get('start_datetime') ?? ''), Date.parse(query.get('end_datetime') ?? '')]
  const start = Math.max(first, Number(query.get('next_token') ?? Math.ceil(from / MINUTE_MS) * MINUTE_MS))
  const end = Math.min(to, today)
  if (start >= end) return { body: { data: [], next_token: null } }
  const until = Math.min(end, first + (Math.floor((start - first) / blockMs) + 1) * blockMs)
  const whole = until < end && until - start === blockMs ? pages.get(start) : undefined
  return { body: whole ?? heartRates(start, until, until < end), headers: { 'content-type': 'application/json' } }
}

function heartRates(start: number, until: number, isMore: boolean): string {
  const data: unknown[] = []
  for (let at = start; at < until; at += MINUTE_MS) {
    const timestamp = new Date(at).toISOString()
    data.push({ timestamp, timestamp_unix: at, bpm: 55 + ((at / MINUTE_MS) % 60), source: 'awake' })
  }
  return JSON.stringify({ data, next_token: isMore ? String(until) : null })
}

function activity(query: URLSearchParams): FakeProviderResponse {
  const data: unknown[] = []
  for (let at = first; at < today; at += DAY_MS) {
    const day = isoDay(at)
    if (day < (query.get('start_date') ?? '') || day >= (query.get('end_date') ?? '')) continue
    const steps = 4_000 + ((at / DAY_MS) % 6_000)
    data.push({
      id: `activity-${day}`,
      day,
      timestamp: `${day}T04:00:00+01:00`,
      steps,
      active_calories: 300,
      total_calories: 2_300,
      equivalent_walking_distance: steps * 0.8,
    })
  }
  return { body: { data, next_token: null } }
}

function handle({ path, query, tokenSet, method }: FakeProviderRequest): FakeProviderResponse | undefined {
  if (path.startsWith('/v2/webhook/subscription')) {
    return method === 'GET'
      ? { body: [] }
      : { status: 201, body: { id: randomUUID(), expiration_time: '2099-01-01T00:00:00Z' } }
  }
  if (!path.startsWith('/v2/usercollection/')) return undefined
  if (!tokenSet) return { status: 401, body: {} }
  if (path.endsWith('/heartrate')) return heartrate(query)
  if (path.endsWith('/daily_activity')) return activity(query)
  if (path.endsWith('/personal_info')) return { body: { id: tokenSet.account, weight: 70, height: 1.75, age: 40 } }
  return { body: { data: [], next_token: null } }
}

const fake = await openFakeProvider({
  authorizePath: '/oauth/authorize',
  tokenPath: '/oauth/token',
  clientAuth: 'body',
  refresh: 'rotates',
  expiresInS: 86_400,
  handle,
})

interface Question {
  readonly ask: 'requests' | 'most' | 'consent' | 'forget'
  readonly account?: string
  readonly windowMs?: number
}

process.on('message', ({ ask, account, windowMs = 0 }: Question) => {
  if (ask === 'consent') fake.consent = account === undefined ? {} : { account }
  if (ask === 'forget') fake.forget()
  const requests = fake.requests.map(({ path, query, headers }) => ({
    path: query.size === 0 ? path : `${path}?${query}`,
    authorization: headers.authorization ?? '',
  }))
  process.send?.({
    requests: ask === 'requests' ? requests : requests.length,
    most: ask === 'most' ? mostWithin(windowMs) : 0,
  })
})
process.on('disconnect', () => process.exit())
process.send?.({ url: fake.url, clientId: fake.clientId, clientSecret: fake.clientSecret })

/** Like `mostWithin` of the fake provider, for many requests. */
function mostWithin(windowMs: number): number {
  const times = fake.requests.filter(each => each.path.startsWith('/v2/')).map(each => each.at)
  let [most, tail] = [0, 0]
  for (const [i, at] of times.entries()) {
    while ((times[tail] ?? at) <= at - windowMs) tail++
    most = Math.max(most, i - tail + 1)
  }
  return most
}
