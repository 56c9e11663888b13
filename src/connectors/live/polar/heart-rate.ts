/** The continuous heart rate of Polar, a value about every five minutes. */
import { parseDate } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, asText, type JsonObject, objectsIn } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { LivePage, type LiveSample } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { versionOf } from '../windows.ts'
import { datesOf, localTimes, PROVIDER, read, recordsIn } from './requests.ts'
import { readingOf } from './settings.ts'
import { type LocalTimes, timeOfDayMs } from './times.ts'

const KNOWN: ReadonlySet<string> = new Set(['polar_user', 'date', 'heart_rate_samples'])

/** Yields the days of a window, each a record with its date as id. */
export async function* pullHeartRate(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  const { recordId } = asked
  const dates = recordId === undefined ? datesOf(asked.window) : { from: recordId, to: recordId }
  const days = recordsIn(await read(session, '/v3/users/continuous-heart-rate', dates), 'heart_rates', 'date')
  const found = new Set<string | null>()
  if (days.length > 0) {
    const times = await localTimes(session, asked)
    const reading = readingOf(session.app, 'heart_rate_times')
    for (const each of days) found.add(addDay(page, each, times, reading))
  }
  if (recordId !== undefined && !found.has(recordId)) page.gone(recordId)
  yield page.take()
}

/** Adds a day. Returns its date, or null if it has none. */
function addDay(page: LivePage, day: JsonObject, times: LocalTimes, reading: 'local' | 'utc'): string | null {
  const date = asText(day['date'])
  const midnight = date === undefined ? undefined : parseDate(date)
  if (date === undefined || midnight === undefined) {
    page.skip('continuous_heart_rate without date')
    return null
  }
  const samples = objectsIn(day['heart_rate_samples']).flatMap((each): readonly LiveSample[] => {
    const clock = timeOfDayMs(each['sample_time'])
    const value = asNumber(each['heart_rate'])
    if (clock === undefined || value === undefined || value <= 0) {
      page.skip('continuous_heart_rate.heart_rate_samples')
      return []
    }
    const { at, offset } = reading === 'utc' ? times.ofInstant(midnight + clock) : times.ofLocal(midnight + clock)
    return [{ resource: 'heartrate', sourceType: 'watch', start: at, value, offset }]
  })
  // a borrowed offset may change although the day does not
  const offsets = [...new Set(samples.map(each => each.offset))]
  const record = page.record(date, versionOf(day, offsets))
  for (const each of samples) record.samples.add(each, 'continuous heart rate')
  countUnknown(day, 'continuous_heart_rate', KNOWN, page)
  return date
}
