/** Reads rows by rowid in the table's storage order. Returns the row's own values, even if its index entries differ. */
import { nextLoopTick } from '../../../core/time-slice.ts'
import type { OwnRow, StoredRows } from '../../logic/check/checksums.ts'
import type { CheckedRows } from '../../logic/rows/checked-rows.ts'
import { CHUNK_HEADS } from '../../logic/rows/tables.ts'
import { one, query, type Steps } from '../../logic/steps.ts'
import { isDamage } from '../damage-codes.ts'
import type { SqliteDatabase } from '../database.ts'

/** A row with its rowid. */
export type NumberedRow = OwnRow & { readonly own_number: number }

const ROWS_AT_ONCE = 50

export class OwnRows implements StoredRows {
  private readonly db: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.db = db
  }

  async *all(rows: CheckedRows<object>): AsyncIterable<readonly NumberedRow[] | null> {
    let last = Number.MIN_SAFE_INTEGER
    let most = ROWS_AT_ONCE
    for (;;) {
      const [after, limit] = [last, most]
      const some = await this.db.read(() => this.rowsAfter(rows, after, limit))
      if (some === 'damaged' && limit > 1) {
        most = 1
        continue
      }
      if (some === 'damaged') {
        yield null
        const next = await this.db.read(() => this.numberAfter(rows.table, after))
        if (next === null) return
        last = next
      } else {
        if (some.length > 0) yield some
        if (some.length < limit) return
        // numbers that do not ascend are themselves damaged, so the rows after them are found by reading by key
        last = some.reduce((most, row) => Math.max(most, row.own_number), last)
        if (last === after) return
      }
      await nextLoopTick()
    }
  }

  *again(rows: CheckedRows<object>, row: OwnRow): Steps<NumberedRow | undefined> {
    const sql = `${select(rows)} FROM ${rows.table} WHERE rowid=?`
    return yield* one(query<NumberedRow>(sql), [(row as NumberedRow).own_number]) // every row here has a number
  }

  /** Returns some rows after a number. Must run inside a read. */
  private rowsAfter(rows: CheckedRows<object>, after: number, limit: number): NumberedRow[] | 'damaged' {
    const sql = `${select(rows)} FROM ${rows.table} NOT INDEXED WHERE rowid>? ORDER BY rowid LIMIT ?`
    try {
      return this.db.all<NumberedRow>(sql, after, limit)
    } catch (error) {
      if (isDamage(error)) return 'damaged'
      throw error
    }
  }

  /** Returns the next row, or null if there is none or it cannot be found. Must run inside a read. */
  private numberAfter(table: string, after: number): number | null {
    try {
      const sql = `SELECT rowid AS own_number FROM ${table} NOT INDEXED WHERE rowid>? ORDER BY rowid LIMIT 1`
      const next = this.db.get<{ own_number: number }>(sql, after)?.own_number ?? null
      return next !== null && next > after ? next : null
    } catch (error) {
      if (isDamage(error)) return null
      throw error
    }
  }
}

/** Returns a SELECT. For a chunk, it includes the blob, which has its own checksum. */
function select(rows: CheckedRows<object>): string {
  return `SELECT rowid AS own_number, ${rows.columns}${rows === CHUNK_HEADS ? ', data, data_checksum' : ''}`
}
