/**
 * The fake provider for Withings: every call is a POST with an action, failures come inside responses with status 200, ranges longer than a
 * day are cut off for points and segments, and notifications are not signed.
 */
import { createHmac, randomUUID } from 'node:crypto'
import {
  type FakeProvider,
  type FakeProviderRequest,
  type FakeProviderResponse,
  openFakeProvider,
} from '../fake-provider.ts'

type Row = Record<string, unknown>

/** The data of one person. Times are seconds since 1970. */
export interface WithingsPerson {
  timezone: string
  measuregrps: Row[]
  activities: Row[]
  /** Points within days, by their second. */
  points: Record<string, Row>
  workouts: Row[]
  nights: Row[]
  segments: Row[]
  /** Model of the device that recorded the nights: 16 is a watch, 32 a mat. */
  model: number
  /** Electrocardiograms as they are listed, each with its `ecg.signalid`. */
  recordings: Row[]
  /** The responses with the samples, by `signalid`. */
  signals: Record<string, Row>
}

interface Subscription {
  readonly account: string
  readonly appli: number
  readonly callbackurl: string
}

export interface FakeWithings extends FakeProvider {
  person(account: string): WithingsPerson
  readonly subscriptions: Subscription[]
  /** Rows on one page. */
  pageSize: number
  /** Sends a notification to all its subscribers. Returns the response statuses. */
  notify(account: string, appli: number, more: Readonly<Record<string, string>>): Promise<number[]>
}

const DAY_S = 86_400
const SCOPES: Readonly<Record<string, string>> = {
  getmeas: 'user.metrics',
  getactivity: 'user.activity',
  getintradayactivity: 'user.activity',
  getworkouts: 'user.activity',
  get: 'user.activity',
  getsummary: 'user.activity',
}

const HEART_RATE = 'hr_average hr_min hr_max hr_zone_0 hr_zone_1 hr_zone_2 hr_zone_3'
const BODY_HEAT =
  'core_body_temperature_avg core_body_temperature_min core_body_temperature_max core_body_temperature_status'
/** The fields that `data_fields` of an action chooses from, as the API reference lists them. Others are always returned. */
const DATA_FIELDS: Readonly<Record<string, string>> = {
  getactivity: `steps distance elevation soft moderate intense active calories totalcalories ${HEART_RATE}`,
  getworkouts:
    `calories intensity manual_intensity manual_distance manual_calories ${HEART_RATE} ${BODY_HEAT} pause_duration ` +
    'algo_pause_duration spo2_average steps distance elevation pool_laps strokes pool_length',
  getsummary:
    'total_timeinbed total_sleep_time asleepduration lightsleepduration remsleepduration deepsleepduration sleep_efficiency ' +
    'sleep_latency wakeup_latency wakeupduration wakeupcount waso nb_rem_episodes breathing_disturbances_intensity ' +
    'apnea_hypopnea_index withings_index durationtosleep durationtowakeup out_of_bed_count hr_average hr_min hr_max rr_average ' +
    'rr_min rr_max breathing_quality_assessment snoring snoringepisodecount sleep_score night_events mvt_score_avg ' +
    `mvt_active_duration rmssd_start_avg rmssd_end_avg breathing_sounds breathing_sounds_episode_count ${BODY_HEAT}`,
  get: 'hr rr snoring sdnn_1 rmssd hrv_quality mvt_score chest_movement_rate withings_index breathing_sounds',
}

