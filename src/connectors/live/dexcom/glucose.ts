/** Turns the readings of a Dexcom sensor, and the calibrations that a person enters, into glucose samples. */
import { asText, type JsonObject } from '../../files/json/fields.ts'
import type { LivePage } from '../page.ts'
import { versionOf } from '../windows.ts'
import { FINGERSTICK } from './events.ts'
import { glucoseOf, isMeasurable, timeOf } from './records.ts'

/** Statuses of a reading outside of what the sensor measures. */
const OUT_OF_RANGE: ReadonlySet<unknown> = new Set(['low', 'high'])
const NO_VALUE = 'without a value in a known unit'

/**
 * Adds a sensor reading to the page. A reading keeps its time for good, so that a corrected one replaces it without an id: with 288 a day, ids
 * would take far more room than the readings.
 */
export function addReading(reading: JsonObject, page: LivePage, outOfRange: string): void {
  const time = timeOf(reading)
  if (time === undefined) {
    page.skip('egvs without a time')
    return
  }
  if (asText(reading['trend']) !== undefined) page.skip('egvs.trend')
  const value = glucoseOf(reading)
  // the status may be absent, so the value says it too
  const isOutside = OUT_OF_RANGE.has(reading['status']) || (value !== undefined && !isMeasurable(reading))
  if (isOutside && (outOfRange !== 'keep' || value === undefined)) page.skip('egvs outside the range of the sensor')
  else if (value === undefined) page.skip(`egvs ${NO_VALUE}`)
  else {
    const sample = { resource: 'glucose', sourceType: 'automatic', start: time.ms, offset: time.offset, value }
    page.samples.add(sample, 'egvs')
  }
}

/** Adds the record of a calibration, or counts it if it has no id. */
export function addCalibration(calibration: JsonObject, page: LivePage): void {
  const id = asText(calibration['recordId']) ?? ''
  if (id === '') {
    page.skip('calibrations without an id')
    return
  }
  const record = page.record(id, versionOf(calibration))
  const time = timeOf(calibration)
  const value = glucoseOf(calibration)
  if (time === undefined) page.skip('calibrations without a time')
  else if (value === undefined) page.skip(`calibrations ${NO_VALUE}`)
  else {
    const sample = { resource: 'glucose', sourceType: FINGERSTICK, start: time.ms, offset: time.offset, value }
    record.samples.add(sample, 'calibrations')
  }
}
