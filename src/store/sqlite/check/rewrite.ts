/** Adds checksums to rows that were written before checksums existed. */
import { asChunkData, isSound, type OwnRow, rowSeries } from '../../logic/check/checksums.ts'
import { type CheckedRows, mayLackChecksums, UNCHECKED_ROWS } from '../../logic/rows/checked-rows.ts'
import { CHECKED_ROWS, CHUNK_HEADS } from '../../logic/rows/tables.ts'
import { command, run, type Steps } from '../../logic/steps.ts'
import type { SqliteDatabase } from '../database.ts'
import { type NumberedRow, OwnRows } from './own-rows.ts'
import { isWhole } from './whole-rows.ts'

const SEAL_BLOB = command('UPDATE chunk SET data_checksum=? WHERE rowid=?')

/**
 * Adds a checksum to every intact row without one, a few rows per transaction, and yields the number of these rows. A damaged row is not
 * changed, because a checksum would make it look intact.
 */
export async function* rewriteUnchecked(db: SqliteDatabase): AsyncIterable<number> {
  if (!(await db.read(() => mayLackChecksums()))) return
  const stored = new OwnRows(db)
  let left = 0
  for (const rows of CHECKED_ROWS) {
    const isUnchecked = (row: OwnRow): boolean =>
      row[rows.checksum] === null || (rows === CHUNK_HEADS && row['data_checksum'] === null)
    for await (const some of stored.all(rows)) {
      const old = (some ?? []).filter(isUnchecked)
      if (some === null) left++
      if (old.length === 0) continue
      const done = await db.write(() => rewriteSome(stored, rows, old))
      left += old.length - done
      yield done
    }
  }
  // from now on, a missing checksum is damage
  if (left === 0) await db.write(() => db.run('DELETE FROM setting WHERE name=?', UNCHECKED_ROWS))
}

/** Adds checksums to rows. Returns how many of them now have a checksum or no longer exist. */
function* rewriteSome(stored: OwnRows, rows: CheckedRows<object>, some: readonly OwnRow[]): Steps<number> {
  let done = 0
  for (const each of some) {
    const row = yield* stored.again(rows, each)
    if (!row || (yield* rewrite(rows, row))) done++
  }
  return done
}

/** Adds a row's checksum, and returns whether the row now has one. Must run inside a write. */
function* rewrite(rows: CheckedRows<object>, row: NumberedRow): Steps<boolean> {
  const number = row.own_number
  if (!(yield* isSound(rows, row)) || !isWhole(rows, row)) return false
  let changed = 1
  if (row[rows.checksum] === null) {
    const sql = `UPDATE ${rows.table} SET ${rows.checksum}=? WHERE rowid=?`
    changed = yield* run(command(sql), [rows.computeChecksum(row), number])
  }
  if (rows === CHUNK_HEADS && row['data_checksum'] === null) {
    const { chunk_start: start, data } = asChunkData(row)
    changed = yield* run(SEAL_BLOB, [rowSeries(row).checksum(start, data), number])
  }
  return changed > 0
}
