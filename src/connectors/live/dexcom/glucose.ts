/** Converts a Dexcom sensor's readings, and calibrations entered by the person, into glucose samples. */
import type { TokenSession } from '../../provider-session.ts'
import type { LivePage } from '../page.ts'
import { contentVersion } from '../windows.ts'
import { FINGERSTICK } from './events.ts'
import { isMeasurable, readGlucose } from './records.ts'
import type { DexcomRecord } from './requests.ts'

/** Statuses of readings outside the sensor's range. */
const OUT_OF_RANGE: ReadonlySet<unknown> = new Set(['low', 'high'])
const NO_VALUE = 'without a value in a known unit'

/**
 * Adds a sensor reading to the page. A reading's time never changes, so a corrected reading replaces the earlier one without an ID. With
 * 288 readings per day, IDs would take far more space than the readings.
 */
export function addReading({ fields, time }: DexcomRecord, page: LivePage, { app }: TokenSession) {
  if (fields === undefined) return page.skip('egvs in an unknown form')
  const reading = page.view('egvs', fields)
  const [value, status] = [readGlucose(reading), reading.value('status')]
  // the status may be absent, so the value is also checked
  const isOutside = OUT_OF_RANGE.has(status) || (value !== undefined && !isMeasurable(reading))
  if (time === undefined) return reading.leaveOut('without a time')
  if (isOutside && (app.settings['out_of_range'] !== 'keep' || value === undefined)) {
    page.skip('egvs outside the range of the sensor')
  } else if (value === undefined) page.skip(`egvs ${NO_VALUE}`)
  else {
    const sample = { resource: 'glucose', sourceType: 'automatic', start: time.ms, offset: time.offset, value }
    page.samples.add(sample, 'egvs')
  }
}

/** Adds a calibration's record, or counts the calibration if it has no ID. */
export function addCalibration({ fields, time }: DexcomRecord, page: LivePage) {
  if (fields === undefined) return page.skip('calibrations in an unknown form')
  const calibration = page.view('calibrations', fields)
  const id = calibration.text('recordId') ?? ''
  if (id === '') return calibration.leaveOut('without an id')
  const record = page.record(id, contentVersion(fields))
  const value = readGlucose(calibration)
  if (time === undefined) return calibration.leaveOut('without a time')
  if (value === undefined) return page.skip(`calibrations ${NO_VALUE}`)
  const sample = { resource: 'glucose', sourceType: FINGERSTICK, start: time.ms, offset: time.offset, value }
  record.samples.add(sample, 'calibrations')
}
