/** Reads hypnograms from the sleep_cycle summaries that belong to the sleep summaries. */
import type { UserId } from '../../../core/ids.ts'
import { type EpochMs, type IsoDate, readInstant } from '../../../core/time.ts'
import type { StoredSummary } from '../../../store/sample.ts'
import type { QuerySource } from './source.ts'

/** Stages are -1 missing, 1 deep, 2 light, 3 rem, 4 awake and 5 manual. See docs/interface/summaries.md#summaries-7. */
export const AWAKE_STAGE = 4

/** A segment with one stage, in seconds from the session's start. */
export interface Segment {
  readonly stage: number
  readonly startSecond: number
  readonly endSecond: number
}

/** Returns a sleep's segments in ascending order of start, or undefined if it has no hypnogram. */
export type Hypnograms = (sleep: StoredSummary) => readonly Segment[] | undefined

/**
 * Reads the hypnograms in a date range. A hypnogram belongs to the sleep with its `sleep_id` from the same provider and source type, or
 * otherwise to the sleep that starts at the same instant.
 */
export async function readHypnograms(
  source: Pick<QuerySource, 'summaries'>,
  userId: UserId,
  range: { readonly fromDate: IsoDate; readonly toDate: IsoDate },
): Promise<Hypnograms> {
  const cycles = await source.summaries.list(userId, { kind: 'sleep_cycle', provider: null, ...range })
  const known = new Map<string, StoredSummary>()
  const add = (key: string, cycle: StoredSummary): void => {
    if (!known.has(key)) known.set(key, cycle)
  }
  for (const cycle of cycles) {
    const { sleep_id: sleepId, session_start: start } = cycle.document
    if (typeof sleepId === 'string') add(sourceKey(cycle, sleepId), cycle)
    const at = readInstant(start)
    if (at !== undefined) add(sourceKey(cycle, at), cycle)
  }
  return sleep => {
    const at = readInstant(sleep.document['bedtime_start'])
    const cycle =
      known.get(sourceKey(sleep, sleep.id)) ?? (at === undefined ? undefined : known.get(sourceKey(sleep, at)))
    return cycle && readSegments(cycle)
  }
}

function sourceKey({ provider, sourceType }: StoredSummary, what: string | EpochMs): string {
  return `${provider}\u0000${sourceType}\u0000${what}`
}

/** Returns a cycle's segments. A cycle without segments is not a hypnogram. */
function readSegments({ document }: StoredSummary): readonly Segment[] | undefined {
  const [stages, starts, ends] = ['stage_type', 'stage_start_offset_second', 'stage_end_offset_second'].map(name =>
    Array.isArray(document[name]) ? (document[name] as readonly unknown[]) : [],
  ) as [readonly unknown[], readonly unknown[], readonly unknown[]]
  const segments = stages.flatMap((stage, i): Segment[] => {
    const [startSecond, endSecond] = [starts[i], ends[i]]
    const told = typeof stage === 'number' && typeof startSecond === 'number' && typeof endSecond === 'number'
    return told ? [{ stage, startSecond, endSecond }] : []
  })
  return segments.length === 0 ? undefined : segments.sort((a, b) => a.startSecond - b.startSecond)
}
