/** Keeps the samples of mixed series, from before schema 11, and those of newer series apart. See series.ts. */
import { type SampleBatch, type SampleColumns, startAt } from '../../../core/sample.ts'
import { joinColumns, pickRows, sortColumns } from '../../chunk/columns.ts'
import { dayStart } from '../../chunk/windows.ts'
import type { Steps } from '../steps.ts'
import { WholeChunks } from './chunks.ts'
import { hasOrigin, type OriginBatch, splitByOrigin } from './origins.ts'
import { findSeries, mixedKey } from './series.ts'

/** Divides a batch into the samples that a mixed series has, at the same time and of the same origin, and the others. */
export function* divideByMixed(
  userId: string,
  mixedId: number,
  batch: OriginBatch,
): Steps<readonly [present: OriginBatch, others: OriginBatch]> {
  const starts = yield* presentStarts(userId, mixedId, batch)
  const rows: [number[], number[]] = [[], []]
  for (let row = 0; row < batch.n; row++) rows[starts.has(startAt(batch, row)) ? 0 : 1].push(row)
  const part = (some: number[]) => ({ ...batch, ...pickRows(batch, Uint32Array.from(some)) })
  return [part(rows[0]), part(rows[1])]
}

/**
 * Returns those of a series' former samples that an undo may restore: samples of a mixed series that are stored in their own series by now
 * would otherwise exist twice. Null if there are none.
 */
export function* restorable(
  userId: string,
  seriesId: number,
  former: SampleColumns | null,
): Steps<SampleColumns | null> {
  const key = former && (yield* mixedKey(userId, seriesId))
  if (!former || !key) return former
  const parts: SampleColumns[] = []
  const batch: SampleBatch = { ...former, series: key }
  for (const part of splitByOrigin(batch)) {
    const { own } = yield* findSeries(userId, key, part.origin)
    const starts = own === undefined ? new Set<number>() : yield* presentStarts(userId, own, part)
    const rows = Uint32Array.from({ length: part.n }, (_, row) => row).filter(row => !starts.has(startAt(part, row)))
    if (rows.length > 0) parts.push(pickRows(part, rows))
  }
  return parts.length === 0 ? null : sortColumns(joinColumns(parts), () => {})
}

/** Returns the starts of a series' samples that have a batch's origin, on the days of the batch. */
function* presentStarts(userId: string, seriesId: number, batch: OriginBatch): Steps<ReadonlySet<number>> {
  const starts = new Set<number>()
  const days = new Set<number>()
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let row = 0; row < batch.n; row++) {
    const start = startAt(batch, row)
    days.add(dayStart(start))
    from = Math.min(from, start)
    to = Math.max(to, start)
  }
  const chunks = new WholeChunks(userId, seriesId)
  // usually there are none, because the samples are of days after the last one of a mixed series
  for (const start of yield* chunks.starts(from, to)) {
    if (!days.has(dayStart(start))) continue
    const { columns } = yield* chunks.listed(start)
    const isIts = hasOrigin(batch.series.resource, columns, batch.origin)
    for (let row = 0; row < columns.n; row++) if (isIts(row)) starts.add(startAt(columns, row))
  }
  return starts
}
