/** Reads the blobs of chunks. They are verified before they are unpacked, which costs little more than adding up their bytes. */
import { crc32 } from 'node:zlib'
import { resourceNamed } from '../../../catalogue/resources.ts'
import type { ServiceError } from '../../../core/errors.ts'
import { type EpochMs, formatDate } from '../../../core/time.ts'
import { ChunkView } from '../../chunk/view.ts'
import { dayStart, SHORTEST_SPAN_MS } from '../../chunk/windows.ts'
import { exists, many, one, query, type Steps, UnreadableRows } from '../steps.ts'
import { mayLackChecksums, userIdIn } from './checked-rows.ts'
import { damaged } from './damage.ts'

/** Columns that are read with a blob. */
export interface ChunkData {
  readonly chunk_start: number
  readonly data: Uint8Array
  readonly data_checksum: number | null
}

const CHUNK_DATA = 'chunk_start, data, data_checksum'
const OF_SERIES = 'FROM chunk WHERE user_id=? AND series_id=? AND'
const CHUNK_AT = query<ChunkData>(`SELECT ${CHUNK_DATA} ${OF_SERIES} chunk_start=?`)
const CHUNKS_BETWEEN = query<ChunkData>(
  `SELECT ${CHUNK_DATA} ${OF_SERIES} chunk_start>=? AND chunk_start<=? ORDER BY chunk_start LIMIT ?`,
)

interface ChunkPosition {
  readonly chunk_start: number
}

const LAST_POSITION = query<ChunkPosition>(
  `SELECT chunk_start ${OF_SERIES} chunk_start<=? AND chunk_start>=? ORDER BY chunk_start DESC LIMIT 1`,
)
const NEXT_POSITION = query<ChunkPosition>(
  `SELECT chunk_start ${OF_SERIES} chunk_start>? AND chunk_start<=? ORDER BY chunk_start LIMIT 1`,
)
const OWN_POSITION = query(dialect => dialect.ownRow('chunk', ['user_id', 'series_id', 'chunk_start']))
const RESOURCE = query<{ readonly resource: string }>('SELECT resource FROM series WHERE user_id=? AND series_id=?')

/** Returns a blob's checksum at its position, for callers that have the row but no database. */
export function blobChecksum(userId: string, seriesId: number, start: EpochMs, data: Uint8Array): number {
  return chunkChecksum(ownerChecksum(userId, seriesId), start, data)
}

function ownerChecksum(userId: string, seriesId: number): number {
  return crc32(userId) + Math.imul(seriesId, 0x9e37_79b1)
}

function chunkChecksum(owner: number, start: EpochMs, data: Uint8Array): number {
  return crc32(data, (owner + Math.imul(start / SHORTEST_SPAN_MS, 0x85eb_ca6b)) >>> 0) | 0
}

/** The chunks of one series. A blob's checksum includes its key, so that a blob in the position of another one counts as damaged. */
export class SeriesChunks {
  private readonly userId: string
  private readonly seriesId: number
  private readonly owner: number

  constructor(userId: string, seriesId: number) {
    this.userId = userId
    this.seriesId = seriesId
    this.owner = ownerChecksum(userId, seriesId)
  }

  checksum(start: EpochMs, data: Uint8Array): number {
    return chunkChecksum(this.owner, start, data)
  }

  *isSound({ chunk_start: start, data, data_checksum: kept }: ChunkData): Steps<boolean> {
    if (!(data instanceof Uint8Array)) return false
    if (kept !== null) return kept === this.checksum(start, data)
    return (yield* mayLackChecksums()) && (yield* this.isAtOwnPosition(start))
  }

  /** Returns the samples in an intact row, or undefined if the row needs a further check (`view`). */
  viewNow({ chunk_start: start, data, data_checksum: kept }: ChunkData): ChunkView | undefined {
    if (kept === null || !(data instanceof Uint8Array) || kept !== this.checksum(start, data)) return undefined
    try {
      return new ChunkView(data)
    } catch {
      return undefined
    }
  }

