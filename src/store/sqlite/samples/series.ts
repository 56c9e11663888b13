/** Series as rows: what samples have in common, numbered within their user. */
import type { SeriesKey } from '../../../core/sample.ts'
import type { SampleQuery } from '../../port.ts'
import { damaged } from '../checksums/damage.ts'
import { SERIES, type SeriesRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'

export interface NumberedSeries {
  readonly id: number
  readonly key: SeriesKey
}

/** Returns the number of a series within its user, which is assigned at first use. Numbers ascend by one. */
export function internSeries(
  db: Connection,
  userId: string,
  series: SeriesKey,
): { readonly seriesId: number; readonly isNew: boolean } {
  const { resource, type, provider, sourceType } = series
  const tail = 'WHERE user_id=? AND resource=? AND type=? AND provider=? AND source_type=?'
  const found = SERIES.get(db, tail, userId, resource, type ?? '', provider, sourceType)
  if (found) return { seriesId: found.series_id, isNew: false }
  const last = db.get<{ last: number | null }>('SELECT max(series_id) AS last FROM series WHERE user_id=?', userId)
  const next = (last?.last ?? 0) + 1
  SERIES.insert(db, {
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
export function seriesOf(db: Connection, userId: string, query: SampleQuery): NumberedSeries[] {
  const { resource, provider } = query
  const [ofProvider, named] = provider === null ? ['', []] : ['AND provider=?', [provider]]
  return SERIES.all(db, `WHERE user_id=? AND resource=? ${ofProvider}`, userId, resource, ...named)
    .map(numbered)
    .sort((a, b) => a.id - b.id)
}

/** Returns all series of a user, by number. */
export function everySeries(db: Connection, userId: string): NumberedSeries[] {
  return SERIES.all(db, 'WHERE user_id=? ORDER BY series_id', userId).map(numbered)
}

/** Returns the series with a number. Throws ServiceError `data_damaged`, also if there is none. */
export function seriesKey(db: Connection, userId: string, seriesId: number): SeriesKey {
  const row = SERIES.get(db, 'WHERE user_id=? AND series_id=?', userId, seriesId)
  if (!row) throw damaged({ what: `series ${seriesId}`, userId })
  return numbered(row).key
}

function numbered({ series_id: id, resource, type, provider, source_type: sourceType }: SeriesRow): NumberedSeries {
  return { id, key: { resource, type: type === '' ? null : type, provider, sourceType } }
}
