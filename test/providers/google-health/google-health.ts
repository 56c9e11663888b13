/**
 * The fake provider for Google Health: points with filters and pages, daily sums, and signed notifications. See the facts in
 * docs/live-providers.md.
 */
import {
  type FakeProvider,
  type FakeProviderOptions,
  type FakeProviderRequest,
  type FakeProviderResponse,
  openFakeProvider,
} from '../fake-provider.ts'
import { type CivilDateTime, emptyPerson, type GoogleHealthPerson, type GoogleHealthPoint } from './person.ts'
import { NotificationSigner } from './signer.ts'
import { Subscribers } from './subscribers.ts'

export const SCOPE_PREFIX = 'https://www.googleapis.com/auth/googlehealth.'

export interface FakeGoogleHealth extends FakeProvider {
  /** By account: the `healthUserId`. */
  readonly people: Map<string, GoogleHealthPerson>
  readonly signer: NotificationSigner
  readonly subscribers: Subscribers
  /** Maximum number of points on a page, below the provider's own limit. */
  pageLimit: number
  /** Puts an empty page with a token before the first points. */
  startsWithEmptyPage: boolean
  /** Posts signed notifications to a URL and returns the status. */
  notify(url: string, events: unknown, headerName?: string): Promise<number>
  /** Posts one signed notification to every subscriber of its data type, and returns the statuses. */
  announce(event: { readonly data: { readonly dataType: string } }): Promise<readonly number[]>
  /** Does the handshake: with the secret, and without it. Returns both statuses. */
  verify(url: string, secret: string): Promise<readonly number[]>
}

type Kind = 'interval' | 'sample' | 'daily'

/** Where each type stores its time; types that are not listed do not exist. */
const KINDS: Readonly<Record<string, Kind>> = {
  steps: 'interval',
  distance: 'interval',
  floors: 'interval',
  'active-energy-burned': 'interval',
  'basal-energy-burned': 'interval',
  'heart-rate': 'sample',
  'heart-rate-variability': 'sample',
  'oxygen-saturation': 'sample',
  'respiratory-rate-sleep-summary': 'sample',
  'core-body-temperature': 'sample',
  weight: 'sample',
  'body-fat': 'sample',
  height: 'sample',
  'blood-glucose': 'sample',
  'vo2-max': 'sample',
  'run-vo2-max': 'sample',
  'ovulation-test': 'sample',
  'daily-heart-rate-variability': 'daily',
  'daily-resting-heart-rate': 'daily',
  'daily-oxygen-saturation': 'daily',
  'daily-respiratory-rate': 'daily',
  'daily-sleep-temperature-derivations': 'daily',
  'daily-vo2-max': 'daily',
  sleep: 'interval',
  exercise: 'interval',
  'menstrual-period': 'interval',
  'nutrition-log': 'interval',
  'hydration-log': 'interval',
  electrocardiogram: 'interval',
}
const NOT_RECONCILED = new Set(['menstrual-period', 'ovulation-test', 'electrocardiogram'])
/** Types with daily sums only. */
const SUMS_ONLY = new Set(['total-calories', 'active-minutes'])
/** Sessions that a filter selects by their local start. */
const BY_CIVIL_START = new Set(['exercise', 'nutrition-log', 'hydration-log'])
const ACTIVITY = new Set(
  'steps distance floors active-energy-burned basal-energy-burned total-calories active-minutes exercise vo2-max daily-vo2-max run-vo2-max'.split(
    ' ',
  ),
)
const SHORT_SUMS = new Set(['heart-rate', 'total-calories', 'active-minutes'])

