/** Chunks as rows: read with the figures beside the blob, and written with both checksums, in the caller's transaction. */
import { type SampleColumns, startAt } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import { encodeChunk } from '../../chunk/codec.ts'
import { unpacked } from '../../chunk/view.ts'
import { mayLackChecksums } from '../checksums/checked-rows.ts'
import { type ChunkData, SeriesChunks } from '../checksums/chunk-data.ts'
import { CHUNK_HEADS, type ChunkHeadRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'

/** A chunk that is read in order to be written again. */
export interface WholeChunk {
  readonly start: EpochMs
  readonly span: number
  readonly rev: number
  readonly columns: SampleColumns
}

/** The columns that a chunk is read with in order to be written again. Its owner is known. */
interface WholeRow extends ChunkData, Omit<ChunkHeadRow, 'user_id' | 'series_id'> {
  readonly checksum: number | null
}

const WHOLE = `SELECT chunk_start, span, n, first, last, min, max, sum, rev, data, data_checksum, checksum FROM chunk
  WHERE user_id=? AND series_id=? AND`

/** The chunks of one series, as they are written again. Every method throws ServiceError `data_damaged`. */
export class WholeChunks {
  private readonly db: Connection
  private readonly userId: string
  private readonly seriesId: number
  private readonly blobs: SeriesChunks

  constructor(db: Connection, userId: string, seriesId: number) {
    this.db = db
    this.userId = userId
    this.seriesId = seriesId
    this.blobs = new SeriesChunks(db, userId, seriesId)
  }

  /** Returns the chunk that begins at a time. */
  at(start: EpochMs): WholeChunk | undefined {
    return this.one(`${WHOLE} chunk_start=?`, start)
  }

  /** Returns the chunk at or before a time on its day, otherwise any chunk of the day: all of them have windows of the same length. */
  ofDay(day: EpochMs, time: EpochMs): WholeChunk | undefined {
    return (
      this.one(`${WHOLE} chunk_start<=? AND chunk_start>=? ORDER BY chunk_start DESC LIMIT 1`, time, day) ??
      this.one(`${WHOLE} chunk_start>? AND chunk_start<? ORDER BY chunk_start LIMIT 1`, time, day + DAY_MS)
    )
  }

  /** Yields all chunks that may hold samples of [from, to], one in memory at a time. */
  *between(from: EpochMs, to: EpochMs): Generator<WholeChunk> {
    for (let start = this.blobs.first(from, to); start !== undefined; start = this.blobs.next(start, to)) {
      const chunk = this.at(start)
      if (!chunk) throw this.blobs.damage(start)
      yield chunk
    }
  }

  private one(sql: string, ...bounds: readonly [EpochMs, ...EpochMs[]]): WholeChunk | undefined {
    const { db, userId, seriesId, blobs } = this
    const row = blobs.reading(bounds[0], () => db.get<WholeRow>(sql, userId, seriesId, ...bounds))
    if (!row) return undefined
    const columns = unpacked(blobs.view(row))
    if (!this.isHeadSound(row)) throw blobs.damage(row.chunk_start)
    return { start: row.chunk_start, span: row.span, rev: row.rev, columns }
  }

  private isHeadSound(row: WholeRow): boolean {
    const { chunk_start, span, n, first, last, min, max, sum, rev, checksum } = row
    if (checksum === null) return mayLackChecksums(this.db)
    const values = [this.userId, this.seriesId, chunk_start, span, n, first, last, min, max, sum, rev]
    return CHUNK_HEADS.checksumOfValues(values) === checksum
  }
}

const INSERTION = `INSERT INTO chunk (user_id, series_id, chunk_start, span, n, first, last, min, max, sum, rev, data, data_checksum, checksum)
  VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)
  ON CONFLICT (user_id, series_id, chunk_start) DO UPDATE SET
    span=excluded.span, n=excluded.n, first=excluded.first, last=excluded.last, min=excluded.min, max=excluded.max,
    sum=excluded.sum, rev=excluded.rev, data=excluded.data, data_checksum=excluded.data_checksum, checksum=excluded.checksum`

/** Writes a chunk with the figures beside it, and returns its blob. The columns must hold at least one sample. */
export function putChunk(
  db: Connection,
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
    const value = columns.value[i] as number // unchecked, because the loop is hot
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
    first: startAt(columns, 0),
    last: startAt(columns, columns.n - 1),
    min,
    max,
    sum,
    rev,
  }
  db.run(
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
    new SeriesChunks(db, userId, seriesId).checksum(start, data),
    CHUNK_HEADS.seal(head),
  )
  return data
}
