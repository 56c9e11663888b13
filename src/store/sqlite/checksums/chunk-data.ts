/** Blobs of chunks, which are verified before they are unpacked. That costs little more than adding up their bytes. */
import { crc32 } from 'node:zlib'
import { resourceNamed } from '../../../catalogue/resources.ts'
import type { ServiceError } from '../../../core/errors.ts'
import { type EpochMs, formatDate } from '../../../core/time.ts'
import { ChunkView } from '../../chunk/view.ts'
import { dayOf, SHORTEST_SPAN_MS } from '../../chunk/windows.ts'
import type { Connection } from '../connection.ts'
import { mayLackChecksums, userIdIn } from './checked-rows.ts'
import { damaged, isDamage } from './damage.ts'

/** The columns that a blob is read with. */
export interface ChunkData {
  readonly chunk_start: number
  readonly data: Uint8Array
  readonly data_checksum: number | null
}

export const CHUNK_DATA = 'chunk_start, data, data_checksum'

/** Returns the checksum of a blob in its place, for callers that have the row but no database. */
export function blobChecksum(userId: string, seriesId: number, start: EpochMs, data: Uint8Array): number {
  return sumOf(ownerOf(userId, seriesId), start, data)
}

function ownerOf(userId: string, seriesId: number): number {
  return crc32(userId) + Math.imul(seriesId, 0x9e37_79b1)
}

function sumOf(owner: number, start: EpochMs, data: Uint8Array): number {
  return crc32(data, (owner + Math.imul(start / SHORTEST_SPAN_MS, 0x85eb_ca6b)) >>> 0) | 0
}

/** The chunks of one series. The checksum of a blob begins with its key, so that a blob found in the place of another counts as damaged. */
export class SeriesChunks {
  private readonly db: Connection
  private readonly userId: string
  private readonly seriesId: number
  private readonly owner: number

  constructor(db: Connection, userId: string, seriesId: number) {
    this.db = db
    this.userId = userId
    this.seriesId = seriesId
    this.owner = ownerOf(userId, seriesId)
  }

  checksum(start: EpochMs, data: Uint8Array): number {
    return sumOf(this.owner, start, data)
  }

  isSound({ chunk_start: start, data, data_checksum: kept }: ChunkData): boolean {
    if (!(data instanceof Uint8Array)) return false
    if (kept !== null) return kept === this.checksum(start, data)
    return mayLackChecksums(this.db) && this.isAtItsPlace(start)
  }

  /** Returns the samples of a row once it is verified. Throws ServiceError `data_damaged`. */
  view(row: ChunkData): ChunkView {
    if (!this.isSound(row)) throw this.damage(row.chunk_start)
    try {
      const view = new ChunkView(row.data)
      if (row.data_checksum === null) view.validate()
      return view
    } catch {
      throw this.damage(row.chunk_start)
    }
  }

  /** Returns the chunk that begins at a time, or undefined if there is none. Throws ServiceError `data_damaged`. */
  at(start: EpochMs): ChunkView | undefined {
    const sql = `SELECT ${CHUNK_DATA} FROM chunk WHERE user_id=? AND series_id=? AND chunk_start=?`
    const row = this.reading(start, () => this.db.get<ChunkData>(sql, this.userId, this.seriesId, start))
    return row && this.view(row)
  }

  /** Returns the first chunks that begin in [from, to], at most `most` of them. Throws ServiceError `data_damaged`. */
  between(from: EpochMs, to: EpochMs, most: number): { readonly start: EpochMs; readonly view: ChunkView }[] {
    const sql = `SELECT ${CHUNK_DATA} FROM chunk
      WHERE user_id=? AND series_id=? AND chunk_start>=? AND chunk_start<=? ORDER BY chunk_start LIMIT ?`
    const rows = this.reading(from, () => this.db.all<ChunkData>(sql, this.userId, this.seriesId, from, to, most))
    return rows.map(row => ({ start: row.chunk_start, view: this.view(row) }))
  }

  /**
   * Returns the start of the first chunk that may hold a sample at or after `from`, or undefined if none begins at or before `to`. Only the
   * index is read, so that a damaged row cannot leave itself out.
   */
  first(from: EpochMs, to = Number.MAX_SAFE_INTEGER): EpochMs | undefined {
    const before = this.place('chunk_start<=? AND chunk_start>=? ORDER BY chunk_start DESC', from, dayOf(from))
    return before ?? this.place('chunk_start>? AND chunk_start<=? ORDER BY chunk_start', from, to)
  }

  /** Returns the start of the chunk after that. Here, too, only the index is read. */
  next(start: EpochMs, to = Number.MAX_SAFE_INTEGER): EpochMs | undefined {
    const next = this.place('chunk_start>? AND chunk_start<=? ORDER BY chunk_start', start, to)
    if (next !== undefined && next <= start) throw this.damage(start)
    return next
  }

  damage(start: EpochMs): ServiceError {
    return damaged({ what: `samples of ${this.name()} on ${dateOf(start)}`, userId: userIdIn(this.userId) })
  }

  private place(tail: string, ...bounds: readonly [number, number]): EpochMs | undefined {
    const sql = `SELECT chunk_start FROM chunk WHERE user_id=? AND series_id=? AND ${tail} LIMIT 1`
    return this.db.get<{ chunk_start: number }>(sql, this.userId, this.seriesId, ...bounds)?.chunk_start
  }

  /** Runs a read of blobs. What SQLite reports about damaged pages becomes damage of this place. */
  reading<T>(start: EpochMs, read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw isDamage(error) ? this.damage(start) : error
    }
  }

  /** Returns the resource, or the number of the series if its row is damaged too. */
  private name(): string {
    const sql = 'SELECT resource FROM series WHERE user_id=? AND series_id=?'
    try {
      const resource = this.db.get<{ resource: string }>(sql, this.userId, this.seriesId)?.resource ?? ''
      return resourceNamed(resource) ? resource : `series ${this.seriesId}`
    } catch {
      return `series ${this.seriesId}`
    }
  }

  /** Returns whether a row from before checksums existed holds the key under which the index lists it. */
  private isAtItsPlace(start: EpochMs): boolean {
    const sql = `SELECT 1 FROM (SELECT rowid AS id FROM chunk WHERE user_id=? AND series_id=? AND chunk_start=?) AS found
      CROSS JOIN chunk AS own ON own.rowid=found.id WHERE own.user_id=? AND own.series_id=? AND own.chunk_start=?`
    const key = [this.userId, this.seriesId, start]
    return this.db.get(sql, ...key, ...key) !== undefined
  }
}

function dateOf(start: EpochMs): string {
  return Math.abs(start) <= 8.64e15 ? formatDate(start) : 'an invalid day'
}
