/** Requests data from Polar. */
import { DAY_MS, formatDate, HOUR_MS, MINUTE_MS, parseDateTime, readInstant } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import { ProviderError, type TokenSession } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { asNumber, asObject, type JsonObject, member, objectsIn } from '../../shared/json-fields.ts'
import type { RecordForm } from '../record-view.ts'
import { apiUrl, type QueryParameters } from '../requests.ts'
import { type Anchor, LocalTimes } from './times.ts'

export const POLAR: RecordForm = {
  provider: 'polar',
  ignored: new Set([
    ...['id', 'polar_user', 'date', 'sleep_date', 'device_id', 'source_device_id', 'transaction_id', 'has_route'],
    ...['start_time', 'start_time_utc_offset', 'end_time', 'upload_time', 'created', 'modified_time'],
    ...['test_time', 'time_zone_offset', 'sleep_start_time', 'sleep_end_time'],
  ]),
  countsNested: true,
}

/** Approximate time range for which nights and exercises are listed. Earlier data has no night or exercise to take a UTC offset from. */
const LISTED_MS = 31 * DAY_MS

/** A Polar list: its name in a response, and a field that each record has. */
export interface PolarList {
  readonly path: string
  readonly name: string
  readonly mark: string
}

export const EXERCISES: PolarList = { path: '/v3/exercises', name: 'exercises', mark: 'id' }
export const NIGHTS: PolarList = { path: '/v3/users/sleep', name: 'nights', mark: 'date' }

/**
 * Whether a missing list is a failure. Polar responds with "not found" both for a record that no longer exists and for data that a device
 * never measured.
 */
type Missing = 'fails' | 'is empty'

/** Returns a list's records. The response may be a plain list, a list under its name, or one record. Throws ProviderError. */
export async function getRecords(
  session: TokenSession,
  { path, name, mark }: PolarList,
  query: QueryParameters = {},
  missing: Missing = 'fails',
): Promise<readonly JsonObject[]> {
  const url = apiUrl(session, path, query)
  const headers = { accept: 'application/json' }
  const response = await session.send({ method: 'GET', url, headers, accepted: missing === 'fails' ? [] : [404] })
  const body = response.status === 404 || response.status === 204 || response.text === '' ? null : response.json()
  if (body === null) return []
  if (Array.isArray(body)) return objectsIn(body)
  const list = member(body, name)
  if (Array.isArray(list)) return objectsIn(list)
  const record = asObject(body)
  if (record !== undefined && record[mark] !== undefined) return [record]
  if (record !== undefined && Object.keys(record).length === 0) return []
  throw new ProviderError('bad_answer', `Polar responded without a list of ${name}.`)
}

/** Returns the dates to request, both inclusive, as parameters: the window's dates, or the date of a single record, which is its ID. */
export function datesAsked({ window, recordId }: PullRequest): { readonly from: string; readonly to: string } {
  return recordId === undefined ? toDateRange(window) : { from: recordId, to: recordId }
}

/** Returns the dates in a window. A local date begins up to 14 hours before the same date in UTC and ends up to 12 hours after it. */
export function toDateRange({ from, to }: PullWindow): { readonly from: string; readonly to: string } {
  return { from: formatDate(from - 12 * HOUR_MS), to: formatDate(to - 1 + 14 * HOUR_MS) }
}

/** Returns a reader for local times in a window. It takes offsets from nights and exercises. Throws ProviderError. */
export async function localTimes(session: TokenSession, { window, timeZone, now }: PullRequest): Promise<LocalTimes> {
  if (window.to < now - LISTED_MS) return new LocalTimes([], timeZone)
  const nights = await getRecords(session, NIGHTS)
  const exercises = await getRecords(session, EXERCISES)
  const anchors: Anchor[] = []
  for (const text of nights.flatMap(each => [each['sleep_start_time'], each['sleep_end_time']])) {
    const parsed = typeof text === 'string' ? parseDateTime(text) : undefined
    const at = readInstant(text)
    if (parsed && at !== undefined && typeof parsed.offset === 'number') anchors.push({ at, offset: parsed.offset })
  }
  for (const each of exercises) {
    const start = readStart(withUnderscores(each))
    if (start !== undefined) anchors.push(start)
  }
  return new LocalTimes(anchors, timeZone)
}

/** Returns an exercise's start: its local time minus its offset. */
export function readStart(exercise: JsonObject): Anchor | undefined {
  const parsed = typeof exercise['start_time'] === 'string' ? parseDateTime(exercise['start_time']) : undefined
  const minutes = asNumber(exercise['start_time_utc_offset'])
  if (parsed === undefined || minutes === undefined || !Number.isInteger(minutes)) return undefined
  return { at: parsed.local - minutes * MINUTE_MS, offset: minutes * 60 }
}

/** Returns a copy with underscores in all names, because Polar writes some names with hyphens, depending on the response's version. */
export function withUnderscores(record: JsonObject): JsonObject {
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed)
    const object = asObject(value)
    if (object === undefined) return value
    return Object.fromEntries(Object.entries(object).map(([name, each]) => [name.replaceAll('-', '_'), renamed(each)]))
  }
  // the value keeps its type: an object stays an object
  return renamed(record) as JsonObject
}
