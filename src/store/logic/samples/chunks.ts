/** Reads and writes chunks as rows, with their blobs' figures and both checksums, in the caller's transaction. */
import { type SampleColumns, startAt } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import { encodeChunk } from '../../chunk/codec.ts'
import { buildColumns } from '../../chunk/view.ts'
import { dayStart } from '../../chunk/windows.ts'
import { mayLackChecksums } from '../rows/checked-rows.ts'
import { type ChunkData, SeriesChunks } from '../rows/chunk-data.ts'
import { CHUNK_HEADS, type ChunkHeadRow } from '../rows/tables.ts'
import { command, type Expected, one, type Query, query, run, type Steps, sendCounted } from '../steps.ts'
import { rememberedColumns } from './recent-chunks.ts'

/** A chunk that is read so that it can be written again. */
export interface WholeChunk {
  readonly start: EpochMs
  readonly span: number
  readonly rev: number
  readonly columns: SampleColumns
}

/** The columns of a chunk that are needed to write it again. Its owner is known. */
interface WholeRow extends ChunkData, Omit<ChunkHeadRow, 'user_id' | 'series_id'> {
  readonly checksum: number | null
}

const WHOLE = `SELECT chunk_start, span, n, first, last, min, max, sum, rev, data, data_checksum, checksum FROM chunk
  WHERE user_id=? AND series_id=? AND`
const WHOLE_AT = query<WholeRow>(`${WHOLE} chunk_start=?`)
const LAST_WHOLE = query<WholeRow>(`${WHOLE} chunk_start<=? AND chunk_start>=? ORDER BY chunk_start DESC LIMIT 1`)
const NEXT_WHOLE = query<WholeRow>(`${WHOLE} chunk_start>? AND chunk_start<? ORDER BY chunk_start LIMIT 1`)

/** Maximum number of days that are queried together. For a write with more days, they are queried one by one. */
const MOST_DAYS = 32

/** Returns the queries that a sample write makes for the chunks on its days. */
export function expectedChunks(userId: string, seriesId: number, starts: Float64Array): Expected[] {
  const firsts = new Map<EpochMs, EpochMs>()
  let day = Number.NaN
  let earliest = Number.NaN
  for (const start of starts) {
    // most samples are on the same day as the previous one, and later
    if (start >= earliest && start < day + DAY_MS) continue
    day = dayStart(start)
    const first = firsts.get(day)
    if (first === undefined && firsts.size === MOST_DAYS) break
    earliest = first === undefined || start < first ? start : first
    firsts.set(day, earliest)
  }
  return Array.from(firsts).flatMap(([day, first]) => [
    { statement: LAST_WHOLE, values: [userId, seriesId, first, day] },
    // a single sample usually belongs to a day that already has samples
    ...(starts.length > 1 ? [{ statement: NEXT_WHOLE, values: [userId, seriesId, first, day + DAY_MS] }] : []),
  ])
}

/** The chunks of one series, read so that they can be written again. Every method throws ServiceError `data_damaged`. */
export class WholeChunks {
  private readonly userId: string
  private readonly seriesId: number
  private readonly blobs: SeriesChunks

  constructor(userId: string, seriesId: number) {
    this.userId = userId
    this.seriesId = seriesId
    this.blobs = new SeriesChunks(userId, seriesId)
  }

  /** Returns the chunk that begins at the given time, or undefined if there is none. */
  at(start: EpochMs): Steps<WholeChunk | undefined> {
    return this.one(WHOLE_AT, [start])
  }

  /**
   * Returns the day's last chunk that begins at or before a time, or otherwise any chunk of the day, because all of them have windows of
   * the same length.
   */
  *ofDay(day: EpochMs, time: EpochMs): Steps<WholeChunk | undefined> {
    return (yield* this.one(LAST_WHOLE, [time, day])) ?? (yield* this.one(NEXT_WHOLE, [time, day + DAY_MS]))
  }

  /** Returns the start times of all chunks that may contain samples in [from, to]. Reads only the index. */
  *starts(from: EpochMs, to: EpochMs): Steps<EpochMs[]> {
    const starts: EpochMs[] = []
    for (
      let start = yield* this.blobs.first(from, to);
      start !== undefined;
      start = yield* this.blobs.next(start, to)
    ) {
      starts.push(start)
    }
    return starts
  }

