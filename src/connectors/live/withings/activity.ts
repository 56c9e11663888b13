/** Reads Withings' days and the points within them. */
import { DAY_MS, type EpochMs, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asObject, asText, type JsonObject } from '../../shared/json-fields.ts'
import { floatingIn } from '../../shared/record-time.ts'
import { activitySummary } from '../../shared/summaries.ts'
import { filled, hasValue } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import { contentVersion, isWithin } from '../windows.ts'
import { addSamples, dataFields } from './record.ts'
import {
  callApi,
  findZone,
  offsetAt,
  rowPages,
  splitIntoDays,
  toDateRange,
  toSecondsRange,
  type WithingsList,
  type WithingsRow,
} from './requests.ts'
import { ACTIVITY_FIELDS, ACTIVITY_HEART, INTRADAY } from './tables.ts'

const DAYS: WithingsList = {
  path: '/v2/measure',
  list: 'activities',
  form: ({ window }) => ({
    action: 'getactivity',
    data_fields: dataFields(ACTIVITY_FIELDS, ACTIVITY_HEART),
    ...toDateRange(window),
  }),
}

/** Yields each page's rows together, because a day may have several rows. */
export async function* dayPages(session: TokenSession, asked: PullRequest) {
  for await (const rows of rowPages(DAYS)(session, asked)) yield [rows]
}

/** Reads the days on a page. If a day has several rows, the tracker's row is used. */
export function readDays(rows: readonly WithingsRow[], page: LivePage): void {
  const days = new Map<string, JsonObject>()
  for (const { row } of rows) {
    const date = asText(row?.['date']) ?? ''
    if (row === undefined || parseDate(date) === undefined) {
      page.skip('getactivity (unreadable)')
      continue
    }
    const other = days.get(date)
    if (other !== undefined) page.skip('getactivity (a second device)')
    if (other === undefined || (!isTracked(other) && isTracked(row))) days.set(date, row)
  }
  for (const [date, row] of days) readDay(page, date, row)
}

function readDay(page: LivePage, date: string, row: JsonObject): void {
  const midnight = parseDate(date) ?? 0
  if (!isWithin(page.asked, midnight)) return
  const day = page.view('getactivity', row)
  const zone = findZone(row)
  const start = floatingIn(midnight, zone ?? page.asked.timeZone)
  const end = floatingIn(midnight + DAY_MS, zone ?? page.asked.timeZone)
  const sourceType = isTracked(row) ? 'watch' : 'app'
  const record = page.record(date, contentVersion(row))
  const heart = filled(ACTIVITY_HEART, day)
  record.summary(
    activitySummary(page.source(date, { date, offset: start.offset, sourceType }), {
      ...filled(ACTIVITY_FIELDS, day),
      time_zone: zone,
      heart_rate: hasValue(heart) ? { ...heart, resting_bpm: null, avg_walking_bpm: null } : null,
    }),
  )
  const [total, active] = [day.number('totalcalories'), day.number('calories')]
  if (total === undefined || active === undefined) return
  const value = Math.max(0, total - active)
  const sample = { resource: 'calories_basal', sourceType, start: start.ms, end: end.ms, value, offset: start.offset }
  record.samples.add(sample, 'getactivity.totalcalories')
}

function isTracked(row: JsonObject): boolean {
  return row['is_tracker'] !== false && row['is_tracker'] !== 0
}

/** A response's points from `from` to `to` (exclusive). */
export interface WithingsPoints {
  readonly body: unknown
  readonly from: EpochMs
  readonly to: EpochMs
}

/** Yields each day's points. */
export async function* pointPages(
  session: TokenSession,
  { window }: PullRequest,
): AsyncGenerator<readonly WithingsPoints[]> {
  const fields = { action: 'getintradayactivity', data_fields: dataFields(INTRADAY, 'duration') }
  for (const part of splitIntoDays(window)) {
    yield [{ body: await callApi(session, '/v2/measure', { ...fields, ...toSecondsRange(part) }), ...part }]
  }
}

/** Reads points. `series` is an object keyed by epoch seconds, or an empty list if there are no points. */
export function readPoints({ body, from, to }: WithingsPoints, page: LivePage): void {
  const zone = findZone(body)
  for (const [key, value] of Object.entries(asObject(asObject(body)?.['series']) ?? {})) {
    const [fields, second] = [asObject(value), /^\d{1,11}$/.test(key) ? Number(key) : undefined]
    if (fields === undefined || second === undefined) {
      page.skip('getintradayactivity (unreadable)')
      continue
    }
    const start = second * SECOND_MS
    if (start < from || start >= to || !isWithin(page.asked, start)) continue
    const point = page.view('getintradayactivity', fields)
    const end = start + Math.max(0, point.number('duration') ?? 0) * SECOND_MS
    const common = { sourceType: 'watch', start, end, offset: offsetAt(zone, start) }
    addSamples(page, INTRADAY, point, common, 'getintradayactivity')
    page.countUnread()
  }
}
