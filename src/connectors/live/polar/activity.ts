/** Days of activity at Polar. */
import { DAY_MS, formatDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { countUnknown, fieldsOf, objectsIn, samplesOf, valueAt } from '../field-mapping.ts'
import { deletedRecord, type PullContext, pageOf, pullContext, RecordDraft, versionOf } from '../record-draft.ts'
import { activityDocument } from '../summary-documents.ts'
import { ACTIVITY, KNOWN } from './mapping.ts'
import { datesOf, localTimes, read, recordsIn } from './requests.ts'
import { readingOf } from './settings.ts'
import { type LocalTimes, type PlacedTime, timeOfDayMs } from './times.ts'

const SOURCE = 'watch'

/** Yields the days of a window, each a record with its date as id. */
export async function* pullActivities(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const context = pullContext('polar', asked)
  const { recordId } = asked
  const dates = recordId === undefined ? datesOf(asked.window) : { from: recordId, to: recordId }
  const answer = await read(session, '/v3/users/activities', { ...dates, steps: 'true' })
  const days = recordsIn(answer, 'activities', 'start_time')
  const times = days.length === 0 ? null : await localTimes(session, asked)
  const reading = readingOf(session.app, 'activity_times')
  const records = times === null ? [] : days.map(each => dayRecord(context, each, times, reading))
  const isGone = recordId !== undefined && !records.some(each => each?.id === recordId)
  yield pageOf(context, isGone ? [...records, deletedRecord(recordId)] : records)
}

function dayRecord(
  context: PullContext,
  day: JsonObject,
  times: LocalTimes,
  reading: 'local' | 'utc',
): ProviderRecord | null {
  const placed = times.read(day['start_time'], reading)
  if (placed === undefined) {
    context.unmapped.count('activity without start_time')
    return null
  }
  const { offset } = placed
  const date = formatDate(placed.at + (offset ?? 0) * SECOND_MS)
  const midnight = parseDate(date) ?? placed.at
  const start = midnight - (offset ?? 0) * SECOND_MS
  const draft = new RecordDraft(context, date)
  const filled = fieldsOf('activity', day, ACTIVITY)
  const { steps, calories_total: total, calories_active: active } = filled
  draft.summary({
    kind: 'activity',
    sourceType: SOURCE,
    at: midnight,
    date,
    offset,
    document: activityDocument(date, offset, filled),
  })
  const whole = { start, end: start + DAY_MS, offset }
  for (const [resource, value] of samplesOf(day, ACTIVITY)) draft.sample(resource, SOURCE, { ...whole, value })
  if (total !== undefined && active !== undefined) {
    draft.sample('calories_basal', SOURCE, { ...whole, value: Math.max(0, total - active) })
  }
  const n = addSteps(draft, day, { at: start, offset }, times, reading, context)
  if (n === 0 && steps !== undefined) draft.sample('steps', SOURCE, { ...whole, value: steps })
  countUnknown(day, 'activity', KNOWN.activity, context.unmapped)
  return draft.finish(versionOf(day, offset))
}

/** Adds the steps of each interval. Returns how many intervals there were. */
function addSteps(
  draft: RecordDraft,
  day: JsonObject,
  midnight: PlacedTime,
  times: LocalTimes,
  reading: 'local' | 'utc',
  { unmapped }: PullContext,
): number {
  const interval = asNumber(valueAt(day, 'samples.steps.interval_ms'))
  const samples = objectsIn(valueAt(day, 'samples.steps.samples'))
  if (interval === undefined || !(interval > 0 && interval <= DAY_MS)) {
    unmapped.count('activity.samples.steps', samples.length)
    return 0
  }
  let n = 0
  for (const each of samples) {
    const value = asNumber(each['steps'])
    const clock = timeOfDayMs(each['timestamp'])
    const time = clock === undefined ? times.read(each['timestamp'], reading) : { ...midnight, at: midnight.at + clock }
    if (value === undefined || time === undefined) {
      if (value !== undefined) unmapped.count('activity.samples.steps')
      continue
    }
    n++
    draft.sample('steps', SOURCE, { start: time.at, end: time.at + interval, value, offset: time.offset })
  }
  return n
}
