/** Removes rows that are older than a time, in short transactions, so that others can write in between. */
import type { EpochMs } from '../../core/time.ts'
import type { Database } from './database.ts'
import { type Command, command, one, type Query, query, run, type Steps } from './steps.ts'

/** Number of rows removed per transaction. */
const SLICE = 1_000

interface Age {
  readonly at: EpochMs
}

export interface AgingRows {
  readonly endOfSlice: Query<Age>
  readonly remove: Command
}

/** Defines the statements that remove a table's old rows. `column` is indexed and contains their time in epoch milliseconds. */
export function agingRows(table: string, column: string): AgingRows {
  return {
    endOfSlice: query(
      `SELECT ${column} AS at FROM ${table} WHERE ${column}<? ORDER BY ${column} LIMIT 1 OFFSET ${SLICE - 1}`,
    ),
    remove: command(`DELETE FROM ${table} WHERE ${column}<?`),
  }
}

/** Removes the rows whose time is before the given one. Returns their number. */
export async function removeOldRows(
  db: Database,
  rows: AgingRows,
  before: EpochMs,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  for (;;) {
    signal?.throwIfAborted()
    const slice = await db.write(() => removeSlice(rows, before))
    removed += slice.removed
    if (slice.isLast) return removed
  }
}

function* removeSlice(
  { endOfSlice, remove }: AgingRows,
  before: EpochMs,
): Steps<{ readonly removed: number; readonly isLast: boolean }> {
  const end = yield* one(endOfSlice, [before])
  // rows of the same millisecond are removed together
  const removed = yield* run(remove, [end === undefined ? before : Math.min(before, end.at + 1)])
  return { removed, isLast: end === undefined }
}
