/** Describes a provider record's data as text: the samples, summaries and streams to remove together with the record. */
import { type SampleBatch, startAt } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { LiveRecord } from '../../live/pulls.ts'
import { storedJson } from '../rows/damage.ts'
import { LIVE_RECORDS, type LiveRecordRow } from '../rows/tables.ts'

/** Sample starts in ascending order, by series number. */
export type StartsBySeries = ReadonlyMap<number, readonly EpochMs[]>

export interface Brought {
  readonly samples: StartsBySeries
  readonly summaries: readonly (readonly [kind: string, id: string])[]
  /** Workout IDs. */
  readonly streams: readonly string[]
}

/** Start times as runs with a regular step. Each run consists of its first start, its step and its count. */
type Runs = readonly number[]
type Text = readonly [
  samples: readonly (readonly [seriesId: number, runs: Runs])[],
  summaries: Brought['summaries'],
  streams: Brought['streams'],
]

/** Returns the data that comes from a record, given its samples with the numbers of their series. */
export function broughtBy(record: LiveRecord, samples: readonly (readonly [number, SampleBatch])[]): Brought {
  const starts = new Map<number, Set<EpochMs>>()
  for (const [number, batch] of samples) {
    const known = starts.get(number) ?? new Set()
    starts.set(number, known)
    for (let row = 0; row < batch.n; row++) known.add(startAt(batch, row))
  }
  return {
    samples: new Map([...starts].map(([number, some]) => [number, [...some].sort((a, b) => a - b)])),
    summaries: record.summaries.map(({ kind, id }) => [kind, id]),
    streams: record.streams.map(({ workoutId }) => workoutId),
  }
}

/** Returns the row columns that describe the record's data. */
export function broughtColumns({ samples, summaries, streams }: Brought) {
  const all = [...samples.values()].filter(starts => starts.length > 0)
  const text: Text = [[...samples].map(([number, starts]) => [number, encodeRuns(starts)]), summaries, streams]
  return {
    first_at: all.length === 0 ? null : Math.min(...all.map(starts => starts[0] as number)),
    last_at: all.length === 0 ? null : Math.max(...all.map(starts => starts.at(-1) as number)),
    brought: JSON.stringify(text),
  }
}

/** Returns the data that came from the record in a row. Throws ServiceError `data_damaged`. */
export function broughtIn(row: LiveRecordRow): Brought {
  const [samples, summaries, streams] = storedJson<Text>(row.brought, () => LIVE_RECORDS.damageLocation(row))
  return { samples: new Map(samples.map(([number, runs]) => [number, decodeRuns(runs)])), summaries, streams }
}

function encodeRuns(starts: readonly EpochMs[]): Runs {
  const runs: number[] = []
  for (let i = 0; i < starts.length; ) {
    const first = starts[i] as number
    const step = (starts[i + 1] ?? first) - first
    let n = 1
    while (step > 0 && starts[i + n] === first + n * step) n++
    runs.push(first, step, n)
    i += n
  }
  return runs
}

function decodeRuns(runs: Runs): EpochMs[] {
  const starts: EpochMs[] = []
  for (let i = 0; i + 2 < runs.length; i += 3) {
    const [first = 0, step = 0, n = 0] = runs.slice(i, i + 3)
    for (let row = 0; row < n; row++) starts.push(first + row * step)
  }
  return starts
}
