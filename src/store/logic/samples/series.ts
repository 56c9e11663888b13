/**
 * Stores series as rows. A series contains the fields that its samples share, and is numbered within its user.
 *
 * The samples of one source are in a series for each app, device and kind. Before schema 11, all of them were in one series, which is called
 * mixed. It gets no new samples, but a sample that it has is replaced there (writer.ts), so that imports from that time can still be undone.
 */
import type { SeriesKey } from '../../../core/sample.ts'
import type { SampleQuery } from '../../sample.ts'
import { MIXED_SERIES } from '../../tables/data.ts'
import { damaged } from '../rows/damage.ts'
import { SERIES, type SeriesRow } from '../rows/tables.ts'
import { type Expected, facts, many, one, query, type Steps } from '../steps.ts'
import { type Origin, originName } from './origins.ts'

export interface NumberedSeries {
  readonly id: number
  /** See `originName`. */
  readonly origin: string
  readonly key: SeriesKey
}

/** The series of an origin, and the mixed one. Each is found by the index, however many series the source has. */
const FIND_SERIES = SERIES.query(
  `WHERE user_id=? AND resource=? AND type=? AND provider=? AND source_type=?
     AND ((app_id=? AND device_id=? AND kind=?) OR (app_id='' AND device_id='' AND kind='${MIXED_SERIES}'))`,
)
const SERIES_BY_ID = SERIES.query('WHERE user_id=? AND series_id=?')
const SERIES_OF_RESOURCE = SERIES.query('WHERE user_id=? AND resource=?')
const SERIES_OF_PROVIDER = SERIES.query('WHERE user_id=? AND resource=? AND provider=?')
const SERIES_OF_USER = SERIES.query('WHERE user_id=? ORDER BY series_id')
const LAST_SERIES = query<{ readonly last: number | null }>('SELECT max(series_id) AS last FROM series WHERE user_id=?')

/** Numbers of recently written series, used only as a hint for later queries. */
const recent = new Map<string, number>()
const MOST_RECENT = 10_000

/** Returns the first query of a write to a series. */
export function expectedSeries(userId: string, series: SeriesKey, origin: Origin): Expected {
  return { statement: FIND_SERIES, values: findValues(userId, series, origin) }
}

function findValues(userId: string, series: SeriesKey, { appId, deviceId, kind }: Origin): string[] {
  return [userId, ...seriesNames(series), appId, deviceId, kind]
}

/** Returns a series' last known number, if any. */
export function lastNumber(userId: string, series: SeriesKey, origin: Origin): number | undefined {
  return recent.get(cacheKey(userId, series, origin))
}

function seriesNames({ resource, type, provider, sourceType }: SeriesKey): string[] {
  return [resource, type ?? '', provider, sourceType]
}

function cacheKey(userId: string, series: SeriesKey, origin: Origin): string {
  return [userId, ...seriesNames(series), originName(origin)].join('\n')
}

export interface FoundSeries {
  /** The number of the series with this origin, if it exists. */
  readonly own: number | undefined
  /** The number of the source's mixed series, if it has one. */
  readonly mixed: number | undefined
}

export function* findSeries(userId: string, series: SeriesKey, origin: Origin): Steps<FoundSeries> {
  const rows = yield* many(FIND_SERIES, findValues(userId, series, origin))
  const of = ({ appId, deviceId, kind }: Origin) =>
    rows.find(row => row.app_id === appId && row.device_id === deviceId && row.kind === kind)?.series_id
  const own = of(origin)
  if (own !== undefined && (yield* facts()).isRemote) {
    if (recent.size >= MOST_RECENT) recent.clear()
    recent.set(cacheKey(userId, series, origin), own)
  }
  return { own, mixed: of({ appId: '', deviceId: '', kind: MIXED_SERIES }) }
}

/** Adds a series that does not exist. Returns its number within its user. Numbers increase by one. */
export function* addSeries(userId: string, series: SeriesKey, origin: Origin): Steps<number> {
  const { resource, type, provider, sourceType } = series
  const last = yield* one(LAST_SERIES, [userId])
  const next = (last?.last ?? 0) + 1
  yield* SERIES.insert({
    user_id: userId,
    series_id: next,
    resource,
    type: type ?? '',
    provider,
    source_type: sourceType,
    app_id: origin.appId,
    device_id: origin.deviceId,
    kind: origin.kind,
  })
  return next
}

/** Returns a series' number, which is assigned on first use. */
export function* internSeries(userId: string, series: SeriesKey, origin: Origin): Steps<number> {
  return (yield* findSeries(userId, series, origin)).own ?? (yield* addSeries(userId, series, origin))
}

/**
 * Returns the series with the query's resource and provider, by origin and then by number, so that samples of one source at one time have the
 * same order whichever came first.
 */
export function* listSeries(userId: string, query: SampleQuery): Steps<NumberedSeries[]> {
  const { resource, provider } = query
  const rows =
    provider === null
      ? yield* many(SERIES_OF_RESOURCE, [userId, resource])
      : yield* many(SERIES_OF_PROVIDER, [userId, resource, provider])
  return rows.map(numbered).sort((a, b) => compareText(a.origin, b.origin) || a.id - b.id)
}

/** Returns all of a user's series, by number. */
export function* everySeries(userId: string): Steps<NumberedSeries[]> {
  return (yield* many(SERIES_OF_USER, [userId])).map(numbered)
}

/** Returns the key of a mixed series; null if the series is not mixed. Throws ServiceError `data_damaged` if it is damaged or missing. */
export function* mixedKey(userId: string, seriesId: number): Steps<SeriesKey | null> {
  const row = yield* one(SERIES_BY_ID, [userId, seriesId])
  if (!row) throw damaged({ what: `series ${seriesId}`, userId })
  return row.kind === MIXED_SERIES ? numbered(row).key : null
}

/** Returns the series with a given number. Throws ServiceError `data_damaged` if the series is damaged or missing. */
export function* seriesKey(userId: string, seriesId: number): Steps<SeriesKey> {
  const row = yield* one(SERIES_BY_ID, [userId, seriesId])
  if (!row) throw damaged({ what: `series ${seriesId}`, userId })
  return numbered(row).key
}

/** Returns the source and the origin of a series. Throws ServiceError `data_damaged` if the series is damaged or missing. */
export function* seriesByNumber(
  userId: string,
  seriesId: number,
): Steps<{ readonly key: SeriesKey; readonly origin: Origin }> {
  const row = yield* one(SERIES_BY_ID, [userId, seriesId])
  if (!row) throw damaged({ what: `series ${seriesId}`, userId })
  return { key: numbered(row).key, origin: { appId: row.app_id, deviceId: row.device_id, kind: row.kind } }
}

function numbered(row: SeriesRow): NumberedSeries {
  const { series_id: id, resource, type, provider, source_type: sourceType } = row
  const origin = originName({ appId: row.app_id, deviceId: row.device_id, kind: row.kind })
  return { id, origin, key: { resource, type: type === '' ? null : type, provider, sourceType } }
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
