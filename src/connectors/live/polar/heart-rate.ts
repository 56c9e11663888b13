/** The continuous heart rate of Polar, a value about every five minutes. */
import { parseDate } from '../../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { countUnknown, objectsIn } from '../field-mapping.ts'
import { deletedRecord, type PullContext, pageOf, pullContext, RecordDraft, versionOf } from '../record-draft.ts'
import { datesOf, localTimes, read, recordsIn } from './requests.ts'
import { readingOf } from './settings.ts'
import { type LocalTimes, timeOfDayMs } from './times.ts'

const KNOWN: ReadonlySet<string> = new Set(['polar_user', 'date', 'heart_rate_samples'])

/** Yields the days of a window, each a record with its date as id. */
export async function* pullHeartRate(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const context = pullContext('polar', asked)
  const { recordId } = asked
  const dates = recordId === undefined ? datesOf(asked.window) : { from: recordId, to: recordId }
  const days = recordsIn(await read(session, '/v3/users/continuous-heart-rate', dates), 'heart_rates', 'date')
  const times = days.length === 0 ? null : await localTimes(session, asked)
  const reading = readingOf(session.app, 'heart_rate_times')
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
  const date = asText(day['date'])
  const midnight = date === undefined ? undefined : parseDate(date)
  if (date === undefined || midnight === undefined) {
    context.unmapped.count('continuous_heart_rate without date')
    return null
  }
  const draft = new RecordDraft(context, date)
  const offsets = new Set<number | null>()
  for (const each of objectsIn(day['heart_rate_samples'])) {
    const clock = timeOfDayMs(each['sample_time'])
    const value = asNumber(each['heart_rate'])
    if (clock === undefined || value === undefined || value <= 0) {
      context.unmapped.count('continuous_heart_rate.heart_rate_samples')
      continue
    }
    const time = reading === 'utc' ? times.ofInstant(midnight + clock) : times.ofLocal(midnight + clock)
    offsets.add(time.offset)
    draft.sample('heartrate', 'watch', { start: time.at, value, offset: time.offset })
  }
  countUnknown(day, 'continuous_heart_rate', KNOWN, context.unmapped)
  // a borrowed offset may change although the day does not
  return draft.finish(versionOf(day, [...offsets]))
}
