/** Stores series as rows. A series contains the fields that its samples share, and is numbered within its user. */
import type { SeriesKey } from '../../../core/sample.ts'
import type { SampleQuery } from '../../sample.ts'
import { damaged } from '../rows/damage.ts'
import { SERIES, type SeriesRow } from '../rows/tables.ts'
import { type Expected, facts, many, one, query, type Steps } from '../steps.ts'

export interface NumberedSeries {
  readonly id: number
  readonly key: SeriesKey
}

const FIND_SERIES = SERIES.query('WHERE user_id=? AND resource=? AND type=? AND provider=? AND source_type=?')
const SERIES_BY_ID = SERIES.query('WHERE user_id=? AND series_id=?')
const SERIES_OF_RESOURCE = SERIES.query('WHERE user_id=? AND resource=?')
const SERIES_OF_PROVIDER = SERIES.query('WHERE user_id=? AND resource=? AND provider=?')
const SERIES_OF_USER = SERIES.query('WHERE user_id=? ORDER BY series_id')
const LAST_SERIES = query<{ readonly last: number | null }>('SELECT max(series_id) AS last FROM series WHERE user_id=?')

/** Numbers of recently written series, used only as a hint for later queries. */
const recent = new Map<string, number>()
const MOST_RECENT = 10_000

/** Returns the first query of a write to a series, with the series' last known number, if any. */
export function expectedSeries(
  userId: string,
  series: SeriesKey,
): { readonly asks: Expected; readonly number: number | undefined } {
  const asks = { statement: FIND_SERIES, values: [userId, ...seriesNames(series)] }
  return { asks, number: recent.get(cacheKey(userId, series)) }
}

function seriesNames({ resource, type, provider, sourceType }: SeriesKey): string[] {
  return [resource, type ?? '', provider, sourceType]
}

function cacheKey(userId: string, series: SeriesKey): string {
  return [userId, ...seriesNames(series)].join('\n')
}

/** Returns a series' number within its user, which is assigned on first use. Numbers increase by one. */
export function* internSeries(
  userId: string,
  series: SeriesKey,
): Steps<{ readonly seriesId: number; readonly isNew: boolean }> {
  const { resource, type, provider, sourceType } = series
  const found = yield* one(FIND_SERIES, [userId, ...seriesNames(series)])
  if (found) {
    if ((yield* facts()).isRemote) {
      if (recent.size >= MOST_RECENT) recent.clear()
      recent.set(cacheKey(userId, series), found.series_id)
    }
    return { seriesId: found.series_id, isNew: false }
  }
  const last = yield* one(LAST_SERIES, [userId])
  const next = (last?.last ?? 0) + 1
  yield* SERIES.insert({
    user_id: userId,
    series_id: next,
    resource,
    type: type ?? '',
    provider,
    source_type: sourceType,
  })
  return { seriesId: next, isNew: true }
}

/** Returns the series with the query's resource and provider, by number. */
export function* listSeries(userId: string, query: SampleQuery): Steps<NumberedSeries[]> {
  const { resource, provider } = query
  const rows =
    provider === null
      ? yield* many(SERIES_OF_RESOURCE, [userId, resource])
      : yield* many(SERIES_OF_PROVIDER, [userId, resource, provider])
  return rows.map(numbered).sort((a, b) => a.id - b.id)
}

/** Returns all of a user's series, by number. */
export function* everySeries(userId: string): Steps<NumberedSeries[]> {
  return (yield* many(SERIES_OF_USER, [userId])).map(numbered)
}

/** Returns the series with a given number. Throws ServiceError `data_damaged` if the series is damaged or missing. */
export function* seriesKey(userId: string, seriesId: number): Steps<SeriesKey> {
  const row = yield* one(SERIES_BY_ID, [userId, seriesId])
  if (!row) throw damaged({ what: `series ${seriesId}`, userId })
  return numbered(row).key
}

function numbered({ series_id: id, resource, type, provider, source_type: sourceType }: SeriesRow): NumberedSeries {
  return { id, key: { resource, type: type === '' ? null : type, provider, sourceType } }
}
