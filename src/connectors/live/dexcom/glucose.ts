/** Turns the readings of a Dexcom sensor, and the calibrations that a person enters, into glucose samples. */

import type { ProviderRecord, PullRequest } from '../../connector.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import { type CollectedPage, recordOf, SeriesSamples, versionOf } from '../collected-page.ts'
import { FINGERSTICK } from './events.ts'
import { glucoseOf, PROVIDER, timeOf } from './records.ts'

const SENSOR = { resource: 'glucose', type: null, provider: PROVIDER, sourceType: 'automatic' } as const
const CALIBRATION = { ...SENSOR, sourceType: FINGERSTICK } as const
/** Statuses of a reading outside of what the sensor measures. */
const OUT_OF_RANGE: ReadonlySet<unknown> = new Set(['low', 'high'])

/**
 * Adds a sensor reading to the page. A reading keeps its time for good, so that a corrected one replaces it without an id: with 288 a day, ids
 * would take far more room than the readings.
 */
export function addReading(reading: JsonObject, page: CollectedPage, keepsOutOfRange: boolean): void {
  const time = timeOf(reading)
  if (time === undefined) {
    page.skip('egvs without a time')
    return
  }
  if (asText(reading['trend']) !== undefined) page.skip('egvs.trend')
  const value = glucoseOf(reading)
  if (OUT_OF_RANGE.has(reading['status']) && !(keepsOutOfRange && value !== undefined))
    page.skip('egvs outside the range of the sensor')
  else if (value === undefined) page.skip('egvs without a value in a known unit')
  else page.addSample('egvs', SENSOR, { start: time.ms, offset: time.offset, value })
}

/** Returns the record of a calibration; undefined, and counted, if it has no id. */
export function calibrationRecord(
  calibration: JsonObject,
  asked: PullRequest,
  page: CollectedPage,
): ProviderRecord | undefined {
  const id = asText(calibration['recordId'])
  if (id === undefined || id === '') {
    page.skip('calibrations without an id')
    return undefined
  }
  const time = timeOf(calibration)
  const value = glucoseOf(calibration)
  const samples = new SeriesSamples(asked.now)
  if (time === undefined) page.skip('calibrations without a time')
  else if (value === undefined) page.skip('calibrations without a value in a known unit')
  else page.countProblem('calibrations', samples.add(CALIBRATION, { start: time.ms, offset: time.offset, value }))
  return recordOf(id, versionOf(calibration), { batches: samples.take() })
}
