/** Removes samples from chunks, and puts back what they had replaced, in the caller's transaction. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { type SampleColumns, startAt } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import {
  joinColumns,
  mergeColumns,
  pickRows,
  rowAtOrAfter,
  sameRow,
  sliceColumns,
  sortColumns,
} from '../../chunk/columns.ts'
import { dayOf } from '../../chunk/windows.ts'
import type { SampleQuery } from '../../port.ts'
import { USERS } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { Touches } from '../continuous/touches.ts'
import { putChunk, type WholeChunk, WholeChunks } from './chunks.ts'
import { seriesOf } from './series.ts'

export interface RestoreOutcome {
  readonly removed: number
  /** What was put back, ascending by start. */
  readonly restored: SampleColumns
  /** Number of samples that have another value by now, and stay. */
  readonly kept: number
  /** Samples that are no longer as they were brought, because they were changed or removed; here as they were brought. */
  readonly superseded: SampleColumns
}

/** One row of sample columns. */
export interface SampleRow {
  readonly columns: SampleColumns
  readonly row: number
}

/** Removes the samples that are still as in `after` (ascending by start), or replaces them with what `beforeAt` returns for their start. */
export function restoreRows(
  db: Connection,
  userId: string,
  seriesId: number,
  after: SampleColumns,
  beforeAt: (start: EpochMs) => SampleRow | null,
): RestoreOutcome {
  let removed = 0
  let kept = 0
  const restored: SampleColumns[] = []
  const asBrought = new Uint8Array(after.n)
  for (let from = 0; from < after.n; ) {
    const day = dayOf(startAt(after, from))
    const to = rowAtOrAfter(after, day + DAY_MS)
    for (const chunk of new WholeChunks(db, userId, seriesId).between(day, day + DAY_MS - 1)) {
      const { columns } = chunk
      const stays: number[] = []
      const back: SampleColumns[] = []
      for (let row = 0; row < columns.n; row++) {
        const at = rowAtOrAfter(after, startAt(columns, row))
        const isIts = at < to && after.start[at] === columns.start[row]
        if (!isIts || !sameRow(columns, row, after, at)) {
          stays.push(row)
          if (isIts) kept++
          continue
        }
        asBrought[at] = 1
        const before = beforeAt(startAt(columns, row))
        if (before) back.push(pickRows(before.columns, Uint32Array.of(before.row)))
        else removed++
      }
      if (stays.length === columns.n) continue
      restored.push(...back)
      rewrite(db, userId, seriesId, chunk, pickRows(columns, Uint32Array.from(stays)), back)
    }
    from = to
  }
  const others = Uint32Array.from({ length: after.n }, (_, row) => row).filter(row => asBrought[row] === 0)
  return {
    removed,
    kept,
    restored: restored.length === 0 ? sliceColumns(after, 0, 0) : sortColumns(joinColumns(restored), () => {}),
    superseded: pickRows(after, others),
  }
}

/** Removes all samples of a range and returns how many there were. */
export function deleteSamples(db: Connection, userId: UserId, query: SampleQuery, at: EpochMs): number {
  let deleted = 0
  const touches = new Touches()
  for (const series of seriesOf(db, userId, query)) {
    for (const chunk of new WholeChunks(db, userId, series.id).between(query.from, query.to)) {
      const { columns } = chunk
      const from = rowAtOrAfter(columns, query.from)
      const to = rowAtOrAfter(columns, query.to + 1)
      if (from === to) continue
      deleted += to - from
      touches.samples(query.resource, startAt(columns, from), startAt(columns, to - 1))
      const stays = joinColumns([sliceColumns(columns, 0, from), sliceColumns(columns, to, columns.n)])
      rewrite(db, userId, series.id, chunk, stays, [])
    }
  }
  const user = USERS.get(db, 'WHERE user_id=?', userId)
  if (user) touches.settle(db, user.team_id as TeamId, userId, at)
  return deleted
}

function rewrite(
  db: Connection,
  userId: string,
  seriesId: number,
  chunk: WholeChunk,
  stays: SampleColumns,
  back: readonly SampleColumns[],
): void {
  const columns = back.length === 0 ? stays : mergeColumns(stays, joinColumns(back)).columns
  if (columns.n > 0) putChunk(db, userId, seriesId, chunk.start, chunk.span, chunk.rev + 1, columns)
  else {
    db.run('DELETE FROM chunk WHERE user_id=? AND series_id=? AND chunk_start=?', userId, seriesId, chunk.start)
  }
}
