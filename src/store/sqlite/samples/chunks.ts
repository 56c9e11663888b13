/** Chunks as rows: read with the figures beside the blob, and written with both checksums, inside the caller's transaction. */
import type { SampleColumns } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { encodeChunk } from '../../chunk/codec.ts'
import type { ChunkView } from '../../chunk/view.ts'
import type { Stored } from '../checksums/checked-rows.ts'
import { CHUNK_DATA, type ChunkData, SeriesChunks } from '../checksums/chunk-data.ts'
import { CHUNK_HEADS, type ChunkHeadRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'

/** A chunk as it is read to be written again. */
export interface WholeChunk {
  readonly start: EpochMs
  readonly span: number
  readonly rev: number
  readonly columns: ChunkView
}

const COLUMNS = `${CHUNK_HEADS.columns}, ${CHUNK_DATA}`

/** The chunks of a series that begin in [from, to], the first few. Throws ServiceError `data_damaged`. */
export function chunksBetween(
  connection: Connection,
  userId: string,
  seriesId: number,
  [from, to, most]: readonly [from: EpochMs, to: EpochMs, most: number],
): WholeChunk[] {
  const series = new SeriesChunks(connection, userId, seriesId)
  const rows = series.reading(from, () =>
    connection.all<Stored<ChunkHeadRow & ChunkData>>(
      `SELECT ${COLUMNS} FROM chunk
       WHERE user_id=? AND series_id=? AND chunk_start>=? AND chunk_start<=? ORDER BY chunk_start LIMIT ?`,
      userId,
      seriesId,
      from,
      to,
      most,
    ),
  )
  return rows.map(row => {
    const columns = series.view(row)
    if (!CHUNK_HEADS.isSound(connection, row)) throw series.damage(row.chunk_start)
    return { start: row.chunk_start, span: row.span, rev: row.rev, columns }
  })
}

/** How long the windows of a day are; undefined: the day has none. Throws ServiceError `data_damaged`. */
export function spanOfDay(connection: Connection, userId: string, seriesId: number, day: EpochMs, end: EpochMs) {
  const tail = 'WHERE user_id=? AND series_id=? AND chunk_start>=? AND chunk_start<? LIMIT 1'
  return CHUNK_HEADS.get(connection, tail, userId, seriesId, day, end)?.span
}

const INSERTION = `INSERT INTO chunk (user_id, series_id, chunk_start, span, n, first, last, min, max, sum, rev, data, data_checksum, checksum)
  VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)
  ON CONFLICT (user_id, series_id, chunk_start) DO UPDATE SET
    span=excluded.span, n=excluded.n, first=excluded.first, last=excluded.last, min=excluded.min, max=excluded.max,
    sum=excluded.sum, rev=excluded.rev, data=excluded.data, data_checksum=excluded.data_checksum, checksum=excluded.checksum`

/** Writes a chunk with the figures beside it, and answers its blob; columns hold at least one sample. */
export function putChunk(
  connection: Connection,
  userId: string,
  seriesId: number,
  start: number,
  span: number,
  rev: number,
  columns: SampleColumns,
): Uint8Array {
  const data = encodeChunk(columns)
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  let sum = 0
  for (let i = 0; i < columns.n; i++) {
    const value = columns.value[i] as number
    if (value < min) min = value
    if (value > max) max = value
    sum += value
  }
  const head: ChunkHeadRow = {
    user_id: userId,
    series_id: seriesId,
    chunk_start: start,
    span,
    n: columns.n,
    first: columns.start[0] as number,
    last: columns.start[columns.n - 1] as number,
    min,
    max,
    sum,
    rev,
  }
  connection.run(
    INSERTION,
    userId,
    seriesId,
    start,
    span,
    head.n,
    head.first,
    head.last,
    min,
    max,
    sum,
    rev,
    data,
    new SeriesChunks(connection, userId, seriesId).checksum(start, data),
    CHUNK_HEADS.seal(head),
  )
  return data
}