export async function openWithings(
  options: { readonly port?: number; readonly now?: () => number } = {},
): Promise<FakeWithings> {
  const { now = Date.now } = options
  const people = new Map<string, WithingsPerson>()
  const subscriptions: Subscription[] = []
  const nonces = new Set<string>()
  const person = (account: string): WithingsPerson => {
    const found = people.get(account) ?? {
      timezone: 'Europe/Paris',
      measuregrps: [],
      activities: [],
      points: {},
      workouts: [],
      nights: [],
      segments: [],
      model: 16,
      recordings: [],
      signals: {},
    }
    people.set(account, found)
    return found
  }

  const handle = async (request: FakeProviderRequest): Promise<FakeProviderResponse | undefined> => {
    const { path, method, form } = request
    const action = form.get('action') ?? ''
    if (method !== 'POST') return undefined
    if (path === '/v2/signature' && action === 'getnonce') return nonce(form)
    if (path === '/v2/oauth2' && action === 'revoke') return revoke(form)
    const { tokenSet } = request
    if (tokenSet === null) return failed(401, 'Unauthorized')
    if (path === '/notify') return notify(action, form, tokenSet.account)
    const needed = SCOPES[action]
    if (needed !== undefined && tokenSet.scopes.length > 0 && !tokenSet.scopes.includes(needed))
      return failed(277, 'scope')
    const has = person(tokenSet.account)
    if (path === '/v2/heart') {
      return tokenSet.scopes.length > 0 && !tokenSet.scopes.includes('user.metrics')
        ? failed(277, 'scope')
        : heart(has, form)
    }
    if (path === '/measure' && action === 'getmeas') return measures(has, form)
    if (path === '/v2/measure' && action === 'getactivity') return ymd(has.activities, 'activities', form)
    if (path === '/v2/measure' && action === 'getworkouts') return ymd(has.workouts, 'series', form)
    if (path === '/v2/measure' && action === 'getintradayactivity') return points(has, form)
    if (path === '/v2/sleep' && action === 'getsummary') return ymd(has.nights, 'series', form)
    if (path === '/v2/sleep' && action === 'get') return segments(has, form)
    return failed(2554, 'unknown action')
  }

  function measures(has: WithingsPerson, form: URLSearchParams): FakeProviderResponse {
    const types = form.get('meastypes')?.split(',').map(Number)
    const updated = form.get('lastupdate')
    const [from, to] = [Number(form.get('startdate') ?? 0), Number(form.get('enddate') ?? Infinity)]
    const groups = has.measuregrps
      .filter(each => form.get('category') === null || Number(each['category'] ?? 1) === Number(form.get('category')))
      .filter(each =>
        updated === null
          ? Number(each['date']) >= from && Number(each['date']) <= to
          : Number(each['modified'] ?? each['date']) >= Number(updated),
      )
      .map(each => {
        const all = (each['measures'] ?? []) as readonly { readonly type: number }[]
        return { ...each, measures: all.filter(({ type }) => types?.includes(type) ?? true) }
      })
      .filter(each => each.measures.length > 0)
    return page(groups, 'measuregrps', form, { updatetime: Math.floor(now() / 1000), timezone: has.timezone })
  }

  /** Filters by the local date of a row, both ends included. */
  function ymd(rows: readonly Row[], list: string, form: URLSearchParams): FakeProviderResponse {
    const [from, to] = [form.get('startdateymd') ?? '', form.get('enddateymd') ?? '']
    if (!/^\d{4}-\d\d-\d\d$/.test(from) || !/^\d{4}-\d\d-\d\d$/.test(to)) return failed(503, 'Invalid Params')
    return page(
      rows
        .filter(each => String(each['date']) >= from && String(each['date']) <= to)
        .map(({ data, ...row }) => ({
          ...selectFields(row, form),
          ...(data === undefined ? {} : { data: selectFields(data as Row, form) }),
        })),
      list,
      form,
    )
  }

  function points(has: WithingsPerson, form: URLSearchParams): FakeProviderResponse {
    const { from, to } = requestedDays(form)
    const wanted = ['deviceid', 'model', 'model_id', ...(form.get('data_fields') ?? '').split(',')]
    const series = Object.entries(has.points)
      .filter(([second]) => Number(second) >= from && Number(second) <= to)
      .map(([second, point]) => [
        second,
        Object.fromEntries(Object.entries(point).filter(([name]) => wanted.includes(name))),
      ])
    // an empty list in place of an object
    return done({ series: series.length === 0 ? [] : Object.fromEntries(series) })
  }

  function segments(has: WithingsPerson, form: URLSearchParams): FakeProviderResponse {
    const { from, to } = requestedDays(form)
    const series = has.segments.filter(each => Number(each['enddate']) > from && Number(each['startdate']) < to)
    return done({ series: series.map(each => selectFields(each, form)), model: has.model })
  }

  function heart(has: WithingsPerson, form: URLSearchParams): FakeProviderResponse {
    if (form.get('action') === 'list') {
      const [from, to] = [Number(form.get('startdate') ?? 0), Number(form.get('enddate') ?? Infinity)]
      const listed = has.recordings.filter(each => Number(each['timestamp']) >= from && Number(each['timestamp']) <= to)
      return page(listed, 'series', form)
    }
    const signal = has.signals[form.get('signalid') ?? '']
    return form.get('action') === 'get' && signal ? done(signal) : failed(2554, 'unknown signal')
  }

  function page(rows: readonly unknown[], list: string, form: URLSearchParams, more: Row = {}): FakeProviderResponse {
    // the offset is not a count of rows
    const from = Number(form.get('offset') ?? 0) / 7
    const until = from + fake.pageSize
    const rest =
      until < rows.length ? { more: list === 'measuregrps' ? 1 : true, offset: until * 7 } : { more: false, offset: 0 }
    return done({ ...more, [list]: rows.slice(from, until), ...rest })
  }

  function nonce(form: URLSearchParams): FakeProviderResponse {
    if (!isSigned(form, ['action', 'client_id', 'timestamp'])) return failed(2554, 'signature')
    const made = randomUUID()
    nonces.add(made)
    return done({ nonce: made })
  }

  function revoke(form: URLSearchParams): FakeProviderResponse {
    const isFresh = nonces.delete(form.get('nonce') ?? '')
    if (!isFresh || !isSigned(form, ['action', 'client_id', 'nonce'])) return failed(2554, 'signature')
    const tokenSets = fake.tokenSets.filter(each => each.account === form.get('userid') && !each.isRevoked)
    if (tokenSets.length === 0) return failed(100, 'no user')
    for (const tokenSet of tokenSets) tokenSet.isRevoked = true
    return done({})
  }

  function isSigned(form: URLSearchParams, names: readonly string[]): boolean {
    const text = names.map(name => form.get(name)).join(',')
    return form.get('signature') === createHmac('sha256', fake.clientSecret).update(text).digest('hex')
  }

  async function notify(action: string, form: URLSearchParams, account: string): Promise<FakeProviderResponse> {
    const [appli, callbackurl] = [Number(form.get('appli')), form.get('callbackurl') ?? '']
    const isSame = (each: Subscription): boolean =>
      each.account === account && each.appli === appli && each.callbackurl === callbackurl
    if (action === 'list') {
      const profiles = subscriptions.filter(each => each.account === account && each.appli === appli)
      return done({ profiles: profiles.map(each => ({ appli: each.appli, callbackurl: each.callbackurl })) })
    }
    if (action === 'subscribe') {
      const status = await fetch(callbackurl, { method: 'HEAD' }).then(
        response => response.status,
        () => 0,
      )
      if (status !== 200) return failed(293, 'the callback did not answer')
      if (!subscriptions.some(isSame)) subscriptions.push({ account, appli, callbackurl })
      return done({})
    }
    const at = subscriptions.findIndex(isSame)
    if (action !== 'revoke' || at < 0) return failed(294, 'no subscription')
    subscriptions.splice(at, 1)
    return done({})
  }

  const fake = (await openFakeProvider({
    authorizePath: '/oauth2_user/authorize2',
    tokenPath: '/v2/oauth2',
    clientAuth: 'body',
    refresh: 'rotates',
    expiresInS: 10_800,
    scopeSeparator: ',',
    ...options,
    tokenResponse: (issued, tokenSet) => done({ ...issued, userid: Number(tokenSet.account) || tokenSet.account }),
    tokenRefusal: error =>
      error === 'invalid_client' ? failed(503, 'Invalid Params: invalid client_id') : failed(503, 'Invalid Params'),
    handle,
    // the parts below are assigned right after
  })) as FakeWithings
  return Object.assign(fake, {
    person,
    subscriptions,
    pageSize: 300,
    notify: (account: string, appli: number, more: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams({ userid: account, appli: String(appli), ...more })
      const to = subscriptions.filter(each => each.account === account && each.appli === appli)
      return Promise.all(to.map(async each => (await fetch(each.callbackurl, { method: 'POST', body })).status))
    },
  })
}

/** Returns the fields of a row in a response: of the selectable fields, only the selected ones. */
function selectFields(row: Row, form: URLSearchParams): Row {
  const chosen = form.get('data_fields')?.split(',') ?? []
  const choice = (DATA_FIELDS[form.get('action') ?? ''] ?? '').split(' ')
  return Object.fromEntries(Object.entries(row).filter(([name]) => !choice.includes(name) || chosen.includes(name)))
}

/** Silently cuts a range at 24 hours. */
function requestedDays(form: URLSearchParams): { readonly from: number; readonly to: number } {
  const from = Number(form.get('startdate'))
  return { from, to: Math.min(Number(form.get('enddate')), from + DAY_S) }
}

function done(body: unknown): FakeProviderResponse {
  return { body: { status: 0, body } }
}

function failed(status: number, error: string): FakeProviderResponse {
  return { body: { status, body: {}, error } }
}
