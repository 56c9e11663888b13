/** Blood oxygen, temperatures and electrocardiograms of Polar. Only some watches measure them. */
import { formatInstant, localDate, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, asText, type JsonObject, objectsIn } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { electrocardiogramSummary } from '../../shared/summaries.ts'
import { mappedValues } from '../field-table.ts'
import { LivePage } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { versionOf } from '../windows.ts'
import { KNOWN, SPO2_SAMPLES, TEMPERATURE_TYPES } from './mapping.ts'
import { datesOf, localTimes, PROVIDER, readIfAny, recordsIn } from './requests.ts'
import type { PlacedTime } from './times.ts'

const sourceType = 'watch'

export async function* pullBloodOxygen(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  const answer = await readIfAny(session, '/v3/users/biosensing/spo2', datesOf(asked.window))
  for (const test of recordsIn(answer, 'spo2_tests', 'test_time')) {
    const time = timeOf(test)
    if (time === undefined) page.skip('spo2 without test_time')
    else if (hasFailed(test)) page.skip('spo2.test_status')
    else {
      for (const { rule, value } of mappedValues(SPO2_SAMPLES, test)) {
        page.samples.add({ resource: rule.to, sourceType, start: time.at, value, offset: time.offset }, 'spo2')
      }
    }
    countUnknown(test, 'spo2', KNOWN.spo2, page)
  }
  yield page.take()
}

/** Returns the time of a test, which is in seconds, with an offset in minutes. */
function timeOf(test: JsonObject): PlacedTime | undefined {
  const seconds = asNumber(test['test_time'])
  const minutes = asNumber(test['time_zone_offset'])
  const offset = minutes === undefined ? null : (minutes * MINUTE_MS) / SECOND_MS
  return seconds === undefined ? undefined : { at: seconds * SECOND_MS, offset }
}

/** Returns whether a test says that it did not pass: what it measured is not reliable. */
function hasFailed(test: JsonObject): boolean {
  const status = asText(test['test_status'])
  return status !== undefined && !/passed/i.test(status)
}

/** Yields electrocardiograms, each a record that is named after its watch and its time. */
export async function* pullElectrocardiograms(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  const answer = await readIfAny(session, '/v3/users/biosensing/ecg', datesOf(asked.window))
  for (const test of recordsIn(answer, 'ecg_tests', 'test_time')) {
    const time = timeOf(test)
    if (time === undefined) page.skip('ecg without test_time')
    else addElectrocardiogram(page, asked, test, time)
    countUnknown(test, 'ecg', KNOWN.ecg, page)
  }
  yield page.take()
}

function addElectrocardiogram(page: LivePage, asked: PullRequest, test: JsonObject, { at, offset }: PlacedTime): void {
  const recordId = [asText(test['source_device_id']) ?? [], at / SECOND_MS].flat().join('-')
  const date = localDate(at, offset)
  const source = { userId: asked.userId, provider: PROVIDER, sourceType, recordId, date, offset }
  const samples = objectsIn(test['samples']).flatMap(each => {
    const [delta, value] = [asNumber(each['recording_time_delta_ms']), asNumber(each['amplitude_mv'])]
    if (delta !== undefined && value !== undefined) return [{ start: at + delta, value }]
    page.skip('ecg.samples')
    return []
  })
  const record = page.record(recordId, versionOf(test))
  record.summary(
    electrocardiogramSummary(source, at, {
      session_end: formatInstant(samples.reduce((last, each) => Math.max(last, each.start), at)),
      voltage_sample_count: samples.length,
      heart_rate_mean: asNumber(test['average_heart_rate_bpm']) ?? null,
    }),
  )
  const voltage = { resource: 'electrocardiogram_voltage', type: 'lead_1', sourceType, offset }
  for (const each of samples) record.samples.add({ ...voltage, ...each }, 'ecg.samples')
}

export async function* pullTemperature(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  const answer = await readIfAny(session, '/v3/users/biosensing/bodytemperature', datesOf(asked.window))
  const periods = recordsIn(answer, 'body_temperatures', 'start_time')
  const times = periods.length === 0 ? null : await localTimes(session, asked)
  for (const period of periods) {
    // the reference says UTC, and the text has no offset
    const from = times?.read(period['start_time'], 'utc')
    const type = typeOf(asText(period['measurement_type']))
    const text = type === undefined ? {} : { type }
    for (const each of objectsIn(period['samples'])) {
      const value = asNumber(each['temperature_celsius'])
      const delta = asNumber(each['recording_time_delta_milliseconds'])
      if (from === undefined || value === undefined || delta === undefined) page.skip('bodytemperature.samples')
      else {
        const sample = { sourceType, start: from.at + delta, value, offset: from.offset, text }
        page.samples.add({ resource: 'body_temperature', ...sample }, 'bodytemperature')
      }
    }
    countUnknown(period, 'bodytemperature', KNOWN.temperature, page)
  }
  yield page.take()
}

function typeOf(measurement: string | undefined): string | undefined {
  const name = measurement?.toLowerCase() ?? ''
  return Object.entries(TEMPERATURE_TYPES).find(([part]) => name.includes(part))?.[1]
}
