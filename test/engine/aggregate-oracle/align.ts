/** Fills empty buckets after the aggregation, partition by partition and column by column. See docs/interface/aggregates.md. */
import { bucketStart, type Period, plus } from './calendar.ts'
import type { Value } from './data.ts'
import type { Outcome } from './functions.ts'

export interface Carry {
  readonly mode: 'carry_forward' | 'carry_backward' | 'carry_nearest'
  readonly max_age?: Period | null
  readonly span?: Period | null
}

/** The key values and function values of a result row. */
export interface Line {
  readonly keys: readonly Value[]
  readonly values: readonly Outcome[]
}

/** Returns the lines with the buckets filled. `at` is the position of the date_trunc among the keys; `now` is floating. */
export function align(lines: readonly Line[], at: number, bucket: Period, carry: Carry, now: number): readonly Line[] {
  const partitions = new Map<string, Line[]>()
  for (const line of lines) {
    const name = JSON.stringify(line.keys.filter((_, i) => i !== at))
    partitions.set(name, [...(partitions.get(name) ?? []), line])
  }
  return [...partitions.values()].flatMap(partition => filled(partition, at, bucket, carry, now))
}

function filled(partition: readonly Line[], at: number, bucket: Period, carry: Carry, now: number): readonly Line[] {
  const cap = carry.max_age ?? carry.span ?? null
  const observed = [...partition].sort((a, b) => (a.keys[at] as number) - (b.keys[at] as number))
  const [first, last] = [observed[0]?.keys[at] as number, observed.at(-1)?.keys[at] as number]
  const spine: number[] = []
  for (let b = first; b <= last; b = plus(b, bucket)) spine.push(b)
  if (cap && carry.mode !== 'carry_backward') {
    const latest = Math.max(last, bucketStart(now, bucket))
    for (let b = plus(last, bucket); b <= latest && b <= plus(last, cap); b = plus(b, bucket)) spine.push(b)
  }
  if (cap && carry.mode !== 'carry_forward') {
    for (let b = plus(first, bucket, -1); plus(b, cap) >= first; b = plus(b, bucket, -1)) spine.unshift(b)
  }
  const byTime = new Map(observed.map(each => [each.keys[at], each]))
  return spine.map(b => {
    const line = byTime.get(b)
    const keys = (observed[0] as Line).keys.map((key, i) => (i === at ? b : key))
    const values = (observed[0] as Line).values.map((_, column) => {
      const own = line?.values[column]
      return own && own.value !== null ? own : carried(observed, column, at, b, carry.mode, cap)
    })
    return { keys, values }
  })
}

function carried(
  observed: readonly Line[],
  column: number,
  at: number,
  b: number,
  mode: Carry['mode'],
  cap: Period | null,
): Outcome {
  const sources = observed
    .map(line => ({ time: line.keys[at] as number, outcome: line.values[column] as Outcome }))
    .filter(({ time, outcome }) => {
      if (outcome.value === null) return false
      if (time < b && mode === 'carry_backward') return false
      if (time > b && mode === 'carry_forward') return false
      return cap === null || plus(Math.min(time, b), cap) >= Math.max(time, b)
    })
  // nearest first; of two equally near ones, the earlier
  sources.sort((x, y) => Math.abs(x.time - b) - Math.abs(y.time - b) || x.time - y.time)
  return sources[0]?.outcome ?? { value: null, slack: 0 }
}
