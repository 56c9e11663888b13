/**
 * Prepares data from any origin for the store: rounds integers, and drops data outside the user's ingestion bounds. See
 * docs/interface/users.md#users-15.
 */
import { present } from '../../core/present.ts'
import { NO_OFFSET, type SampleBatch, SampleBatchBuilder, startAt, type TextColumn, textAt } from '../../core/sample.ts'
import { DAY_MS, type EpochMs, parseDate } from '../../core/time.ts'
import { zoneOffset } from '../../core/zones.ts'
import type { NewConnection, SpooledData } from '../../store/data-write.ts'
import type { UserRecord } from '../../store/user.ts'
import { wholeData } from '../readings/whole-numbers.ts'

export interface Kept {
  readonly data: SpooledData
  /** Number of samples, summaries and streams that were dropped. */
  readonly dropped: number
}

/**
 * Returns the data within the bounds, with integers rounded. The bounds are floating dates with a tolerance of one day on each side. See
 * docs/interface/users.md#users-15.
 */
export function withinBounds(user: UserRecord, given: SpooledData): Kept {
  const data = wholeData(given)
  if (user.ingestionStart === null && user.ingestionEnd === null) return { data, dropped: 0 }
  const from =
    (user.ingestionStart === null ? Number.NEGATIVE_INFINITY : (parseDate(user.ingestionStart) as number)) - DAY_MS
  const until =
    (user.ingestionEnd === null ? Number.POSITIVE_INFINITY : (parseDate(user.ingestionEnd) as number)) + 2 * DAY_MS
  const zone = user.fallbackTimeZone?.value ?? null
  const isInside = (local: number): boolean => local >= from && local < until
  const batches = data.batches.map(batch => keepRows(batch, row => isInside(localStart(batch, row, zone))))
  const summaries = data.summaries.filter(summary => isInside(parseDate(summary.date) as number))
  const streams = data.streams.filter(each => isInside(localTime(each.at, each.offset, zone)))
  const dropped =
    countSamples(data.batches) -
    countSamples(batches) +
    data.summaries.length -
    summaries.length +
    data.streams.length -
    streams.length
  return { data: { batches, summaries, streams }, dropped }
}

/** Returns the connections that data from these providers creates if they do not exist yet. They have no account to pull from. */
export function connectionsOfData(
  { userId }: UserRecord,
  providers: readonly string[],
  createdOn: EpochMs,
): NewConnection[] {
  return providers.map(provider => ({ userId, provider, createdOn, externalUserId: null, region: null }))
}

/** Returns a write's counts in response format. */
export function copyCounts<T extends object>(counts: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(counts).map(([name, each]) => [name, { ...each }]))
}

function countSamples(batches: readonly SampleBatch[]): number {
  return batches.reduce((sum, batch) => sum + batch.n, 0)
}

function localTime(time: number, own: number | null, zone: string | null): number {
  if (own !== null) return time + own * 1000
  return zone === null ? time : time + zoneOffset(zone, time) * 1000
}

function localStart(batch: SampleBatch, row: number, zone: string | null): number {
  const own = batch.offset?.[row] ?? NO_OFFSET
  return localTime(startAt(batch, row), own === NO_OFFSET ? null : own, zone)
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
    const start = startAt(batch, row)
    builder.push({
      start,
      end: batch.end?.[row] ?? start,
      value: present(batch.value[row], 'a value'),
      ...(batch.second ? { second: batch.second[row] } : {}),
      offset: batch.offset?.[row] ?? null,
      text,
    })
  }
  return builder.take()
}
