/** Series as rows: what samples have in common, numbered within their user. */
import type { SeriesKey } from '../../../core/sample.ts'
import type { SampleQuery } from '../../port.ts'
import type { Connection } from '../connection.ts'

/** A row of the table, without its user. */
interface SeriesRow {
  readonly series_id: number
  readonly resource: string
  readonly type: string
  readonly provider: string
  readonly source_type: string
}

export interface NumberedSeries {
  readonly id: number
  readonly key: SeriesKey
}

const COLUMNS = 'series_id, resource, type, provider, source_type'

/** Number of a series within its user, made at first use. Numbers ascend by one. */
export function internSeries(
  connection: Connection,
  userId: string,
  series: SeriesKey,
): { readonly seriesId: number; readonly isNew: boolean } {
  const found = connection.get<{ series_id: number }>(
    'SELECT series_id FROM series WHERE user_id=? AND resource=? AND type=? AND provider=? AND source_type=?',
    userId,
    series.resource,
    series.type ?? '',
    series.provider,
    series.sourceType,
  )
  if (found) return { seriesId: found.series_id, isNew: false }
  const last = connection.get<{ last: number | null }>(
    'SELECT max(series_id) AS last FROM series WHERE user_id=?',
    userId,
  )
  const next = (last?.last ?? 0) + 1
  connection.run(
    `INSERT INTO series (user_id, ${COLUMNS}) VALUES (?,?,?,?,?,?)`,
    userId,
    next,
    series.resource,
    series.type ?? '',
    series.provider,
    series.sourceType,
  )
  return { seriesId: next, isNew: true }
}

/** The series of a query's resource and provider, by number. */
export function seriesOf(connection: Connection, userId: string, query: SampleQuery): NumberedSeries[] {
  return connection
    .all<SeriesRow>(
      `SELECT ${COLUMNS} FROM series WHERE user_id=? AND resource=? AND (? IS NULL OR provider=?) ORDER BY series_id`,
      userId,
      query.resource,
      query.provider,
      query.provider,
    )
    .map(numbered)
}

/** All series of a user, by number. */
export function everySeries(connection: Connection, userId: string): NumberedSeries[] {
  return connection
    .all<SeriesRow>(`SELECT ${COLUMNS} FROM series WHERE user_id=? ORDER BY series_id`, userId)
    .map(numbered)
}

/** The series of a number. Throws when there is none: that is damage. */
export function seriesKey(connection: Connection, userId: string, seriesId: number): SeriesKey {
  const row = connection.get<SeriesRow>(
    `SELECT ${COLUMNS} FROM series WHERE user_id=? AND series_id=?`,
    userId,
    seriesId,
  )
  if (!row) throw new Error(`series ${seriesId} is gone`)
  return numbered(row).key
}

function numbered({ series_id: id, resource, type, provider, source_type: sourceType }: SeriesRow): NumberedSeries {
  return { id, key: { resource, type: type === '' ? null : type, provider, sourceType } }
}