export async function openGoogleHealth(
  options: Pick<FakeProviderOptions, 'port' | 'now'> = {},
): Promise<FakeGoogleHealth> {
  const people = new Map<string, GoogleHealthPerson>([['person-1', emptyPerson()]])
  const signer = new NotificationSigner()
  const subscribers = new Subscribers({ now: options.now ?? Date.now, tokenUrl: () => fake.tokenUrl, post })

  const handle = (
    request: FakeProviderRequest,
    fake: FakeProvider,
  ): FakeProviderResponse | undefined | Promise<FakeProviderResponse | undefined> => {
    const { method, path, tokenSet } = request
    if (path.startsWith('/v4/projects/')) return subscribers.handle(request)
    if (path === '/keyset' && method === 'GET') return { body: signer.keyset() }
    if (path === '/revoke' && method === 'POST') return revoke(request, fake)
    if (!path.startsWith('/v4/users/me/')) return undefined
    if (!tokenSet) return refusal(401, 'UNAUTHENTICATED')
    const person = people.get(tokenSet.account)
    if (!person?.isLinked) return refusal(400, 'FAILED_PRECONDITION', 'ACCOUNT_NOT_LINKED')
    if (path === '/v4/users/me/identity') {
      return { body: { name: 'users/me/identity', healthUserId: tokenSet.account, legacyUserId: 'OLD123' } }
    }
    if (path === '/v4/users/me/settings') {
      return has(tokenSet.scopes, 'settings')
        ? { body: { timeZone: person.timeZone, weightUnit: 'KILOGRAM' } }
        : SCOPE_MISSING
    }
    const [, type = '', id, verb] =
      /^\/v4\/users\/me\/dataTypes\/([\w-]+)\/dataPoints(?:\/([^:]+))?(?::(\w+))?$/.exec(path) ?? []
    if (!(type in KINDS) && !SUMS_ONLY.has(type)) return undefined
    if (!has(tokenSet.scopes, typeScope(type))) return SCOPE_MISSING
    if (verb === 'dailyRollUp' && method === 'POST') return daySums(person, type, request.json())
    if (method !== 'GET') return undefined
    if (id !== undefined) return onePoint(person, type, decodeURIComponent(id))
    if (verb === 'reconcile' && NOT_RECONCILED.has(type)) return refusal(400, 'INVALID_ARGUMENT', 'INVALID_DATA_TYPE')
    return list(person, type, request, verb === 'reconcile')
  }

  function list(
    person: GoogleHealthPerson,
    type: string,
    { query }: FakeProviderRequest,
    isReconciled: boolean,
  ): FakeProviderResponse {
    const test = parseFilter(type, query.get('filter') ?? '')
    if (test === undefined) return refusal(400, 'INVALID_ARGUMENT', 'INVALID_FILTER')
    const most = type === 'sleep' || type === 'exercise' ? 25 : 10_000
    const size = Math.min(Number(query.get('pageSize') ?? most) || most, most, extended.pageLimit)
    const found = (person.points[type] ?? [])
      .filter(test)
      .sort((a, b) => (pointTime(b, type) < pointTime(a, type) ? -1 : 1))
    const token = query.get('pageToken')
    if (extended.startsWithEmptyPage && token === null) return { body: { nextPageToken: 'page-0' } }
    const from = Number(token?.slice('page-'.length) ?? 0)
    const page = found.slice(from, from + size).map(point => pointBody(type, point, isReconciled))
    const isLast = from + size >= found.length
    return {
      body: { ...(page.length > 0 && { dataPoints: page }), ...(!isLast && { nextPageToken: `page-${from + size}` }) },
    }
  }

  const fake = await openFakeProvider({
    authorizePath: '/o/oauth2/v2/auth',
    tokenPath: '/token',
    clientAuth: 'body',
    refresh: 'stays',
    expiresInS: 3600,
    otherTokenRequests: request => subscribers.token(request),
    ...options,
    handle,
  })
  const extended = Object.assign(fake, {
    people,
    signer,
    subscribers,
    pageLimit: 10_000,
    startsWithEmptyPage: false,
    notify(url: string, events: unknown, headerName = 'GOOGLE-HEALTH-API-SIGNATURE') {
      const body = Buffer.from(JSON.stringify(events))
      return post(url, body, { [headerName]: signer.sign(body) })
    },
    announce(event: { readonly data: { readonly dataType: string } }) {
      const body = Buffer.from(JSON.stringify(event))
      const signature = { 'GOOGLE-HEALTH-API-SIGNATURE': signer.sign(body) }
      return Promise.all(
        subscribers
          .of(event.data.dataType)
          .map(({ endpointUri, endpointAuthorization: { secret } }) =>
            post(endpointUri, body, { ...signature, authorization: secret }),
          ),
      )
    },
    async verify(url: string, secret: string) {
      const body = Buffer.from('{"type":"verification"}')
      return [await post(url, body, { authorization: secret }), await post(url, body, {})]
    },
  })
  return extended
}

