/** Days of activity at Polar. */
import { DAY_MS, formatDate, localDate, MINUTE_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, type JsonObject, objectsIn } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { activitySummary } from '../../shared/summaries.ts'
import { filled, mappedValues, numberAt, valueAt } from '../field-table.ts'
import { LivePage, type LiveSample } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { versionOf } from '../windows.ts'
import { ACTIVITY_FIELDS, ACTIVITY_SAMPLES, DAY_ZONES, KNOWN } from './mapping.ts'
import { type RestingRate, restingRate } from './physical-info.ts'
import { datesOf, localTimes, PROVIDER, read, recordsIn } from './requests.ts'
import { readingOf } from './settings.ts'
import { type LocalTimes, type PlacedTime, timeOfDayMs } from './times.ts'

const SOURCE = 'watch'
/** What of a day only comes if it is asked for. */
const PARTS = { steps: 'true', activity_zones: 'true' } as const
/** Polar refuses dates that are more than 365 days ago. */
export const KEPT_DAYS = 364

/** How a day is read. */
interface DayReading {
  readonly times: LocalTimes
  readonly reading: 'local' | 'utc'
  readonly resting: RestingRate | null
}

/** Yields the days of a window, each a record with its date as id. */
export async function* pullActivities(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  const { recordId } = asked
  const dates = recordId === undefined ? datesOf(asked.window) : { from: recordId, to: recordId }
  const oldest = formatDate(asked.now - KEPT_DAYS * DAY_MS)
  const from = dates.from < oldest ? oldest : dates.from
  if (dates.to < from) return
  const answer = await read(session, '/v3/users/activities', { from, to: dates.to, ...PARTS })
  const days = recordsIn(answer, 'activities', 'start_time')
  const found = new Set<string | null>()
  if (days.length > 0) {
    const times = await localTimes(session, asked)
    const resting = await restingRate(session, asked)
    const how = { times, reading: readingOf(session.app, 'activity_times'), resting }
    for (const each of days) found.add(addDay(page, asked, each, how))
  }
  if (recordId !== undefined && !found.has(recordId)) page.gone(recordId)
  yield page.take()
}

/** Adds a day. Returns its date, or null if it has none. */
function addDay(page: LivePage, { userId }: PullRequest, day: JsonObject, how: DayReading): string | null {
  const placed = how.times.read(day['start_time'], how.reading)
  if (placed === undefined) {
    page.skip('activity without start_time')
    return null
  }
  const { offset } = placed
  const date = localDate(placed.at, offset)
  const start = (parseDate(date) ?? placed.at) - (offset ?? 0) * SECOND_MS
  const resting = how.resting !== null && how.resting.since <= date ? how.resting.bpm : null
  const fields = {
    ...filled(ACTIVITY_FIELDS, day),
    ...zoneMinutes(page, day, { at: start, offset }, how),
    heart_rate: resting === null ? null : { ...NO_HEART_RATE, resting_bpm: resting },
  }
  const record = page.record(date, versionOf(day, offset, resting))
  const source = { userId, provider: PROVIDER, sourceType: SOURCE, recordId: date, date, offset }
  record.summary(activitySummary(source, fields))
  const whole = { sourceType: SOURCE, start, end: start + DAY_MS, offset }
  for (const { rule, value } of mappedValues(ACTIVITY_SAMPLES, day)) {
    record.samples.add({ ...whole, resource: rule.to, value }, `activity ${rule.to}`)
  }
  const [total, active] = [numberAt(day, 'calories'), numberAt(day, 'active_calories')]
  if (total !== undefined && active !== undefined) {
    const value = Math.max(0, total - active)
    record.samples.add({ ...whole, resource: 'calories_basal', value }, 'activity calories')
  }
  const steps = numberAt(day, 'steps')
  const intervals = stepsOf(page, day, { at: start, offset }, how)
  const counted =
    intervals.length > 0 || steps === undefined ? intervals : [{ ...whole, resource: 'steps', value: steps }]
  for (const each of counted) record.samples.add(each, 'activity steps')
  countUnknown(day, 'activity', KNOWN.activity, page)
  return date
}

/** Returns the steps of each interval. */
function stepsOf(page: LivePage, day: JsonObject, midnight: PlacedTime, how: DayReading): readonly LiveSample[] {
  const interval = numberAt(day, 'samples.steps.interval_ms')
  const samples = objectsIn(valueAt(day, 'samples.steps.samples'))
  if (interval === undefined || !(interval > 0 && interval <= DAY_MS)) {
    page.skip('activity.samples.steps', samples.length)
    return []
  }
  return samples.flatMap(each => {
    const value = asNumber(each['steps'])
    const time = timeWithin(midnight, each['timestamp'], how)
    if (value !== undefined && time !== undefined) {
      const { at, offset } = time
      return [{ resource: 'steps', sourceType: SOURCE, start: at, end: at + interval, value, offset }]
    }
    if (value !== undefined) page.skip('activity.samples.steps')
    return []
  })
}

/** Reads a time within a day: a time of day, or a date-time. */
function timeWithin(midnight: PlacedTime, text: unknown, { times, reading }: DayReading): PlacedTime | undefined {
  const clock = timeOfDayMs(text)
  return clock === undefined ? times.read(text, reading) : { ...midnight, at: midnight.at + clock }
}

/** Returns the minutes in each zone. A zone lasts until the next begins, and the last until the end of the day. */
function zoneMinutes(
  page: LivePage,
  day: JsonObject,
  midnight: PlacedTime,
  how: DayReading,
): Readonly<Record<string, number>> {
  const begins = objectsIn(valueAt(day, 'samples.activity_zones.samples')).flatMap(each => {
    const zone = String(each['zone'])
    const time = timeWithin(midnight, each['timestamp'], how)
    if (time !== undefined && Object.hasOwn(DAY_ZONES, zone)) return [{ at: time.at, field: DAY_ZONES[zone] ?? null }]
    page.skip('activity.samples.activity_zones')
    return []
  })
  if (begins.length === 0) return {}
  begins.sort((a, b) => a.at - b.at)
  const end = timeWithin(midnight, day['end_time'], how)?.at ?? midnight.at
  const minutes = { low: 0, medium: 0, high: 0 }
  for (const [i, { at, field }] of begins.entries()) {
    const until = begins[i + 1]?.at ?? end
    if (field !== null) minutes[field] += Math.max(0, until - at) / MINUTE_MS
  }
  return minutes
}

const NO_HEART_RATE = { avg_bpm: null, min_bpm: null, max_bpm: null, resting_bpm: null, avg_walking_bpm: null }
