/** Reads daily activity from Polar. */
import { DAY_MS, formatDate, localDate, MINUTE_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asNumber, type JsonObject, member, objectsIn } from '../../shared/json-fields.ts'
import { activitySummary } from '../../shared/summaries.ts'
import { filled, mappedValues, numberAt } from '../field-table.ts'
import type { LivePage, LiveSample } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion } from '../windows.ts'
import { ACTIVITY_FIELDS, ACTIVITY_SAMPLES, DAY_ZONES } from './mapping.ts'
import { type RestingRate, restingRate } from './physical-info.ts'
import { datesAsked, getRecords, localTimes, type PolarList } from './requests.ts'
import { chooseReading } from './settings.ts'
import { type LocalTimes, type TimeWithOffset, timeOfDayMs } from './times.ts'

const DAYS: PolarList = { path: '/v3/users/activities', name: 'activities', mark: 'start_time' }
const SOURCE = 'watch'
/** Optional parts of a day, which must be requested. */
const PARTS = { steps: 'true', activity_zones: 'true' } as const
/** How far back to request dates; Polar refuses dates more than 365 days ago. */
export const KEPT_DAYS = 364

/** A day and how to read it. */
export interface PolarDay {
  readonly day: JsonObject
  readonly times: LocalTimes
  readonly reading: 'local' | 'utc'
  readonly resting: RestingRate | null
}

/** Yields a window's days. */
export async function* activityPages(session: TokenSession, asked: PullRequest): AsyncGenerator<readonly PolarDay[]> {
  const dates = datesAsked(asked)
  const oldest = formatDate(asked.now - KEPT_DAYS * DAY_MS)
  const from = dates.from < oldest ? oldest : dates.from
  if (dates.to < from) return
  const days = await getRecords(session, DAYS, { from, to: dates.to, ...PARTS })
  if (days.length === 0) return yield []
  const times = await localTimes(session, asked)
  const resting = await restingRate(session, asked)
  yield days.map(day => ({ day, times, reading: chooseReading(session.app, 'activity_times'), resting }))
}

/** Adds a day as a record, with its date as the ID. */
export function addActivity(item: PolarDay, page: LivePage) {
  const day = page.view('activity', item.day)
  const startTime = item.times.read(item.day['start_time'], item.reading)
  if (startTime === undefined) return day.leaveOut('without start_time')
  const { offset } = startTime
  const date = localDate(startTime.at, offset)
  const midnight = { at: (parseDate(date) ?? startTime.at) - (offset ?? 0) * SECOND_MS, offset }
  const resting = item.resting !== null && item.resting.since <= date ? item.resting.bpm : null
  const fields = {
    ...filled(ACTIVITY_FIELDS, day),
    ...zoneMinutes(page, day, midnight, item),
    heart_rate: resting === null ? null : { ...NO_HEART_RATE, resting_bpm: resting },
  }
  const record = page.record(date, contentVersion(item.day, offset, resting))
  record.summary(activitySummary(page.source(date, { sourceType: SOURCE, date, offset }), fields))
  const whole = { sourceType: SOURCE, start: midnight.at, end: midnight.at + DAY_MS, offset }
  for (const { rule, value } of mappedValues(ACTIVITY_SAMPLES, day)) {
    record.samples.add({ ...whole, resource: rule.to, value }, `activity ${rule.to}`)
  }
  const [total, active] = [day.number('calories'), day.number('active_calories')]
  if (total !== undefined && active !== undefined) {
    const value = Math.max(0, total - active)
    record.samples.add({ ...whole, resource: 'calories_basal', value }, 'activity calories')
  }
  const steps = day.number('steps')
  const intervals = stepSamples(page, day, midnight, item)
  const counted =
    intervals.length > 0 || steps === undefined ? intervals : [{ ...whole, resource: 'steps', value: steps }]
  for (const each of counted) record.samples.add(each, 'activity steps')
}

/** Returns each interval's steps. */
function stepSamples(page: LivePage, day: RecordView, midnight: TimeWithOffset, how: PolarDay): readonly LiveSample[] {
  const steps = day.object('samples.steps')
  const interval = numberAt(steps, 'interval_ms')
  const samples = objectsIn(steps?.['samples'])
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

/** Reads a time within a day, which is a time of day or a date-time. */
function timeWithin(midnight: TimeWithOffset, text: unknown, { times, reading }: PolarDay): TimeWithOffset | undefined {
  const clock = timeOfDayMs(text)
  return clock === undefined ? times.read(text, reading) : { ...midnight, at: midnight.at + clock }
}

/** Returns the minutes in each zone. A zone lasts until the next one begins; the last zone lasts until the end of the day. */
function zoneMinutes(
  page: LivePage,
  day: RecordView,
  midnight: TimeWithOffset,
  how: PolarDay,
): Readonly<Record<string, number>> {
  const begins = objectsIn(member(day.value('samples.activity_zones'), 'samples')).flatMap(each => {
    const zone = String(each['zone'])
    const time = timeWithin(midnight, each['timestamp'], how)
    if (time !== undefined && Object.hasOwn(DAY_ZONES, zone)) return [{ at: time.at, field: DAY_ZONES[zone] ?? null }]
    page.skip('activity.samples.activity_zones')
    return []
  })
  if (begins.length === 0) return {}
  begins.sort((a, b) => a.at - b.at)
  const end = timeWithin(midnight, how.day['end_time'], how)?.at ?? midnight.at
  const minutes = { low: 0, medium: 0, high: 0 }
  for (const [i, { at, field }] of begins.entries()) {
    const until = begins[i + 1]?.at ?? end
    if (field !== null) minutes[field] += Math.max(0, until - at) / MINUTE_MS
  }
  return minutes
}

const NO_HEART_RATE = { avg_bpm: null, min_bpm: null, max_bpm: null, resting_bpm: null, avg_walking_bpm: null }