async function post(url: string, body: Uint8Array, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    body: Buffer.from(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
  await response.arrayBuffer()
  return response.status
}

function revoke({ form }: FakeProviderRequest, fake: FakeProvider): FakeProviderResponse {
  const token = form.get('token')
  const tokenSet = fake.tokenSets.find(
    each => !each.isRevoked && (each.refreshToken === token || each.accessToken === token),
  )
  if (!tokenSet) return { status: 400, body: { error: 'invalid_token', error_description: 'Token expired or revoked' } }
  tokenSet.isRevoked = true
  return { status: 200, body: {} }
}

function pointBody(type: string, { id, body, dataSource }: GoogleHealthPoint, isReconciled: boolean): unknown {
  const name = id === undefined ? undefined : `users/me/dataTypes/${type}/dataPoints/${id}`
  const named = name === undefined ? {} : isReconciled ? { dataPointName: name } : { name }
  return { ...named, ...(dataSource !== undefined && { dataSource }), [camel(type)]: body }
}

function onePoint(person: GoogleHealthPerson, type: string, id: string): FakeProviderResponse {
  const point = (person.points[type] ?? []).find(each => each.id === id)
  return point ? { body: pointBody(type, point, false) } : refusal(404, 'NOT_FOUND')
}

function daySums(person: GoogleHealthPerson, type: string, requested: unknown): FakeProviderResponse {
  const { range, windowSizeDays } = requested as {
    range: { start: { date: DateParts }; end: { date: DateParts } }
    windowSizeDays: number
  }
  const [from, to] = [dateText(range.start.date), dateText(range.end.date)]
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000
  if (windowSizeDays !== 1 || days < 1 || days > (SHORT_SUMS.has(type) ? 14 : 90)) {
    return refusal(400, 'INVALID_ARGUMENT', 'INVALID_ROLLUP_RANGE')
  }
  const rollupDataPoints = Object.entries(person.days[type] ?? {})
    .filter(([date]) => date >= from && date < to)
    .map(([date, sums]) => {
      const [year, month, day] = date.split('-').map(Number)
      return { civilStartTime: { date: { year, month, day }, time: {} }, [camel(type)]: sums }
    })
  return { body: { rollupDataPoints } }
}

interface DateParts {
  readonly year: number
  readonly month: number
  readonly day: number
}
const dateText = ({ year, month, day }: DateParts): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`

function civilText({ date, time: { hours = 0, minutes = 0, seconds = 0 } }: CivilDateTime): string {
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${dateText(date)}T${two(hours)}:${two(minutes)}:${two(seconds)}`
}

/** Returns the predicate of a filter, or undefined for one that the provider refuses. */
function parseFilter(type: string, filter: string): ((point: GoogleHealthPoint) => boolean) | undefined {
  const [, field = '', from, to = '9999-12-31T00:00:00Z'] =
    /^([a-z0-9_.]+) >= "([^"]+)"(?: AND \1 < "([^"]+)")?$/.exec(filter) ?? []
  if (from === undefined || !timeFields(type).includes(field)) return undefined
  // the only type whose filter accepts no end
  if (type === 'electrocardiogram' && filter.includes(' AND ')) return undefined
  const isCivil = /civil|\.date$/.test(field)
  if (isCivil !== /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2})?$/.test(from)) return undefined
  const value = (text: string): number =>
    Date.parse(isCivil ? `${text.padEnd(19, 'T00:00:00'.slice(text.length - 19))}Z` : text)
  const [lowest, highest] = [value(from), value(to)]
  return point => {
    const at = valueAt(point, field, value)
    return at >= lowest && at < highest
  }
}

function timeFields(type: string): readonly string[] {
  const name = type.replaceAll('-', '_')
  if (type === 'sleep') return ['sleep.interval.end_time', 'sleep.interval.civil_end_time']
  if (BY_CIVIL_START.has(type)) return [`${name}.interval.civil_start_time`]
  if (type === 'electrocardiogram') return [`${name}.interval.start_time`]
  const kind = KINDS[type]
  if (kind === 'daily') return [`${name}.date`]
  if (kind === 'sample') return [`${name}.sample_time.physical_time`, `${name}.sample_time.civil_time`]
  return [`${name}.interval.start_time`, `${name}.interval.civil_start_time`]
}

function valueAt(point: GoogleHealthPoint, field: string, value: (text: string) => number): number {
  const [, ...keys] = field.split('.')
  let found: unknown = point.body
  for (const key of keys)
    found = (found as Record<string, unknown>)[key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())]
  if (typeof found !== 'object') return value(String(found))
  return value('date' in (found as object) ? civilText(found as CivilDateTime) : dateText(found as DateParts))
}

function pointTime(point: GoogleHealthPoint, type: string): number {
  const field = { interval: 'x.interval.start_time', sample: 'x.sample_time.physical_time', daily: 'x.date' }[
    KINDS[type] ?? 'daily'
  ]
  return valueAt(point, field, Date.parse)
}

function typeScope(type: string): string {
  if (type === 'sleep') return 'sleep'
  if (type === 'electrocardiogram') return 'ecg'
  if (type === 'nutrition-log' || type === 'hydration-log') return 'nutrition'
  if (type === 'menstrual-period' || type === 'ovulation-test') return 'reproductive_health'
  return ACTIVITY.has(type) ? 'activity_and_fitness' : 'health_metrics_and_measurements'
}

function has(scopes: readonly string[], name: string): boolean {
  return scopes.includes(`${SCOPE_PREFIX}${name}.readonly`)
}

function camel(type: string): string {
  return type.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

function refusal(code: number, status: string, reason?: string): FakeProviderResponse {
  const details =
    reason === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'health.googleapis.com' }]
  return { status: code, body: { error: { code, message: 'refused', status, details } } }
}

const SCOPE_MISSING = refusal(403, 'PERMISSION_DENIED', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT')
