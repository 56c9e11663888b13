/** Reads Polar's continuous heart rate, which has a value about every five minutes. */
import { parseDate } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asNumber, asText, type JsonObject } from '../../shared/json-fields.ts'
import type { LivePage, LiveSample } from '../page.ts'
import { contentVersion } from '../windows.ts'
import { datesAsked, getRecords, localTimes, type PolarList } from './requests.ts'
import { chooseReading } from './settings.ts'
import { type LocalTimes, timeOfDayMs } from './times.ts'

const DAYS: PolarList = { path: '/v3/users/continuous-heart-rate', name: 'heart_rates', mark: 'date' }

/** A day and how to read its times. */
export interface HeartRateDay {
  readonly sent: JsonObject
  readonly times: LocalTimes
  readonly reading: 'local' | 'utc'
}

/** Yields a window's days. */
export async function* heartRatePages(
  session: TokenSession,
  asked: PullRequest,
): AsyncGenerator<readonly HeartRateDay[]> {
  const days = await getRecords(session, DAYS, datesAsked(asked))
  if (days.length === 0) return yield []
  const times = await localTimes(session, asked)
  yield days.map(sent => ({ sent, times, reading: chooseReading(session.app, 'heart_rate_times') }))
}

/** Adds a day as a record, with its date as the ID. */
export function addHeartRate({ sent, times, reading }: HeartRateDay, page: LivePage) {
  const day = page.view('continuous_heart_rate', sent)
  const date = asText(sent['date'])
  const midnight = date === undefined ? undefined : parseDate(date)
  if (date === undefined || midnight === undefined) return day.leaveOut('without date')
  const samples = day.objects('heart_rate_samples').flatMap((each): readonly LiveSample[] => {
    const clock = timeOfDayMs(each['sample_time'])
    const value = asNumber(each['heart_rate'])
    if (clock === undefined || value === undefined || value <= 0) {
      page.skip('continuous_heart_rate.heart_rate_samples')
      return []
    }
    const { at, offset } = reading === 'utc' ? times.ofInstant(midnight + clock) : times.ofLocal(midnight + clock)
    return [{ resource: 'heartrate', sourceType: 'watch', start: at, value, offset }]
  })
  // an offset taken from another record may change even if the day does not
  const offsets = [...new Set(samples.map(each => each.offset))]
  const record = page.record(date, contentVersion(sent, offsets))
  for (const each of samples) record.samples.add(each, 'continuous heart rate')
}
