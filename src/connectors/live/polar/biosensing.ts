/** Reads blood oxygen, temperatures and electrocardiograms from Polar. Only some watches measure them. */
import { formatInstant, localDate, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asNumber, asText, type JsonObject } from '../../shared/json-fields.ts'
import { electrocardiogramSummary } from '../../shared/summaries.ts'
import { mappedValues } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion } from '../windows.ts'
import { SPO2_SAMPLES, TEMPERATURE_TYPES } from './mapping.ts'
import { getRecords, localTimes, type PolarList, toDateRange } from './requests.ts'
import type { LocalTimes, TimeWithOffset } from './times.ts'

const sourceType = 'watch'

function listed(path: string, name: string, mark: string): PolarList {
  return { path: `/v3/users/biosensing/${path}`, name, mark }
}

export const BLOOD_OXYGEN = listed('spo2', 'spo2_tests', 'test_time')
export const ELECTROCARDIOGRAMS = listed('ecg', 'ecg_tests', 'test_time')
const TEMPERATURES = listed('bodytemperature', 'body_temperatures', 'start_time')

/** Returns a function that yields a list's tests in a window. */
export function testPages(list: PolarList) {
  return async function* (session: TokenSession, { window }: PullRequest) {
    yield await getRecords(session, list, toDateRange(window), 'is empty')
  }
}

export function addBloodOxygen(sent: JsonObject, page: LivePage): void {
  const test = page.view('spo2', sent)
  const [time, hasFailed] = [testTime(sent), didFail(test)]
  const values = [...mappedValues(SPO2_SAMPLES, test)]
  if (time === undefined) page.skip('spo2 without test_time')
  else if (hasFailed) page.skip('spo2.test_status')
  else {
    for (const { rule, value } of values) {
      page.samples.add({ resource: rule.to, sourceType, start: time.at, value, offset: time.offset }, 'spo2')
    }
  }
}

/** Returns a test's time, which Polar reports in seconds, with an offset in minutes. */
function testTime(test: JsonObject): TimeWithOffset | undefined {
  const seconds = asNumber(test['test_time'])
  const minutes = asNumber(test['time_zone_offset'])
  const offset = minutes === undefined ? null : (minutes * MINUTE_MS) / SECOND_MS
  return seconds === undefined ? undefined : { at: seconds * SECOND_MS, offset }
}

/** Returns whether a test did not pass, so that its values are not reliable. */
function didFail(test: RecordView): boolean {
  const status = test.text('test_status')
  return status !== undefined && !/passed/i.test(status)
}

/** Adds an electrocardiogram as a record whose ID consists of its watch and time. */
export function addElectrocardiogram(sent: JsonObject, page: LivePage) {
  const test = page.view('ecg', sent)
  const time = testTime(sent)
  if (time === undefined) return test.leaveOut('without test_time')
  const { at, offset } = time
  const recordId = [asText(sent['source_device_id']) ?? [], at / SECOND_MS].flat().join('-')
  const date = localDate(at, offset)
  const source = page.source(recordId, { sourceType, date, offset })
  const samples = test.objects('samples').flatMap(each => {
    const [delta, value] = [asNumber(each['recording_time_delta_ms']), asNumber(each['amplitude_mv'])]
    if (delta !== undefined && value !== undefined) return [{ start: at + delta, value }]
    page.skip('ecg.samples')
    return []
  })
  const record = page.record(recordId, contentVersion(sent))
  record.summary(
    electrocardiogramSummary(source, at, {
      session_end: formatInstant(samples.reduce((last, each) => Math.max(last, each.start), at)),
      voltage_sample_count: samples.length,
      heart_rate_mean: test.number('average_heart_rate_bpm') ?? null,
    }),
  )
  const voltage = { resource: 'electrocardiogram_voltage', type: 'lead_1', sourceType, offset }
  for (const each of samples) record.samples.add({ ...voltage, ...each }, 'ecg.samples')
}

/** Temperatures over a time range. */
export interface PolarPeriod {
  readonly sent: JsonObject
  readonly times: LocalTimes
}

export async function* temperaturePages(
  session: TokenSession,
  asked: PullRequest,
): AsyncGenerator<readonly PolarPeriod[]> {
  const periods = await getRecords(session, TEMPERATURES, toDateRange(asked.window), 'is empty')
  if (periods.length === 0) return yield []
  const times = await localTimes(session, asked)
  yield periods.map(sent => ({ sent, times }))
}

export function addTemperatures({ sent, times }: PolarPeriod, page: LivePage): void {
  const period = page.view('bodytemperature', sent)
  // the reference specifies UTC, but the text has no offset
  const from = times.read(sent['start_time'], 'utc')
  const type = temperatureType(period.text('measurement_type'))
  const text = type === undefined ? {} : { type }
  for (const each of period.objects('samples')) {
    const value = asNumber(each['temperature_celsius'])
    const delta = asNumber(each['recording_time_delta_milliseconds'])
    if (from === undefined || value === undefined || delta === undefined) page.skip('bodytemperature.samples')
    else {
      const sample = { sourceType, start: from.at + delta, value, offset: from.offset, text }
      page.samples.add({ resource: 'body_temperature', ...sample }, 'bodytemperature')
    }
  }
}

function temperatureType(measurement: string | undefined): string | undefined {
  const name = measurement?.toLowerCase() ?? ''
  return Object.entries(TEMPERATURE_TYPES).find(([part]) => name.includes(part))?.[1]
}
