/** Reads days and the points within them. */
import { DAY_MS, type EpochMs, parseDate, SECOND_MS } from '../../../core/time.ts'
import { asObject, asText, type JsonObject } from '../../files/json/fields.ts'
import { floatingIn } from '../../files/records/time.ts'
import { activitySummary } from '../../shared/summaries.ts'
import { fieldsRead, filled, hasValue, numberAt } from '../field-table.ts'
import { isWithin, versionOf } from '../windows.ts'
import { addSamples, type Reading, sourceOf } from './record.ts'
import { offsetAt, zoneOf } from './requests.ts'
import { ACTIVITY_FIELDS, ACTIVITY_HEART, INTRADAY } from './tables.ts'

export const ACTIVITY_DATA = fieldsRead(ACTIVITY_FIELDS, ACTIVITY_HEART).join(',')
export const INTRADAY_DATA = [...fieldsRead(INTRADAY), 'duration'].join(',')

const KNOWN_DAY = new Set<string>([
  ...[
    'date',
    'timezone',
    'modified',
    'brand',
    'is_tracker',
    'deviceid',
    'hash_deviceid',
    'model',
    'modelid',
    'model_id',
  ],
  ...['active', ...fieldsRead(ACTIVITY_FIELDS, ACTIVITY_HEART)],
])
const KNOWN_POINT = new Set<string>([
  'duration',
  'deviceid',
  'model',
  'model_id',
  'hash_deviceid',
  ...fieldsRead(INTRADAY),
])

/** Reads the days of a page. Of several rows of one day, that of a tracker counts. */
export function readDays(reading: Reading, rows: readonly (JsonObject | undefined)[]): void {
  const days = new Map<string, JsonObject>()
  for (const row of rows) {
    const date = asText(row?.['date']) ?? ''
    if (row === undefined || parseDate(date) === undefined) {
      reading.page.skip('getactivity (unreadable)')
      continue
    }
    const other = days.get(date)
    if (other !== undefined) reading.page.skip('getactivity (a second device)')
    if (other === undefined || (!isTracked(other) && isTracked(row))) days.set(date, row)
  }
  for (const [date, row] of days) readDay(reading, date, row)
}

function readDay(reading: Reading, date: string, row: JsonObject): void {
  const { page, asked } = reading
  const midnight = parseDate(date) ?? 0
  if (!isWithin(asked, midnight)) return
  const zone = zoneOf(row)
  const start = floatingIn(midnight, zone ?? asked.timeZone)
  const end = floatingIn(midnight + DAY_MS, zone ?? asked.timeZone)
  const sourceType = isTracked(row) ? 'watch' : 'app'
  const record = page.record(date, versionOf(row))
  const heart = filled(ACTIVITY_HEART, row)
  const source = sourceOf(reading, date, { date, offset: start.offset, sourceType })
  record.summary(
    activitySummary(source, {
      ...filled(ACTIVITY_FIELDS, row),
      time_zone: zone,
      heart_rate: hasValue(heart) ? { ...heart, resting_bpm: null, avg_walking_bpm: null } : null,
    }),
  )
  const [total, active] = [numberAt(row, 'totalcalories'), numberAt(row, 'calories')]
  if (total !== undefined && active !== undefined) {
    const value = Math.max(0, total - active)
    const sample = { resource: 'calories_basal', sourceType, start: start.ms, end: end.ms, value, offset: start.offset }
    record.samples.add(sample, 'getactivity.totalcalories')
  }
  page.skipOthers(row, KNOWN_DAY, 'getactivity')
}

function isTracked(row: JsonObject): boolean {
  return row['is_tracker'] !== false && row['is_tracker'] !== 0
}

/**
 * Reads the points of an answer from `from` to `to`, which excludes its end. `series` is an object by epoch seconds; it is an empty list if
 * there is nothing.
 */
export function readPoints(reading: Reading, body: unknown, from: EpochMs, to: EpochMs): void {
  const { page, asked } = reading
  const zone = zoneOf(body)
  for (const [key, value] of Object.entries(asObject(asObject(body)?.['series']) ?? {})) {
    const [point, second] = [asObject(value), /^\d{1,11}$/.test(key) ? Number(key) : undefined]
    if (point === undefined || second === undefined) {
      page.skip('getintradayactivity (unreadable)')
      continue
    }
    const start = second * SECOND_MS
    if (start < from || start >= to || !isWithin(asked, start)) continue
    const end = start + Math.max(0, numberAt(point, 'duration') ?? 0) * SECOND_MS
    const common = { sourceType: 'watch', start, end, offset: offsetAt(zone, start) }
    addSamples(page, INTRADAY, point, common, 'getintradayactivity')
    page.skipOthers(point, KNOWN_POINT, 'getintradayactivity')
  }
}
