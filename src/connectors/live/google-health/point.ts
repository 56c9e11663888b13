/** Reads Google Health's points: IDs, times, sources and values. Anything that is not as documented becomes undefined. */
import type { SourceType } from '../../../catalogue/source-types.ts'
import { formatInstant, type IsoDate, localDate, parseDate, readInstant } from '../../../core/time.ts'
import { asNumber, asObject, asText, type JsonObject, member } from '../../shared/json-fields.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import type { SummarySource } from '../../shared/summaries.ts'
import type { LivePage } from '../page.ts'
import { bodyKey } from './data-types.ts'

export interface Point {
  /** The last part of the point's name; null if points of this type have no name. */
  readonly id: string | null
  readonly body: JsonObject
  /** The device type; undefined if the point has no device. */
  readonly sourceType: SourceType | undefined
}

export interface PointInterval {
  readonly start: RecordTime
  readonly end: RecordTime
}

const FORM_FACTORS: ReadonlyMap<unknown, SourceType> = new Map<unknown, SourceType>([
  ['WATCH', 'watch'],
  ['FITNESS_BAND', 'watch'],
  ['RING', 'ring'],
  ['CHEST_STRAP', 'chest_strap'],
  ['SCALE', 'scale'],
  ['PHONE', 'phone'],
  ['TABLET', 'app'],
])
const MOST_OFFSET_SECONDS = 18 * 3600

/** Returns a data type's point; undefined if the point has no body of that type. */
export function readPoint(value: unknown, type: string): Point | undefined {
  const body = asObject(member(value, bodyKey(type)))
  if (body === undefined) return undefined
  // in a reconciled point, the name is in dataPointName
  const name = asText(member(value, 'name')) ?? asText(member(value, 'dataPointName')) ?? ''
  return { id: lastPart(name), body, sourceType: readSourceType(member(value, 'dataSource')) }
}

/** Returns the ID in a point's name, or null. */
export function lastPart(name: string): string | null {
  return name.slice(name.lastIndexOf('/') + 1) || null
}

function readSourceType(source: unknown): SourceType | undefined {
  if (member(source, 'recordingMethod') === 'MANUAL') return 'app'
  return FORM_FACTORS.get(member(member(source, 'device'), 'formFactor'))
}

/** Returns the fields that a session's summaries share. The date is taken from `dated`. */
export function sessionSource(
  page: LivePage,
  { id, sourceType }: Point,
  { start }: PointInterval,
  dated: RecordTime = start,
  usual: SourceType = 'watch',
): SummarySource {
  const { ms, offset } = dated
  const date = localDate(ms, offset)
  return page.source(id ?? formatInstant(start.ms), { sourceType: sourceType ?? usual, date, offset })
}

export function readInterval(body: JsonObject): PointInterval | undefined {
  const interval = body['interval']
  const start = readInstant(member(interval, 'startTime'))
  const end = readInstant(member(interval, 'endTime'))
  if (start === undefined || end === undefined || end < start) return undefined
  return {
    start: { ms: start, offset: readOffset(member(interval, 'startUtcOffset')) },
    end: { ms: end, offset: readOffset(member(interval, 'endUtcOffset')) },
  }
}

export function readSampleTime(body: JsonObject): RecordTime | undefined {
  const time = body['sampleTime']
  const ms = readInstant(member(time, 'physicalTime'))
  return ms === undefined ? undefined : { ms, offset: readOffset(member(time, 'utcOffset')) }
}

/** Reads `{year, month, day}`. */
export function readDate(value: unknown): IsoDate | undefined {
  const [year, month, day] = [member(value, 'year'), member(value, 'month'), member(value, 'day')]
  const two = (part: unknown): string => String(part).padStart(2, '0')
  const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  return parseDate(text) === undefined ? undefined : text
}

/** Reads a duration such as `"1830s"` in seconds. */
export function readSeconds(value: unknown): number | undefined {
  return typeof value === 'string' && value.endsWith('s') ? asNumber(value.slice(0, -1)) : undefined
}

function readOffset(value: unknown): number | null {
  const seconds = readSeconds(value)
  return seconds !== undefined && Number.isInteger(seconds) && Math.abs(seconds) <= MOST_OFFSET_SECONDS ? seconds : null
}
