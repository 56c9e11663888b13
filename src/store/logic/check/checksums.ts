/** Verifies the checksums of all rows with user data. */
import type { UserId } from '../../../core/ids.ts'
import type { StoreProblem } from '../../upkeep.ts'
import type { Database } from '../database.ts'
import type { CheckedRows, Stored } from '../rows/checked-rows.ts'
import { type ChunkData, SeriesChunks } from '../rows/chunk-data.ts'
import { CHECKED_ROWS, CHUNK_HEADS } from '../rows/tables.ts'
import type { SqlValue, Steps } from '../steps.ts'

/** A row's content: its columns, and for a chunk also its blob, which has its own checksum. */
export type OwnRow = Readonly<Record<string, SqlValue>>

/** How a database reads a table's rows directly. */
export interface StoredRows {
  /** Yields all rows, a few at a time, with one transaction each. Null stands for rows that cannot be read at all. */
  all(rows: CheckedRows<object>): AsyncIterable<readonly OwnRow[] | null>
  /** Returns the current version of a row, or undefined if the row has been removed since it was read. */
  again(rows: CheckedRows<object>, row: OwnRow): Steps<OwnRow | undefined>
}

export async function* checkChecksums(db: Database, stored: StoredRows): AsyncIterable<StoreProblem> {
  for (const rows of CHECKED_ROWS) {
    const what = rows.problems
    for await (const some of stored.all(rows)) {
      if (some === null) yield { what, userId: null, message: `a row of ${rows.table} cannot be read` }
      for (const row of some === null ? [] : await db.read(() => damagedAmong(stored, rows, some))) {
        const { what: name, userId } = rows.damageLocation(row)
        yield { what, userId: userId as UserId | null, message: `${name}: it differs from the data that was written` }
      }
    }
  }
}

/** Returns the damaged rows. A row that seems damaged is read again, because it may have been written or removed in the meantime. */
function* damagedAmong(stored: StoredRows, rows: CheckedRows<object>, some: readonly OwnRow[]): Steps<OwnRow[]> {
  const damaged: OwnRow[] = []
  for (const row of some) {
    if (yield* isSound(rows, row)) continue
    const now = yield* stored.again(rows, row)
    if (now !== undefined && !(yield* isSound(rows, now))) damaged.push(row)
  }
  return damaged
}

/** Returns whether a row is intact, including a chunk's blob. */
export function* isSound(rows: CheckedRows<object>, row: OwnRow): Steps<boolean> {
  if (!(yield* rows.isSound(row))) return false
  return rows !== CHUNK_HEADS || (yield* rowSeries(row).isSound(asChunkData(row)))
}

/** Returns a chunk row's series. */
export function rowSeries(row: OwnRow): SeriesChunks {
  return new SeriesChunks(`${row['user_id']}`, Number(row['series_id']))
}

/** Returns a chunk row's fields that describe its blob. */
export function asChunkData(row: OwnRow): ChunkData {
  return row as Stored<ChunkData & OwnRow>
}
