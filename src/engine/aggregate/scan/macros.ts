/**
 * The value macros of the sleep table, as functions of numbers in which NaN is null (interface-gaps 4.9, macros; the formulas
 * and constants stand in docs/aggregate.md).
 */
import { DAY_MS, type EpochMs, HOUR_MS, SECOND_MS } from '../../../core/time.ts'
import { AWAKE_STAGE, type Segment } from './hypnograms.ts'

/** What a night is scored by: seconds, and efficiency in percent. */
export interface NightFigures {
  readonly asleep: number
  readonly efficiency: number
  readonly deep: number
  readonly rem: number
  readonly latency: number
}

/** A part of the score: from 0, where the input is at `worst` or beyond, to 1 at `best`. */
interface ScorePart {
  readonly figure: keyof NightFigures
  readonly worst: number
  readonly best: number
  readonly weight: number
}

const SCORE_PARTS: readonly ScorePart[] = [
  { figure: 'asleep', worst: 0, best: 28_800, weight: 40 },
  { figure: 'efficiency', worst: 60, best: 90, weight: 20 },
  { figure: 'deep', worst: 0, best: 5_400, weight: 15 },
  { figure: 'rem', worst: 0, best: 5_400, weight: 15 },
  { figure: 'latency', worst: 3_600, best: 1_200, weight: 10 },
]

/** 0 to 100. Parts without an input are left out and the others weigh more; without the time asleep there is no score. */
export function sleepScore(figures: NightFigures): number {
  if (Number.isNaN(figures.asleep)) return Number.NaN
  let [sum, weights] = [0, 0]
  for (const { figure, worst, best, weight } of SCORE_PARTS) {
    const value = figures[figure]
    if (Number.isNaN(value)) continue
    const share = (value - worst) / (best - worst)
    sum += weight * Math.min(1, Math.max(0, share))
    weights += weight
  }
  return Math.round((100 * sum) / weights)
}

/** A middle of the night from here on belongs to the day after. */
const EVENING_MS = 17 * HOUR_MS
const LARK_UNTIL_MS = 3.5 * HOUR_MS
const THIRD_UNTIL_MS = 6 * HOUR_MS

/** By the time of day of the middle of the session; null when an end is. */
export function chronotype(start: EpochMs, end: EpochMs): 'lark' | 'third' | 'owl' | null {
  const middle = (start + end) / 2
  if (Number.isNaN(middle)) return null
  const timeOfDay = middle - Math.floor(middle / DAY_MS) * DAY_MS
  if (timeOfDay >= EVENING_MS || timeOfDay <= LARK_UNTIL_MS) return 'lark'
  return timeOfDay <= THIRD_UNTIL_MS ? 'third' : 'owl'
}

/** Floating start of the session and seconds until asleep. */
export function asleepAt(start: EpochMs, latency: number): EpochMs {
  return timeCell(start + latency * SECOND_MS)
}

/** End of the last segment that is not awake; segments ascend by start. */
export function awakeAt(start: EpochMs, segments: readonly Segment[] | undefined): EpochMs {
  const last = segments?.findLast(segment => segment.stage !== AWAKE_STAGE)
  return last === undefined ? Number.NaN : timeCell(start + last.endSecond * SECOND_MS)
}

/** Times have four digits of a year: a document may tell of more seconds than lead to one. */
const [FIRST_TIME, LAST_TIME] = [Date.parse('0001-01-01T00:00:00Z'), Date.UTC(9999, 11, 31, 23, 59, 59, 999)]

function timeCell(at: EpochMs): EpochMs {
  return at >= FIRST_TIME && at <= LAST_TIME ? at : Number.NaN
}

/** The stages of sleep: deep, light, rem, and what was noted by hand. */
const SLEEP_STAGES: ReadonlySet<number> = new Set([1, 2, 3, 5])

/** How often a segment of being awake follows on one of sleep; segments ascend by start. */
export function awakenings(segments: readonly Segment[] | undefined): number {
  if (segments === undefined) return Number.NaN
  return segments.filter((segment, i) => {
    const before = segments[i - 1]
    return segment.stage === AWAKE_STAGE && before !== undefined && SLEEP_STAGES.has(before.stage)
  }).length
}
