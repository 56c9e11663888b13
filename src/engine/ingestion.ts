/** The ingestion bounds of a user: what lies outside them never reaches the store (interface.md 2.1, interface-gaps 2.1). */
import {
  NO_OFFSET,
  type SampleBatch,
  SampleBatchBuilder,
  type SummaryRecord,
  type TextColumn,
  textAt,
} from '../core/sample.ts'
import { DAY_MS, parseDate } from '../core/time.ts'
import { zoneOffset } from '../core/zones.ts'
import type { UserRecord } from '../store/port.ts'

export interface Kept {
  readonly batches: readonly SampleBatch[]
  readonly summaries: readonly SummaryRecord[]
  /** Samples and summaries left out. */
  readonly dropped: number
}

/** Bounds are floating dates with a tolerance of a day on both sides (interface-gaps 2.1). */
export function withinBounds(
  user: UserRecord,
  batches: readonly SampleBatch[],
  summaries: readonly SummaryRecord[],
): Kept {
  if (user.ingestionStart === null && user.ingestionEnd === null) return { batches, summaries, dropped: 0 }
  const from =
    (user.ingestionStart === null ? Number.NEGATIVE_INFINITY : (parseDate(user.ingestionStart) as number)) - DAY_MS
  const until =
    (user.ingestionEnd === null ? Number.POSITIVE_INFINITY : (parseDate(user.ingestionEnd) as number)) + 2 * DAY_MS
  const zone = user.fallbackTimeZone?.value ?? null
  let dropped = 0
  const keptBatches = batches.map(batch => {
    const kept = keepRows(batch, row => {
      const local = localStart(batch, row, zone)
      return local >= from && local < until
    })
    dropped += batch.n - kept.n
    return kept
  })
  const keptSummaries = summaries.filter(summary => {
    const day = parseDate(summary.date) as number
    return day >= from && day < until
  })
  dropped += summaries.length - keptSummaries.length
  return { batches: keptBatches, summaries: keptSummaries, dropped }
}

function localStart(batch: SampleBatch, row: number, zone: string | null): number {
  const start = batch.start[row] as number
  const own = batch.offset ? (batch.offset[row] as number) : NO_OFFSET
  if (own !== NO_OFFSET) return start + own * 1000
  return zone === null ? start : start + zoneOffset(zone, start) * 1000
}

function keepRows(batch: SampleBatch, keep: (row: number) => boolean): SampleBatch {
  let all = true
  for (let row = 0; row < batch.n && all; row++) all = keep(row)
  if (all) return batch
  const builder = new SampleBatchBuilder(batch.series)
  for (let row = 0; row < batch.n; row++) {
    if (!keep(row)) continue
    const text: Partial<Record<TextColumn, string | null>> = {}
    for (const [name, column] of batch.text) text[name] = textAt(column, row)
    const start = batch.start[row] as number
    builder.push({
      start,
      end: batch.end ? (batch.end[row] as number) : start,
      value: batch.value[row] as number,
      ...(batch.second ? { second: batch.second[row] as number } : {}),
      offset: batch.offset ? (batch.offset[row] as number) : null,
      text,
    })
  }
  return builder.take()
}
