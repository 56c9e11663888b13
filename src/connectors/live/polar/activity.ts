/** Days of activity at Polar. */
import { DAY_MS, formatDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, type JsonObject, objectsIn } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { activitySummary } from '../documents.ts'
import { filled, mappedValues, numberAt, valueAt } from '../field-table.ts'
import { LivePage, type LiveSample } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { versionOf } from '../windows.ts'
import { ACTIVITY_FIELDS, ACTIVITY_SAMPLES, KNOWN } from './mapping.ts'
import { datesOf, localTimes, PROVIDER, read, recordsIn } from './requests.ts'
import { readingOf } from './settings.ts'
import { type LocalTimes, type PlacedTime, timeOfDayMs } from './times.ts'

const SOURCE = 'watch'
/** Polar refuses dates that are more than 365 days ago. */
export const KEPT_DAYS = 364

/** How the times of a day are read. */
interface DayTimes {
  readonly times: LocalTimes
  readonly reading: 'local' | 'utc'
}

/** Yields the days of a window, each a record with its date as id. */
export async function* pullActivities(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  const { recordId } = asked
  const dates = recordId === undefined ? datesOf(asked.window) : { from: recordId, to: recordId }
  const oldest = formatDate(asked.now - KEPT_DAYS * DAY_MS)
  const from = dates.from < oldest ? oldest : dates.from
  if (dates.to < from) return
  const answer = await read(session, '/v3/users/activities', { from, to: dates.to, steps: 'true' })
  const days = recordsIn(answer, 'activities', 'start_time')
  const found = new Set<string | null>()
  if (days.length > 0) {
    const how = { times: await localTimes(session, asked), reading: readingOf(session.app, 'activity_times') }
    for (const each of days) found.add(addDay(page, asked, each, how))
  }
  if (recordId !== undefined && !found.has(recordId)) page.gone(recordId)
  yield page.take()
}

/** Adds a day. Returns its date, or null if it has none. */
function addDay(page: LivePage, { userId }: PullRequest, day: JsonObject, how: DayTimes): string | null {
  const placed = how.times.read(day['start_time'], how.reading)
  if (placed === undefined) {
    page.skip('activity without start_time')
    return null
  }
  const { offset } = placed
  const date = formatDate(placed.at + (offset ?? 0) * SECOND_MS)
  const start = (parseDate(date) ?? placed.at) - (offset ?? 0) * SECOND_MS
  const fields = filled(ACTIVITY_FIELDS, day)
  const record = page.record(date, versionOf(day, offset))
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
function stepsOf(
  page: LivePage,
  day: JsonObject,
  midnight: PlacedTime,
  { times, reading }: DayTimes,
): readonly LiveSample[] {
  const interval = numberAt(day, 'samples.steps.interval_ms')
  const samples = objectsIn(valueAt(day, 'samples.steps.samples'))
  if (interval === undefined || !(interval > 0 && interval <= DAY_MS)) {
    page.skip('activity.samples.steps', samples.length)
    return []
  }
  return samples.flatMap(each => {
    const value = asNumber(each['steps'])
    const clock = timeOfDayMs(each['timestamp'])
    const time = clock === undefined ? times.read(each['timestamp'], reading) : { ...midnight, at: midnight.at + clock }
    if (value !== undefined && time !== undefined) {
      const { at, offset } = time
      return [{ resource: 'steps', sourceType: SOURCE, start: at, end: at + interval, value, offset }]
    }
    if (value !== undefined) page.skip('activity.samples.steps')
    return []
  })
}
