/** Requests data from Google Health: filters, pages, single points and daily sums. */
import { DAY_MS, type EpochMs, formatDate, HOUR_MS } from '../../../core/time.ts'
import type { ProviderResponse, TokenSession } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { asList, asText, type JsonObject, member } from '../../shared/json-fields.ts'
import {
  apiUrl,
  getAll,
  getPages,
  getRecord,
  type ListForm,
  objectIn,
  parsedJson,
  type QueryParameters,
} from '../requests.ts'
import { filterKey } from './data-types.ts'

/** Kinds of fields that a filter can limit, according to a type's time fields. */
export type FilterField =
  | 'interval.start_time'
  | 'sample_time.physical_time'
  | 'date'
  | 'interval.civil_start_time'
  | 'interval.end_time'

/** Number of points per page, which is the provider's maximum. */
const POINTS = 10_000
const SESSIONS = 25
/**
 * Types with few but large points, which have smaller pages. Google limits some of them to smaller pages, and a larger page of
 * electrocardiograms would be too big.
 */
const LARGE_TYPES: ReadonlySet<string> = new Set(['sleep', 'exercise', 'electrocardiogram'])
/** Maximum UTC offset of a time zone. */
const FURTHEST_MS = 14 * HOUR_MS

export interface PointQuery {
  readonly type: string
  readonly field: FilterField
  readonly window: PullWindow
  /** `list` for types that are not reconciled. */
  readonly method?: 'reconcile' | 'list'
  /** Whether the type's filter has no end, so that points after the window are included. */
  readonly isOpenEnded?: boolean
  /** Page size. Defaults to the provider's maximum. */
  readonly pageSize?: number
}

const LIST: ListForm = {
  records: 'dataPoints',
  isOptional: true,
  next: { field: 'nextPageToken', parameter: 'pageToken' },
}
const TYPES = '/v4/users/me/dataTypes'

/** Yields a query's points, page by page. A page may be empty even if others follow. Throws ProviderError. */
export function getPoints(session: TokenSession, query: PointQuery): AsyncGenerator<readonly unknown[]> {
  return getPages(session, LIST, ...parts(session, query))
}

/** Returns all of a query's points. Throws ProviderError. */
export function allPoints(session: TokenSession, query: PointQuery): Promise<readonly unknown[]> {
  return getAll(session, LIST, ...parts(session, query))
}

function parts(
  session: TokenSession,
  { type, field, window, method, isOpenEnded, pageSize }: PointQuery,
): readonly [path: string, query: QueryParameters] {
  const name = `${filterKey(type)}.${field}`
  const [from, to] = windowBounds(field, window)
  const end = isOpenEnded ? '' : ` AND ${name} < "${to}"`
  const query = {
    filter: `${name} >= "${from}"${end}`,
    pageSize: String(pageSize ?? (LARGE_TYPES.has(type) ? SESSIONS : POINTS)),
  }
  if (method === 'list') return [`${TYPES}/${type}/dataPoints`, query]
  return [`${TYPES}/${type}/dataPoints:reconcile`, { ...query, dataSourceFamily: sourceFamily(session) }]
}

function sourceFamily({ app }: TokenSession): string {
  return `users/me/dataSourceFamilies/${app.settings['data_source_family'] ?? 'all-sources'}`
}

/** Returns a filter's bounds. The local time is unknown here, so local bounds are wide enough for any time zone. */
function windowBounds(field: FilterField, { from, to }: PullWindow): readonly [string, string] {
  if (field === 'date') return [formatDate(from - FURTHEST_MS), formatDate(to + FURTHEST_MS + DAY_MS)]
  if (field === 'interval.civil_start_time') return [civil(from - FURTHEST_MS), civil(to + FURTHEST_MS)]
  return [new Date(from).toISOString(), new Date(to).toISOString()]
}

/** Returns a local time for a filter, in whole seconds. */
function civil(ms: EpochMs): string {
  return new Date(Math.ceil(ms / 1000) * 1000).toISOString().slice(0, 19)
}

/** Returns one point; null if the provider does not have it. Throws ProviderError. */
export function pointNamed(session: TokenSession, type: string, id: string): Promise<JsonObject | null> {
  return getRecord(session, `${TYPES}/${type}/dataPoints/${encodeURIComponent(id)}`)
}

/** Returns a type's sums for local days, from one date to another (exclusive). Throws ProviderError. */
export async function dailySums(
  session: TokenSession,
  type: string,
  from: EpochMs,
  to: EpochMs,
): Promise<readonly unknown[]> {
  const response = await session.send({
    method: 'POST',
    url: apiUrl(session, `${TYPES}/${type}/dataPoints:dailyRollUp`),
    json: {
      range: { start: { date: dateParts(from) }, end: { date: dateParts(to) } },
      windowSizeDays: 1,
      dataSourceFamily: sourceFamily(session),
    },
    // this call is read-only
    isRepeatable: true,
  })
  return asList(objectIn(response)['rollupDataPoints'])
}

function dateParts(midnight: EpochMs) {
  const date = new Date(midnight)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** Returns the reason in a Google error's details, such as `ACCOUNT_NOT_LINKED`, or else the status word. */
export function reasonIn(response: ProviderResponse): string {
  const error = member(parsedJson(response.text), 'error')
  const reasons = asList(member(error, 'details')).map(each => asText(member(each, 'reason')))
  return reasons.find(reason => reason !== undefined) ?? asText(member(error, 'status')) ?? ''
}
