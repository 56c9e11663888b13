/** Reads nights: the summary, and the segments with the readings of every minute. */
import { type EpochMs, localDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import { asNumber, asObject, asText, type JsonObject } from '../../files/json/fields.ts'
import { type Session, STAGES, type StageSpan, sleepCycle, sleepSummary, sleepType } from '../../shared/summaries.ts'
import { converted, fieldsRead, filled, mappedValue, numberAt, withTexts } from '../field-table.ts'
import { versionOf } from '../windows.ts'
import { type Reading, sourceOf } from './record.ts'
import { offsetAt, zoneOf } from './requests.ts'
import { BREATHING, LOW_BREATHING_BELOW, SLEEP_FIELDS, SLEEP_SERIES, STATES } from './tables.ts'

export const SUMMARY_DATA = fieldsRead(SLEEP_FIELDS, [BREATHING]).join(',')
export const SEGMENT_DATA = fieldsRead(SLEEP_SERIES).join(',')

const KNOWN_DATA = new Set<string>(fieldsRead(SLEEP_FIELDS, [BREATHING]))
const KNOWN_SEGMENT = new Set<string>([
  ...['startdate', 'enddate', 'state', 'model', 'model_id', 'hash_deviceid', 'deviceid', 'timezone'],
  ...fieldsRead(SLEEP_SERIES),
])
/** `model` of what recorded a night. A mat under the mattress is none of the types of devices that there are. */
const DEVICES: Readonly<Record<number, string>> = { 16: 'watch', 32: 'unknown' }

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
    date: date !== undefined && parseDate(date) !== undefined ? date : localDate(end, offset),
    offset,
    sourceType,
  }
  const source = sourceOf(reading, id, place)
  const data = asObject(row['data']) ?? {}
  const parts = partsOf(reading, segments, night)
  const record = page.record(id, versionOf(row, segments))
  const readings = segments.flatMap(segment => readingsOf(segment, night))
  record.summary(
    sleepSummary(source, night, {
      ...filled(SLEEP_FIELDS, data),
      average_hrv: meanOf(readings, 'hrv'),
      type: sleepType(end - start),
      state: row['completed'] === false ? 'tentative' : 'confirmed',
    }),
  )
  if (parts.length > 0) record.summary(sleepCycle(source, night, parts, zone))
  for (const { resource, start, value, from } of readings) {
    record.samples.add({ resource, sourceType, start, value, offset: offsetAt(zone, start) }, `sleep.${from}`)
  }
  const intensity = mappedValue(BREATHING, data)
  if (intensity !== undefined) {
    const type = intensity < LOW_BREATHING_BELOW ? 'not_elevated' : 'elevated'
    const sample = { resource: BREATHING.to, type, sourceType, start, end, value: intensity, offset }
    record.samples.add(sample, `getsummary.${BREATHING.from}`)
  }
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

interface NightReading {
  readonly resource: string
  readonly start: EpochMs
  readonly value: number
  /** The name of its series at Withings. */
  readonly from: string
}

/** Returns the readings of a segment, which are maps from epoch seconds to values. */
function readingsOf(segment: JsonObject | undefined, night: Session): readonly NightReading[] {
  return SLEEP_SERIES.flatMap(({ from, to, none }) =>
    Object.entries(asObject(segment?.[from]) ?? {}).flatMap(([second, each]) => {
      const start = Number(second) * SECOND_MS
      const value = asNumber(each)
      const isReading = value !== undefined && value !== none && start >= night.start && start <= night.end
      return isReading ? [{ resource: to, start, value, from }] : []
    }),
  )
}

function meanOf(readings: readonly NightReading[], resource: string): number | null {
  // two segments may both have the second in which they meet
  const values = new Map(readings.flatMap(each => (each.resource === resource ? [[each.start, each.value]] : [])))
  if (values.size === 0) return null
  return converted(
    { per: values.size },
    [...values.values()].reduce((sum, value) => sum + value, 0),
  )
}
