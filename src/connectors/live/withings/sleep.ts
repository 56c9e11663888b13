/** Reads nights: the summary, and the segments with the readings of every minute. */
import { type EpochMs, formatDate, HOUR_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import { asNumber, asObject, asText, type JsonObject } from '../../files/json/fields.ts'
import { type Session, STAGES, type StageSpan, sleepCycle, sleepSummary } from '../documents.ts'
import { fieldsRead, filled, numberAt, withTexts } from '../field-table.ts'
import type { LiveRecordBuilder } from '../page.ts'
import { versionOf } from '../windows.ts'
import { type Reading, sourceOf } from './record.ts'
import { offsetAt, zoneOf } from './requests.ts'
import { SLEEP_FIELDS, SLEEP_SERIES, STATES } from './tables.ts'

export const SUMMARY_DATA = fieldsRead(SLEEP_FIELDS).join(',')
export const SEGMENT_DATA = fieldsRead(SLEEP_SERIES).join(',')

const KNOWN_DATA = new Set<string>(fieldsRead(SLEEP_FIELDS))
const KNOWN_SEGMENT = new Set<string>([
  ...['startdate', 'enddate', 'state', 'model', 'model_id', 'hash_deviceid', 'deviceid', 'timezone'],
  ...fieldsRead(SLEEP_SERIES),
])
/** `model` of what recorded a night. A mat under the mattress is none of the types of devices that there are. */
const DEVICES: Readonly<Record<number, string>> = { 16: 'watch', 32: 'unknown' }
/** A session of at least this length is a `long_sleep`. */
const LONG_SLEEP_MS = 3 * HOUR_MS

/** The summary of a night, and when it was. */
export interface Night extends Session {
  readonly id: string
  readonly row: JsonObject
}

export function nightOf(row: JsonObject | undefined): Night | undefined {
  const id = withTexts(row, 'id')?.id
  const [start, end] = [numberAt(row, 'startdate'), numberAt(row, 'enddate')]
  if (row === undefined || id === undefined || start === undefined || end === undefined || end < start) return undefined
  return { id, row, start: start * SECOND_MS, end: end * SECOND_MS }
}

/** `segments` may overlap, in any order; `model` is that of their answer. */
export function readNight(
  reading: Reading,
  night: Night,
  segments: readonly (JsonObject | undefined)[],
  model: number | undefined,
): void {
  const { page } = reading
  const { id, row, start, end } = night
  const zone = zoneOf(row)
  const offset = offsetAt(zone, end)
  const sourceType = DEVICES[model ?? numberAt(row, 'model') ?? 0] ?? 'watch'
  const date = asText(row['date'])
  const place = {
    date: date !== undefined && parseDate(date) !== undefined ? date : formatDate(end + (offset ?? 0) * SECOND_MS),
    offset,
    sourceType,
  }
  const source = sourceOf(reading, id, place)
  const data = asObject(row['data']) ?? {}
  const parts = partsOf(reading, segments, night)
  const record = page.record(id, versionOf(row, segments))
  record.summary(
    sleepSummary(source, night, {
      ...filled(SLEEP_FIELDS, data),
      type: end - start >= LONG_SLEEP_MS ? 'long_sleep' : 'short_sleep',
      state: row['completed'] === false ? 'tentative' : 'confirmed',
    }),
  )
  if (parts.length > 0) record.summary(sleepCycle(source, night, parts, zone))
  for (const segment of segments) addReadings(record, segment, night, { sourceType, zone })
  page.skipOthers(data, KNOWN_DATA, 'getsummary.data')
}

/** Returns the stages, ascending and without overlaps. A gap means that the person was out of bed. */
function partsOf({ page }: Reading, segments: readonly (JsonObject | undefined)[], night: Session): StageSpan[] {
  const read = segments.flatMap(segment => {
    const [from, to] = [numberAt(segment, 'startdate'), numberAt(segment, 'enddate')]
    if (segment === undefined || from === undefined || to === undefined) {
      page.skip('sleep (unreadable)')
      return []
    }
    page.skipOthers(segment, KNOWN_SEGMENT, 'sleep')
    const stage = STATES[String(numberAt(segment, 'state'))]?.stage ?? STAGES.missing
    return [{ stage, start: from * SECOND_MS, end: to * SECOND_MS }]
  })
  const parts: StageSpan[] = []
  let reached: EpochMs | undefined
  for (const { stage, start, end } of read.sort((a, b) => a.start - b.start)) {
    const from = Math.max(start, reached ?? night.start)
    const to = Math.min(end, night.end)
    if (to <= from) continue
    if (reached !== undefined && from > reached) parts.push({ stage: STAGES.awake, start: reached, end: from })
    parts.push({ stage, start: from, end: to })
    reached = to
  }
  return parts
}

/** Adds the readings of a segment: maps from epoch seconds to values. */
function addReadings(
  record: LiveRecordBuilder,
  segment: JsonObject | undefined,
  night: Session,
  { sourceType, zone }: { readonly sourceType: string; readonly zone: string | null },
): void {
  for (const { from, to, none } of SLEEP_SERIES) {
    for (const [second, value] of Object.entries(asObject(segment?.[from]) ?? {})) {
      const start = Number(second) * SECOND_MS
      const reading = asNumber(value)
      if (reading === undefined || reading === none || !(start >= night.start && start <= night.end)) continue
      const offset = offsetAt(zone, start)
      record.samples.add({ resource: to, sourceType, start, value: reading, offset }, `sleep.${from}`)
    }
  }
}
