/** Verifies the checksum of every row of user data and, on request, adds checksums to rows that have none yet. */
import type { UserId } from '../../../core/ids.ts'
import { type CheckedRows, mayLackChecksums, type Stored, UNCHECKED_ROWS } from '../../logic/rows/checked-rows.ts'
import { type ChunkData, SeriesChunks } from '../../logic/rows/chunk-data.ts'
import { CHECKED_ROWS } from '../../logic/rows/more-tables.ts'
import { CHUNK_HEADS } from '../../logic/rows/tables.ts'
import { command, one, query, run, type Steps } from '../../logic/steps.ts'
import type { StoreProblem } from '../../upkeep.ts'
import { type OwnRow, ownRows } from '../checksums/own-rows.ts'
import type { SqliteDatabase } from '../database.ts'
import { isWhole } from './whole-rows.ts'

/** What problems call the rows of a table; if absent, the name of the table. */
const KINDS: Readonly<Record<string, string>> = {
  import_before: 'import',
  lab_order: 'order',
  continuous_row: 'continuous_query',
  continuous_state: 'continuous_query',
  continuous_task: 'continuous_query',
}

const SEAL_BLOB = command('UPDATE chunk SET data_checksum=? WHERE rowid=?')

export async function* checkChecksums(db: SqliteDatabase): AsyncIterable<StoreProblem> {
  for (const rows of CHECKED_ROWS) {
    const what = KINDS[rows.table] ?? rows.table
    for await (const some of ownRows(db, rows)) {
      if (some === null) yield { what, userId: null, message: `a row of ${rows.table} cannot be read` }
      for (const row of some === null ? [] : await db.read(() => damagedAmong(rows, some))) {
        const { what: name, userId } = rows.placeOf(row)
        yield { what, userId: userId as UserId | null, message: `${name}: it differs from what was written` }
      }
    }
  }
}

/** Must run inside a read. A row that looks damaged is looked at again, because it may have been written or removed since it was read. */
function* damagedAmong(rows: CheckedRows<object>, some: readonly OwnRow[]): Steps<OwnRow[]> {
  const damaged: OwnRow[] = []
  for (const row of some) {
    if (yield* isSound(rows, row)) continue
    const now = yield* rowNumbered(rows, row.own_number)
    if (now !== undefined && !(yield* isSound(rows, now))) damaged.push(row)
  }
  return damaged
}

function* isSound(rows: CheckedRows<object>, row: OwnRow): Steps<boolean> {
  if (!(yield* rows.isSound(row))) return false
  return rows !== CHUNK_HEADS || (yield* blobsOf(row).isSound(dataOf(row)))
}

function* rowNumbered(rows: CheckedRows<object>, number: number): Steps<OwnRow | undefined> {
  const blob = rows === CHUNK_HEADS ? ', data, data_checksum' : ''
  const sql = `SELECT rowid AS own_number, ${rows.columns}${blob} FROM ${rows.table} WHERE rowid=?`
  return yield* one(query<OwnRow>(sql), [number])
}

/**
 * Adds a checksum to every intact row that has none, a few in each transaction, and yields how many there were. A row that is not intact
 * stays as it is, because a checksum would make it look sound.
 */
export async function* rewriteUnchecked(db: SqliteDatabase): AsyncIterable<number> {
  if (!(await db.read(() => mayLackChecksums()))) return
  let left = 0
  for (const rows of CHECKED_ROWS) {
    const isUnchecked = (row: OwnRow): boolean =>
      row[rows.checksum] === null || (rows === CHUNK_HEADS && row['data_checksum'] === null)
    for await (const some of ownRows(db, rows)) {
      const old = (some ?? []).filter(isUnchecked)
      if (some === null) left++
      if (old.length === 0) continue
      const done = await db.write(() => rewriteSome(rows, old))
      left += old.length - done
      yield done
    }
  }
  // from here on a missing checksum is damage
  if (left === 0) await db.write(() => db.run('DELETE FROM setting WHERE name=?', UNCHECKED_ROWS))
}

/** Returns how many of the rows have their checksum afterwards, or no longer exist. */
function* rewriteSome(rows: CheckedRows<object>, some: readonly OwnRow[]): Steps<number> {
  let done = 0
  for (const row of some) if (yield* rewrite(rows, row.own_number)) done++
  return done
}

/** Must run inside a write. Returns whether the row, as it is now, has its checksum or no longer exists. */
function* rewrite(rows: CheckedRows<object>, number: number): Steps<boolean> {
  const row = yield* rowNumbered(rows, number)
  if (!row) return true
  if (!(yield* isSound(rows, row)) || !isWhole(rows, row)) return false
  let changed = 1
  if (row[rows.checksum] === null) {
    const sql = `UPDATE ${rows.table} SET ${rows.checksum}=? WHERE rowid=?`
    changed = yield* run(command(sql), [rows.checksumOf(row), number])
  }
  if (rows === CHUNK_HEADS && row['data_checksum'] === null) {
    const { chunk_start: start, data } = dataOf(row)
    changed = yield* run(SEAL_BLOB, [blobsOf(row).checksum(start, data), number])
  }
  return changed > 0
}

function blobsOf(row: OwnRow): SeriesChunks {
  return new SeriesChunks(`${row['user_id']}`, Number(row['series_id']))
}

function dataOf(row: OwnRow): ChunkData {
  return row as Stored<ChunkData & OwnRow>
}
