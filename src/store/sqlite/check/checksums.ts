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

export async function* checkChecksums(connection: Connection): AsyncIterable<StoreProblem> {
  for (const rows of CHECKED_ROWS) {
    const what = KINDS[rows.table] ?? rows.table
    for await (const some of ownRows(connection, rows)) {
      if (some === null) yield { what, userId: null, message: `a row of ${rows.table} cannot be read` }
      for (const row of some === null ? [] : await connection.read(() => damagedAmong(connection, rows, some))) {
        const { what: name, userId } = rows.placeOf(row)
        yield { what, userId: userId as UserId | null, message: `${name}: it differs from what was written` }
      }
    }
  }
}

/** Must run inside a read. A row that looks damaged is looked at again, because it may have been written or removed since it was read. */
function damagedAmong(connection: Connection, rows: CheckedRows<object>, some: readonly OwnRow[]): OwnRow[] {
  return some.filter(row => {
    if (isSound(connection, rows, row)) return false
    const now = rowNumbered(connection, rows, row.own_number)
    return now !== undefined && !isSound(connection, rows, now)
  })
}

function isSound(connection: Connection, rows: CheckedRows<object>, row: OwnRow): boolean {
  if (!rows.isSound(connection, row)) return false
  return rows !== CHUNK_HEADS || blobsOf(connection, row).isSound(dataOf(row))
}

function rowNumbered(connection: Connection, rows: CheckedRows<object>, number: number): OwnRow | undefined {
  const blob = rows === CHUNK_HEADS ? ', data, data_checksum' : ''
  return connection.get<OwnRow>(
    `SELECT rowid AS own_number, ${rows.columns}${blob} FROM ${rows.table} WHERE rowid=?`,
    number,
  )
}

/**
 * Adds a checksum to every intact row that has none, a few in each transaction, and yields how many there were. A row that is not intact
 * stays as it is, because a checksum would make it look sound.
 */
export async function* rewriteUnchecked(connection: Connection): AsyncIterable<number> {
  if (!(await connection.read(() => mayLackChecksums(connection)))) return
  let left = 0
  for (const rows of CHECKED_ROWS) {
    const isUnchecked = (row: OwnRow): boolean =>
      row[rows.checksum] === null || (rows === CHUNK_HEADS && row['data_checksum'] === null)
    for await (const some of ownRows(connection, rows)) {
      const old = (some ?? []).filter(isUnchecked)
      if (some === null) left++
      if (old.length === 0) continue
      const done = await connection.write(() =>
        old.reduce((sum, row) => sum + rewrite(connection, rows, row.own_number), 0),
      )
      left += old.length - done
      yield done
    }
  }
  // from here on a missing checksum is damage
  if (left === 0) await connection.write(() => connection.run('DELETE FROM setting WHERE name=?', UNCHECKED_ROWS))
}

/** Must run inside a write. Returns 1 if the row, as it is now, has its checksum or no longer exists, otherwise 0. */
function rewrite(connection: Connection, rows: CheckedRows<object>, number: number): number {
  const row = rowNumbered(connection, rows, number)
  if (!row) return 1
  if (!isSound(connection, rows, row) || !isWhole(rows, row)) return 0
  let changed = 1
  if (row[rows.checksum] === null) {
    const sql = `UPDATE ${rows.table} SET ${rows.checksum}=? WHERE rowid=?`
    changed = connection.run(sql, rows.checksumOf(row), number)
  }
  if (rows === CHUNK_HEADS && row['data_checksum'] === null) {
    const { chunk_start: start, data } = dataOf(row)
    const sql = 'UPDATE chunk SET data_checksum=? WHERE rowid=?'
    changed = connection.run(sql, blobsOf(connection, row).checksum(start, data), number)
  }
  return Math.min(changed, 1)
}

function blobsOf(connection: Connection, row: OwnRow): SeriesChunks {
  return new SeriesChunks(connection, `${row['user_id']}`, Number(row['series_id']))
}

function dataOf(row: OwnRow): ChunkData {
  return row as Stored<ChunkData & OwnRow>
}
