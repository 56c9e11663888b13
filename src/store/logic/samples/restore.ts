/** Removes samples from chunks and restores the samples that they had replaced, in the caller's transaction. */
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
import { dayStart } from '../../chunk/windows.ts'
import type { SampleQuery } from '../../sample.ts'
import { Touches } from '../continuous/touches.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { Removals } from '../events/removals.ts'
import { USERS } from '../rows/tables.ts'
import { one, type Steps } from '../steps.ts'
import { putChunk, removeChunk, type WholeChunk, WholeChunks } from './chunks.ts'
import { listSeries } from './series.ts'

export interface RestoreOutcome {
  readonly removed: number
  /** Restored samples in ascending order of start. */
  readonly restored: SampleColumns
  /** Number of samples that were kept because their value has changed. */
  readonly kept: number
  /** Original versions of samples that have since been changed or removed. */
  readonly superseded: SampleColumns
}

/** One row of sample columns. */
export interface SampleRow {
  readonly columns: SampleColumns
  readonly row: number
}

/**
 * Removes samples that are still the same as in `after` (in ascending order of start), or replaces them with the result of `beforeAt` for
 * their start.
 */
export function* restoreRows(
  userId: string,
  seriesId: number,
  after: SampleColumns,
  beforeAt: (start: EpochMs) => SampleRow | null,
): Steps<RestoreOutcome> {
  let removed = 0
  let kept = 0
  const restored: SampleColumns[] = []
  const asBrought = new Uint8Array(after.n)
  const chunks = new WholeChunks(userId, seriesId)
  for (let from = 0; from < after.n; ) {
    const day = dayStart(startAt(after, from))
    const to = rowAtOrAfter(after, day + DAY_MS)
    for (const start of yield* chunks.starts(day, day + DAY_MS - 1)) {
      const chunk = yield* chunks.listed(start)
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
      yield* rewrite(userId, seriesId, chunk, pickRows(columns, Uint32Array.from(stays)), back)
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

const OWNER = USERS.query('WHERE user_id=?')

/** Removes all samples in a range, and announces that. Returns their number. */
export function* deleteSamples(userId: UserId, query: SampleQuery, at: EpochMs): Steps<number> {
  let deleted = 0
  const [touches, removals] = [new Touches(), new Removals()]
  for (const series of yield* listSeries(userId, query)) {
    const chunks = new WholeChunks(userId, series.id)
    for (const start of yield* chunks.starts(query.from, query.to)) {
      const chunk = yield* chunks.listed(start)
      const { columns } = chunk
      const from = rowAtOrAfter(columns, query.from)
      const to = rowAtOrAfter(columns, query.to + 1)
      if (from === to) continue
      deleted += to - from
      const range = { from: startAt(columns, from), to: startAt(columns, to - 1) }
      touches.samples(query.resource, range.from, range.to)
      removals.samples(series.id, series.key, { n: to - from, ...range })
      const stays = joinColumns([sliceColumns(columns, 0, from), sliceColumns(columns, to, columns.n)])
      yield* rewrite(userId, series.id, chunk, stays, [])
    }
  }
  const user = yield* one(OWNER, [userId])
  if (!user || removals.isEmpty) return deleted
  const teamId = user.team_id as TeamId
  yield* touches.settle(teamId, userId, at)
  const outbox = yield* OutboxWriter.open(userId, teamId, at)
  yield* removals.announce(outbox, 'request')
  yield* outbox.finish()
  return deleted
}

/** Removes a series' samples that start at these times, which must be in ascending order. Returns their number. */
export function* removeSamplesAt(userId: UserId, seriesId: number, starts: Float64Array): Steps<number> {
  let removed = 0
  const chunks = new WholeChunks(userId, seriesId)
  for (let from = 0; from < starts.length; ) {
    const day = dayStart(starts[from] as number) // unchecked, because the index is in range
    const later = starts.findIndex((start, at) => at > from && start >= day + DAY_MS)
    const to = later === -1 ? starts.length : later
    const gone = new Set(starts.subarray(from, to))
    for (const start of yield* chunks.starts(day, day + DAY_MS - 1)) {
      const chunk = yield* chunks.listed(start)
      const { columns } = chunk
      const stays = columns.start.map((_, row) => row).filter(row => !gone.has(startAt(columns, row)))
      if (stays.length === columns.n) continue
      removed += columns.n - stays.length
      yield* rewrite(userId, seriesId, chunk, pickRows(columns, Uint32Array.from(stays)), [])
    }
    from = to
  }
  return removed
}

function* rewrite(
  userId: string,
  seriesId: number,
  chunk: WholeChunk,
  stays: SampleColumns,
  back: readonly SampleColumns[],
): Steps<void> {
  const columns = back.length === 0 ? stays : mergeColumns(stays, joinColumns(back)).columns
  if (columns.n > 0) yield* putChunk(userId, seriesId, chunk.start, chunk.span, chunk.rev + 1, columns)
  else yield* removeChunk(userId, seriesId, chunk)
}