  /** Returns the samples in a row after verifying it. Throws ServiceError `data_damaged`. */
  *view(row: ChunkData): Steps<ChunkView> {
    if (!(yield* this.isSound(row))) throw yield* this.damage(row.chunk_start)
    try {
      const view = new ChunkView(row.data)
      if (row.data_checksum === null) view.validate()
      return view
    } catch {
      throw yield* this.damage(row.chunk_start)
    }
  }

  /** Returns the chunk that begins at the given time, or undefined if there is none. Throws ServiceError `data_damaged`. */
  *at(start: EpochMs): Steps<ChunkView | undefined> {
    const row = yield* this.reading(start, one(CHUNK_AT, [this.userId, this.seriesId, start]))
    return row && (this.viewNow(row) ?? (yield* this.view(row)))
  }

  /** Returns the first chunks that begin in [from, to], at most `most` of them. Throws ServiceError `data_damaged`. */
  *between(from: EpochMs, to: EpochMs, most: number): Steps<{ readonly start: EpochMs; readonly view: ChunkView }[]> {
    const rows = yield* this.reading(from, many(CHUNKS_BETWEEN, [this.userId, this.seriesId, from, to, most]))
    const chunks: { readonly start: EpochMs; readonly view: ChunkView }[] = []
    for (const row of rows) {
      const view = this.viewNow(row) ?? (yield* this.view(row))
      chunks.push({ start: row.chunk_start, view })
    }
    return chunks
  }

  /**
   * Returns the start of the first chunk that may contain a sample at or after `from`, or undefined if no chunk begins at or before `to`.
   * Reads only the index, so that a damaged row is not skipped.
   */
  *first(from: EpochMs, to = Number.MAX_SAFE_INTEGER): Steps<EpochMs | undefined> {
    const before = yield* one(LAST_POSITION, [this.userId, this.seriesId, from, dayStart(from)])
    return before?.chunk_start ?? (yield* this.positionAfter(from, to))
  }

  /** Returns the start of the next chunk. Also reads only the index. */
  *next(start: EpochMs, to = Number.MAX_SAFE_INTEGER): Steps<EpochMs | undefined> {
    const next = yield* this.positionAfter(start, to)
    if (next !== undefined && next <= start) throw yield* this.damage(start)
    return next
  }

  *damage(start: EpochMs): Steps<ServiceError> {
    const what = `samples of ${yield* this.name()} on ${formatStart(start)}`
    return damaged({ what, userId: userIdIn(this.userId) })
  }

  /** Runs a read of blobs. If the database finds damaged pages, reports damage at this position. */
  *reading<T>(start: EpochMs, read: Steps<T>): Steps<T> {
    try {
      return yield* read
    } catch (error) {
      throw error instanceof UnreadableRows ? yield* this.damage(start) : error
    }
  }

  private *positionAfter(start: EpochMs, to: EpochMs): Steps<EpochMs | undefined> {
    return (yield* one(NEXT_POSITION, [this.userId, this.seriesId, start, to]))?.chunk_start
  }

  /** Returns the resource, or the series number if the row of the series is damaged too. */
  private *name(): Steps<string> {
    try {
      const resource = (yield* one(RESOURCE, [this.userId, this.seriesId]))?.resource ?? ''
      return resourceNamed(resource) ? resource : `series ${this.seriesId}`
    } catch {
      return `series ${this.seriesId}`
    }
  }

  /** Returns whether a row written before checksums existed has the key under which the index lists it. */
  private *isAtOwnPosition(start: EpochMs): Steps<boolean> {
    const key = [this.userId, this.seriesId, start]
    return yield* exists(OWN_POSITION, [...key, ...key])
  }
}

function formatStart(start: EpochMs): string {
  return Math.abs(start) <= 8.64e15 ? formatDate(start) : 'an invalid day'
}