  /** Returns the chunk with one of these start times. */
  *listed(start: EpochMs): Steps<WholeChunk> {
    const chunk = yield* this.at(start)
    if (!chunk) throw yield* this.blobs.damage(start)
    return chunk
  }

  private *one(statement: Query<WholeRow>, bounds: readonly [EpochMs, ...EpochMs[]]): Steps<WholeChunk | undefined> {
    const { userId, seriesId, blobs } = this
    const row = yield* blobs.reading(bounds[0], one(statement, [userId, seriesId, ...bounds]))
    if (!row) return undefined
    const view = blobs.viewNow(row) ?? (yield* blobs.view(row))
    const columns = rememberedColumns(userId, seriesId, row.chunk_start, row.data) ?? buildColumns(view)
    const isSound = row.checksum === null ? yield* mayLackChecksums() : row.checksum === this.headChecksum(row)
    if (!isSound) throw yield* blobs.damage(row.chunk_start)
    return { start: row.chunk_start, span: row.span, rev: row.rev, columns }
  }

  private headChecksum({ chunk_start, span, n, first, last, min, max, sum, rev }: WholeRow): number {
    const values = [this.userId, this.seriesId, chunk_start, span, n, first, last, min, max, sum, rev]
    return CHUNK_HEADS.checksumOfValues(values)
  }
}

/**
 * Thrown if a chunk was changed after it was read and before it was written again. The transaction can be repeated. Cannot occur in a store
 * that runs transactions one after another.
 */
export class StaleChunk extends Error {
  constructor(seriesId: number, start: EpochMs) {
    super(`the chunk of series ${seriesId} at ${start} has changed since it was read`)
  }
}

/** Replaces a chunk only if it has not changed since it was read, so that the new `rev` is exactly one higher. */
const PUT_CHUNK = command(
  dialect => `INSERT INTO chunk (user_id, series_id, chunk_start, span, n, first, last, min, max, sum, rev, data, data_checksum, checksum)
  VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)
  ON CONFLICT (user_id, series_id, chunk_start) DO UPDATE SET
    span=excluded.span, n=excluded.n, first=excluded.first, last=excluded.last, min=excluded.min, max=excluded.max,
    sum=excluded.sum, rev=excluded.rev, data=excluded.data, data_checksum=excluded.data_checksum, checksum=excluded.checksum
    WHERE ${dialect.unlessStale('chunk.rev=excluded.rev-1')}`,
)

/** Returns the sum to store with a chunk: null if it is beyond the range of a double, because not every database can store infinity. */
export function storedSum(sum: number): number | null {
  return Number.isFinite(sum) ? sum : null
}

/**
 * Writes a chunk with its figures, and returns its blob. The columns must contain at least one sample. `rev` is 1 for a new chunk, and
 * otherwise one higher than in the chunk that was read. Throws StaleChunk if the chunk in the store has since changed.
 */
export function* putChunk(
  userId: string,
  seriesId: number,
  start: number,
  span: number,
  rev: number,
  columns: SampleColumns,
): Steps<Uint8Array> {
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
    sum: storedSum(sum),
    rev,
  }
  const { n, first, last } = head
  const checksums = [new SeriesChunks(userId, seriesId).checksum(start, data), CHUNK_HEADS.seal(head)]
  const values = [userId, seriesId, start, span, n, first, last, min, max, head.sum, rev, data, ...checksums]
  // the number of rows is undefined if it is not awaited; in that case, the statement itself fails
  const written = yield* sendCounted(PUT_CHUNK, values)
  if (written === 0) throw new StaleChunk(seriesId, start)
  return data
}

const REMOVE_CHUNK = command('DELETE FROM chunk WHERE user_id=? AND series_id=? AND chunk_start=? AND rev=?')

/** Removes a chunk that was read. Throws StaleChunk if the chunk in the store has since changed. */
export function* removeChunk(userId: string, seriesId: number, { start, rev }: WholeChunk): Steps<void> {
  const removed = yield* run(REMOVE_CHUNK, [userId, seriesId, start, rev])
  if (removed === 0) throw new StaleChunk(seriesId, start)
}
