/** Verifies the checksum of every row of user data and, on request, adds checksums to rows that have none yet. */
import type { UserId } from '../../../core/ids.ts'
import type { StoreProblem } from '../../upkeep.ts'
import { type CheckedRows, mayLackChecksums, type Stored, UNCHECKED_ROWS } from '../checksums/checked-rows.ts'
import { type ChunkData, SeriesChunks } from '../checksums/chunk-data.ts'
import { CHECKED_ROWS } from '../checksums/more-tables.ts'
import { type OwnRow, ownRows } from '../checksums/own-rows.ts'
import { CHUNK_HEADS } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { isWhole } from './whole-rows.ts'

/** What problems call the rows of a table; if absent, the name of the table. */
const KINDS: Readonly<Record<string, string>> = {
  import_before: 'import',
  lab_order: 'order',
  continuous_row: 'continuous_query',
  continuous_state: 'continuous_query',
  continuous_task: 'continuous_query',
}

export async function* checkChecksums(db: Connection): AsyncIterable<StoreProblem> {
  for (const rows of CHECKED_ROWS) {
    const what = KINDS[rows.table] ?? rows.table
    for await (const some of ownRows(db, rows)) {
      if (some === null) yield { what, userId: null, message: `a row of ${rows.table} cannot be read` }
      for (const row of some === null ? [] : await db.read(() => damagedAmong(db, rows, some))) {
        const { what: name, userId } = rows.placeOf(row)
        yield { what, userId: userId as UserId | null, message: `${name}: it differs from what was written` }
      }
    }
  }
}

/** Must run inside a read. A row that looks damaged is looked at again, because it may have been written or removed since it was read. */
function damagedAmong(db: Connection, rows: CheckedRows<object>, some: readonly OwnRow[]): OwnRow[] {
  return some.filter(row => {
    if (isSound(db, rows, row)) return false
    const now = rowNumbered(db, rows, row.own_number)
    return now !== undefined && !isSound(db, rows, now)
  })
}

function isSound(db: Connection, rows: CheckedRows<object>, row: OwnRow): boolean {
  if (!rows.isSound(db, row)) return false
  return rows !== CHUNK_HEADS || blobsOf(db, row).isSound(dataOf(row))
}

function rowNumbered(db: Connection, rows: CheckedRows<object>, number: number): OwnRow | undefined {
  const blob = rows === CHUNK_HEADS ? ', data, data_checksum' : ''
  return db.get<OwnRow>(`SELECT rowid AS own_number, ${rows.columns}${blob} FROM ${rows.table} WHERE rowid=?`, number)
}

/**
 * Adds a checksum to every intact row that has none, a few in each transaction, and yields how many there were. A row that is not intact
 * stays as it is, because a checksum would make it look sound.
 */
export async function* rewriteUnchecked(db: Connection): AsyncIterable<number> {
  if (!(await db.read(() => mayLackChecksums(db)))) return
  let left = 0
  for (const rows of CHECKED_ROWS) {
    const isUnchecked = (row: OwnRow): boolean =>
      row[rows.checksum] === null || (rows === CHUNK_HEADS && row['data_checksum'] === null)
    for await (const some of ownRows(db, rows)) {
      const old = (some ?? []).filter(isUnchecked)
      if (some === null) left++
      if (old.length === 0) continue
      const done = await db.write(() => old.reduce((sum, row) => sum + rewrite(db, rows, row.own_number), 0))
      left += old.length - done
      yield done
    }
  }
  // from here on a missing checksum is damage
  if (left === 0) await db.write(() => db.run('DELETE FROM setting WHERE name=?', UNCHECKED_ROWS))
}

/** Must run inside a write. Returns 1 if the row, as it is now, has its checksum or no longer exists, otherwise 0. */
function rewrite(db: Connection, rows: CheckedRows<object>, number: number): number {
  const row = rowNumbered(db, rows, number)
  if (!row) return 1
  if (!isSound(db, rows, row) || !isWhole(rows, row)) return 0
  let changed = 1
  if (row[rows.checksum] === null) {
    const sql = `UPDATE ${rows.table} SET ${rows.checksum}=? WHERE rowid=?`
    changed = db.run(sql, rows.checksumOf(row), number)
  }
  if (rows === CHUNK_HEADS && row['data_checksum'] === null) {
    const { chunk_start: start, data } = dataOf(row)
    const sql = 'UPDATE chunk SET data_checksum=? WHERE rowid=?'
    changed = db.run(sql, blobsOf(db, row).checksum(start, data), number)
  }
  return Math.min(changed, 1)
}

function blobsOf(db: Connection, row: OwnRow): SeriesChunks {
  return new SeriesChunks(db, `${row['user_id']}`, Number(row['series_id']))
}

function dataOf(row: OwnRow): ChunkData {
  return row as Stored<ChunkData & OwnRow>
}
