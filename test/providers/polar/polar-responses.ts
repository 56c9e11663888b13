/** Responses of the fake Polar provider to requests for data. */
import type { FakeProviderRequest, FakeProviderResponse } from '../fake-provider.ts'
import type { PolarPerson } from './polar-data.ts'

const DAY = 86_400_000
const MOST_DATES = 28
const NOTHING: FakeProviderResponse = { status: 204 }

export function respondWithData(
  { path, query }: FakeProviderRequest,
  person: PolarPerson,
  now: number,
): FakeProviderResponse | undefined {
  const date = /\/(\d{4}-\d\d-\d\d)$/.exec(path)?.[1]
  const exercise = /^\/v3\/exercises\/([\w-]+)$/.exec(path)?.[1]
  const since = new Date(now - 28 * DAY).toISOString().slice(0, 10)
  if (path === '/v3/exercises') {
    const listed = person.exercises.filter(each => now - Date.parse(each.upload_time) <= 30 * DAY)
    return { body: listed.map(each => withParts(each, query)) }
  }
  if (exercise !== undefined) {
    const found = person.exercises.find(each => each.id === exercise)
    return found ? { body: withParts(found, query) } : { status: 404, body: {} }
  }
  if (path === '/v3/users/sleep') return { body: { nights: person.nights.filter(each => each.date > since) } }
  if (path === '/v3/users/nightly-recharge') {
    return { body: { recharges: person.recharges.filter(each => each.date > since) } }
  }
  if (date !== undefined && path.startsWith('/v3/users/sleep/')) return respondWithOne(person.nights, date)
  if (date !== undefined && path.startsWith('/v3/users/nightly-recharge/'))
    return respondWithOne(person.recharges, date)
  if (path === '/v3/users/physical-info') return person.physicalInfo ? { body: person.physicalInfo } : NOTHING
  return respondWithRange(path, query, person, now)
}

function respondWithRange(
  path: string,
  query: URLSearchParams,
  person: PolarPerson,
  now: number,
): FakeProviderResponse | undefined {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  const dates = (Date.parse(to) - Date.parse(from)) / DAY + 1
  const within = (date: unknown): boolean => typeof date === 'string' && from <= date && date <= to
  const refused: FakeProviderResponse = {
    status: 400,
    body: { status: 400, errorType: 'bad_request', message: 'range' },
  }
  const isRange = dates >= 1 && dates <= MOST_DATES
  switch (path) {
    case '/v3/users/activities': {
      if (!isRange || from < new Date(now - 365 * DAY).toISOString().slice(0, 10)) return refused
      const days = person.activities.filter(each => within(each.date))
      // the fake provider uses the date only to look up days
      return {
        body: days.map(({ date: _date, samples, ...day }) => ({
          ...day,
          ...selectParts(samples, query),
        })),
      }
    }
    case '/v3/users/continuous-heart-rate': {
      if (!isRange) return refused
      const days = person.heartRates.filter(each => within(each.date))
      return days.length === 0 ? NOTHING : { body: { heart_rates: days } }
    }
    case '/v3/users/biosensing/skintemperature':
      return isRange ? { body: person.skinTemperatures.filter(each => within(each.sleep_date)) } : refused
    case '/v3/users/biosensing/spo2':
      return isRange ? { body: person.spo2 } : refused
    case '/v3/users/biosensing/ecg':
      return isRange ? { body: person.electrocardiograms } : refused
    case '/v3/users/biosensing/bodytemperature':
      return isRange ? { body: person.bodyTemperatures } : refused
    default:
      return undefined
  }
}

/** The requested samples of a day, if any. */
function selectParts(samples: unknown, query: URLSearchParams): { readonly samples?: unknown } {
  const included = ['steps', 'activity_zones', 'inactivity_stamps'].filter(name => query.get(name) === 'true')
  if (included.length === 0 || typeof samples !== 'object' || samples === null) return {}
  return {
    samples: Object.fromEntries(Object.entries(samples).filter(([name]) => name === 'date' || included.includes(name))),
  }
}

function respondWithOne(list: PolarPerson['nights'], date: string): FakeProviderResponse {
  const found = list.find(each => each.date === date)
  return found ? { body: found } : { status: 404, body: {} }
}

/** Samples, zones and routes are only returned if requested. */
function withParts(exercise: PolarPerson['exercises'][number], query: URLSearchParams): unknown {
  const { samples, route, heart_rate_zones, ...rest } = exercise
  const has = (name: string): boolean => query.get(name) === 'true'
  return {
    ...rest,
    ...(has('samples') && { samples }),
    ...(has('route') && { route }),
    ...(has('zones') && { heart_rate_zones }),
  }
}
