/** Blood oxygen and temperatures of Polar, which have no ids. Only some watches measure them. */
import { MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { countUnknown, objectsIn, samplesOf } from '../field-mapping.ts'
import { pageOf, pullContext, RecordDraft } from '../record-draft.ts'
import { KNOWN, SPO2, TEMPERATURE_TYPES } from './mapping.ts'
import { datesOf, localTimes, readIfAny, recordsIn } from './requests.ts'

const SOURCE = 'watch'

export async function* pullBloodOxygen(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const context = pullContext('polar', asked)
  const tests = recordsIn(
    await readIfAny(session, '/v3/users/biosensing/spo2', datesOf(asked.window)),
    'spo2_tests',
    'test_time',
  )
  const draft = new RecordDraft(context, '')
  for (const test of tests) {
    const seconds = asNumber(test['test_time'])
    const minutes = asNumber(test['time_zone_offset'])
    if (seconds === undefined) context.unmapped.count('spo2 without test_time')
    else if (hasFailed(test)) context.unmapped.count('spo2.test_status')
    else {
      const offset = minutes === undefined ? null : (minutes * MINUTE_MS) / SECOND_MS
      for (const [resource, value] of samplesOf(test, SPO2)) {
        draft.sample(resource, SOURCE, { start: Math.trunc(seconds * SECOND_MS), value, offset })
      }
    }
    countUnknown(test, 'spo2', KNOWN.spo2, context.unmapped)
  }
  yield pageOf(context, [], draft.batches())
}

/** Returns whether a test says that it did not pass: what it measured is not reliable. */
function hasFailed(test: JsonObject): boolean {
  const status = asText(test['test_status'])
  return status !== undefined && !/passed/i.test(status)
}

export async function* pullTemperature(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const context = pullContext('polar', asked)
  const answer = await readIfAny(session, '/v3/users/biosensing/bodytemperature', datesOf(asked.window))
  const periods = recordsIn(answer, 'body_temperatures', 'start_time')
  const times = periods.length === 0 ? null : await localTimes(session, asked)
  const draft = new RecordDraft(context, '')
  for (const period of periods) {
    const start = times?.read(period['start_time'])
    const type = typeOf(asText(period['measurement_type']))
    const samples = objectsIn(period['samples'])
    for (const each of samples) {
      const value = asNumber(each['temperature_celsius'])
      const delta = asNumber(each['recording_time_delta_milliseconds'])
      if (start === undefined || value === undefined || delta === undefined) {
        context.unmapped.count('bodytemperature.samples')
        continue
      }
      const text = type === undefined ? {} : { type }
      draft.sample('body_temperature', SOURCE, {
        start: start.at + Math.round(delta),
        value,
        offset: start.offset,
        text,
      })
    }
    countUnknown(period, 'bodytemperature', KNOWN.temperature, context.unmapped)
  }
  yield pageOf(context, [], draft.batches())
}

function typeOf(measurement: string | undefined): string | undefined {
  const name = measurement?.toLowerCase() ?? ''
  return Object.entries(TEMPERATURE_TYPES).find(([part]) => name.includes(part))?.[1]
}
