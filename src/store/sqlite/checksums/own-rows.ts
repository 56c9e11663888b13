/** Reads rows by rowid, in the order in which the table stores them: what each one holds itself, whatever an index says about it. */
import { nextTurn } from '../../../core/turns.ts'
import type { CheckedRows, Stored } from '../../logic/rows/checked-rows.ts'
import { CHUNK_HEADS } from '../../logic/rows/tables.ts'
import type { SqlValue } from '../../logic/steps.ts'
import { isDamage } from '../damage-codes.ts'
import type { SqliteDatabase } from '../database.ts'

/** Includes the blob of a chunk, which has a checksum of its own. */
export type OwnRow = Readonly<Record<string, SqlValue>> & { readonly own_number: number }

const ROWS_AT_ONCE = 50

/**
 * Yields some rows at a time, each with its columns and its number, read in one transaction. Null stands for a row that cannot be read at
 * all.
 */
export async function* ownRows(db: SqliteDatabase, rows: CheckedRows<object>): AsyncIterable<readonly OwnRow[] | null> {
  let last = Number.MIN_SAFE_INTEGER
  let most = ROWS_AT_ONCE
  for (;;) {
    const [after, limit] = [last, most]
    const some = await db.read(() => rowsAfter(db, rows, after, limit))
    if (some === 'damaged' && limit > 1) {
      most = 1
      continue
    }
    if (some === 'damaged') {
      yield null
      const next = await db.read(() => numberAfter(db, rows.table, after))
      if (next === null) return
      last = next
    } else {
      if (some.length > 0) yield some
      if (some.length < limit) return
      // numbers that do not ascend are damaged themselves: the rows behind them are found by what reads by key
      last = some.reduce((most, row) => Math.max(most, row.own_number), last)
      if (last === after) return
    }
    await nextTurn()
  }
}

/** Must run inside a read. */
function rowsAfter(
  db: SqliteDatabase,
  rows: CheckedRows<object>,
  after: number,
  limit: number,
): Stored<OwnRow>[] | 'damaged' {
  const blob = rows === CHUNK_HEADS ? ', data, data_checksum' : ''
  const sql = `SELECT rowid AS own_number, ${rows.columns}${blob} FROM ${rows.table} NOT INDEXED WHERE rowid>? ORDER BY rowid LIMIT ?`
  try {
    return db.all<Stored<OwnRow>>(sql, after, limit)
  } catch (error) {
    if (isDamage(error)) return 'damaged'
    throw error
  }
}

/** Returns null if there is no next row, or none that can be found. */
function numberAfter(db: SqliteDatabase, table: string, after: number): number | null {
  try {
    const sql = `SELECT rowid AS own_number FROM ${table} NOT INDEXED WHERE rowid>? ORDER BY rowid LIMIT 1`
    const next = db.get<{ own_number: number }>(sql, after)?.own_number ?? null
    return next !== null && next > after ? next : null
  } catch (error) {
    if (isDamage(error)) return null
    throw error
  }
}
