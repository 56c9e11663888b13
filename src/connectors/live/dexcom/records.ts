/** Reads Dexcom's records: times, offsets and glucose values. Anything that is not as documented becomes undefined. */
import { MINUTE_MS, type ParsedDateTime, parseDateTime, SECOND_MS, toInstant } from '../../../core/time.ts'
import { GLUCOSE_MG_DL } from '../../shared/glucose.ts'
import { asText, type JsonObject } from '../../shared/json-fields.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { converted } from '../field-table.ts'
import type { RecordView } from '../record-view.ts'

/**
 * Step between real offsets, in seconds. The clocks of a device and its display drift apart, which results in offsets such as -06:59:58.
 */
const OFFSET_STEP_S = (15 * MINUTE_MS) / SECOND_MS
const MOST_OFFSET_SECONDS = 18 * 3600

/** Divisors to mmol/L by unit, in lower case. */
export const GLUCOSE_UNITS: Readonly<Record<string, number>> = { 'mg/dl': GLUCOSE_MG_DL, 'mmol/l': 1 }

/** A sensor's lowest and highest value, as Dexcom displays them in each unit. */
const SENSOR_RANGES: Readonly<Record<string, readonly [lowest: number, highest: number]>> = {
  'mg/dl': [40, 400],
  'mmol/l': [2.2, 22.2],
}

/**
 * Returns a record's time. The system time is UTC by the device's clock, and the display time is the time that the person saw. The
 * difference is the offset.
 */
export function readSystemTime(record: JsonObject): RecordTime | undefined {
  const system = parseTime(record['systemTime'])
  if (system === undefined) return undefined
  const ms = toInstant(system)
  const display = parseTime(record['displayTime'])
  if (display === undefined) return { ms, offset: null }
  const seen = typeof display.offset === 'number' ? display.offset : (display.local - ms) / SECOND_MS
  const offset = Math.round(seen / OFFSET_STEP_S) * OFFSET_STEP_S
  return { ms, offset: Math.abs(offset) <= MOST_OFFSET_SECONDS ? offset : null }
}

/** Matches a month, day or hour with one digit, because Dexcom also writes `2026-4-30T5:00Z`. */
const ONE_DIGIT = /(?<=^\d{4}-|^\d{4}-\d{1,2}-|T)\d(?=[-T:])/g

/** Reads a date-time in Dexcom's notation. */
export function parseTime(value: unknown): ParsedDateTime | undefined {
  return parseDateTime((asText(value) ?? '').replace(ONE_DIGIT, '0$&'))
}

/** Returns a record's glucose value in mmol/L; undefined if there is none or if its unit is unknown. */
export function readGlucose(record: RecordView): number | undefined {
  const value = record.number('value')
  const unit = recordUnit(record)
  const per = Object.hasOwn(GLUCOSE_UNITS, unit) ? GLUCOSE_UNITS[unit] : undefined
  return value === undefined || per === undefined ? undefined : converted({ per }, value)
}

/** Returns whether a record's value is within the sensor's range. A value beyond it means "low" or "high". */
export function isMeasurable(record: RecordView): boolean {
  const value = record.number('value')
  const [lowest, highest] = SENSOR_RANGES[recordUnit(record)] ?? []
  return value !== undefined && lowest !== undefined && highest !== undefined && value >= lowest && value <= highest
}

function recordUnit(record: RecordView): string {
  return (record.text('unit') ?? '').toLowerCase()
}
