/** The value macros of a night. See docs/aggregate.md and docs/interface/aggregates.md. */
import type { PlainSummary, Value } from './data.ts'
import { TABLES, typed } from './tables.ts'

export const MACROS = {
  sleep_score: 'int',
  chronotype: 'text',
  asleep_at: 'time',
  awake_at: 'time',
  awakenings: 'int',
} as const

const HOUR = 3_600_000
const AWAKE = 4
const ASLEEP = [1, 2, 3, 5]

interface Segment {
  readonly start: number
  readonly end: number
  readonly stage: number
}

/** Reads a column of a night. */
type Night = (column: string) => Value

/** Returns a reader for the cells of a night by column name. */
export function buildNight(summary: PlainSummary, zone: string): Night {
  return name => {
    const column = TABLES['sleep']?.[name]
    return column ? typed(column.kind, column.read(summary, zone)) : null
  }
}

export function macro(name: string, night: Night, hypnogram: readonly Segment[] | null): Value {
  switch (name) {
    case 'sleep_score':
      return sleepScore(night)
    case 'chronotype':
      return chronotype(night('session_start') as number | null, night('session_end') as number | null)
    case 'asleep_at': {
      const [start, latency] = [night('session_start'), night('latency_second')]
      return start === null || latency === null ? null : (start as number) + (latency as number) * 1000
    }
    case 'awake_at': {
      const start = night('session_start')
      const last = hypnogram?.filter(each => each.stage !== AWAKE).at(-1)
      return start === null || !last ? null : (start as number) + last.end * 1000
    }
    default:
      if (!hypnogram) return null
      return hypnogram.filter((each, i) => each.stage === AWAKE && ASLEEP.includes(hypnogram[i - 1]?.stage ?? 0)).length
  }
}

function sleepScore(night: Night): number | null {
  if (night('stage_asleep_second') === null) return null
  const parts: readonly (readonly [number, string, (value: number) => number])[] = [
    [40, 'stage_asleep_second', value => value / 28_800],
    [20, 'efficiency', value => (value - 60) / 30],
    [15, 'stage_deep_second', value => value / 5400],
    [15, 'stage_rem_second', value => value / 5400],
    [10, 'latency_second', value => (3600 - value) / 2400],
  ]
  let [sum, weights] = [0, 0]
  for (const [weight, column, part] of parts) {
    const value = night(column)
    if (value === null) continue
    sum += weight * Math.min(1, Math.max(0, part(value as number)))
    weights += weight
  }
  return Math.floor((100 * sum) / weights + 0.5)
}

function chronotype(start: number | null, end: number | null): string | null {
  if (start === null || end === null) return null
  const day = 24 * HOUR
  const middle = ((((start + end) / 2) % day) + day) % day
  if (middle >= 17 * HOUR || middle <= 3.5 * HOUR) return 'lark'
  return middle <= 6 * HOUR ? 'third' : 'owl'
}

/** Returns the segments of the night's own hypnogram, ordered by start, or null if it has none. */
export function findHypnogram(sleep: PlainSummary, cycles: readonly PlainSummary[]): readonly Segment[] | null {
  const cycle = cycles.find(
    each =>
      each.provider === sleep.provider &&
      each.sourceType === sleep.sourceType &&
      each.document['sleep_id'] === sleep.id,
  )
  if (!cycle) return null
  const { stage_start_offset_second, stage_end_offset_second, stage_type } = cycle.document as Record<string, number[]>
  const segments = (stage_type ?? []).map((stage, i) => ({
    start: stage_start_offset_second?.[i] as number,
    end: stage_end_offset_second?.[i] as number,
    stage,
  }))
  // an empty list of segments says nothing about the night
  return segments.length === 0 ? null : segments.sort((a, b) => a.start - b.start)
}
