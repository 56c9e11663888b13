/** Blood oxygen and temperatures of Polar, which have no ids. Only some watches measure them. */
import { MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, asText, type JsonObject, objectsIn } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { mappedValues } from '../field-table.ts'
import { LivePage } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { KNOWN, SPO2_SAMPLES, TEMPERATURE_TYPES } from './mapping.ts'
import { datesOf, localTimes, PROVIDER, readIfAny, recordsIn } from './requests.ts'

const sourceType = 'watch'

export async function* pullBloodOxygen(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  const answer = await readIfAny(session, '/v3/users/biosensing/spo2', datesOf(asked.window))
  for (const test of recordsIn(answer, 'spo2_tests', 'test_time')) {
    const seconds = asNumber(test['test_time'])
    const minutes = asNumber(test['time_zone_offset'])
    if (seconds === undefined) page.skip('spo2 without test_time')
    else if (hasFailed(test)) page.skip('spo2.test_status')
    else {
      const offset = minutes === undefined ? null : (minutes * MINUTE_MS) / SECOND_MS
      for (const { rule, value } of mappedValues(SPO2_SAMPLES, test)) {
        page.samples.add({ resource: rule.to, sourceType, start: seconds * SECOND_MS, value, offset }, 'spo2')
      }
    }
    countUnknown(test, 'spo2', KNOWN.spo2, page)
  }
  yield page.take()
}

/** Returns whether a test says that it did not pass: what it measured is not reliable. */
function hasFailed(test: JsonObject): boolean {
  const status = asText(test['test_status'])
  return status !== undefined && !/passed/i.test(status)
}

export async function* pullTemperature(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new LivePage(PROVIDER, asked)
  const answer = await readIfAny(session, '/v3/users/biosensing/bodytemperature', datesOf(asked.window))
  const periods = recordsIn(answer, 'body_temperatures', 'start_time')
  const times = periods.length === 0 ? null : await localTimes(session, asked)
  for (const period of periods) {
    const from = times?.read(period['start_time'])
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
