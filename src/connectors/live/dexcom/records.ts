/** Reads the records of Dexcom: times, offsets and glucose values. Anything that is not as documented is undefined. */
import { instantOf, MINUTE_MS, parseDateTime, SECOND_MS } from '../../../core/time.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import type { RecordTime } from '../../files/records/time.ts'
import { converted, numberAt } from '../field-table.ts'

export const PROVIDER = 'dexcom_v3'
/** mg/dL in one mmol/L. */
export const GLUCOSE_MG_DL = 18.0182
/** The clocks of a device and its display drift apart; real offsets are whole half hours. */
const OFFSET_STEP_MS = 30 * MINUTE_MS
const MOST_OFFSET_SECONDS = 18 * 3600

/** Divisors to mmol/L by unit, in lower case. */
export const GLUCOSE_UNITS: Readonly<Record<string, number>> = { 'mg/dl': GLUCOSE_MG_DL, 'mmol/l': 1 }

/**
 * Returns when a record was made. Its system time is UTC by the clock of the device, and its display time what the person saw: the difference
 * is the offset.
 */
export function timeOf(record: JsonObject): RecordTime | undefined {
  const system = parseDateTime(asText(record['systemTime']) ?? '')
  if (system === undefined) return undefined
  const ms = instantOf(system)
  const display = parseDateTime(asText(record['displayTime']) ?? '')
  if (display === undefined) return { ms, offset: null }
  const stated = typeof display.offset === 'number' ? display.offset : undefined
  const offset = stated ?? (Math.round((display.local - ms) / OFFSET_STEP_MS) * OFFSET_STEP_MS) / SECOND_MS
  return { ms, offset: Math.abs(offset) <= MOST_OFFSET_SECONDS ? offset : null }
}

/** Returns the glucose of a record in mmol/L; undefined without a value, or in an unknown unit. */
export function glucoseOf(record: JsonObject): number | undefined {
  const value = numberAt(record, 'value')
  const per = GLUCOSE_UNITS[(asText(record['unit']) ?? '').toLowerCase()]
  return value === undefined || per === undefined ? undefined : converted({ per }, value)
}
