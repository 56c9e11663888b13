/**
 * Computes the value macros of the sleep table, as functions of numbers in which NaN is null. The formulas and constants are in
 * docs/aggregate.md.
 */
import { DAY_MS, type EpochMs, HOUR_MS, SECOND_MS } from '../../../core/time.ts'
import { AWAKE_STAGE, type Segment } from './hypnograms.ts'

/** Inputs for a night's score, in seconds, with efficiency in percent. */
export interface NightFigures {
  readonly asleep: number
  readonly efficiency: number
  readonly deep: number
  readonly rem: number
  readonly latency: number
}

/** A part of the score, from 0 (input at or beyond `worst`) to 1 (input at or beyond `best`). */
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

/**
 * Returns a score from 0 to 100. Parts without an input are left out, and the remaining parts get more weight. Without the time asleep,
 * there is no score.
 */
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

/** A night whose middle is at or after this time of day belongs to the next day. */
const EVENING_MS = 17 * HOUR_MS
const LARK_UNTIL_MS = 3.5 * HOUR_MS
const THIRD_UNTIL_MS = 6 * HOUR_MS

/** Classifies a session by the time of day at its middle. Returns null if either end is null. */
export function chronotype(start: EpochMs, end: EpochMs): 'lark' | 'third' | 'owl' | null {
  const middle = (start + end) / 2
  if (Number.isNaN(middle)) return null
  const timeOfDay = middle - Math.floor(middle / DAY_MS) * DAY_MS
  if (timeOfDay >= EVENING_MS || timeOfDay <= LARK_UNTIL_MS) return 'lark'
  return timeOfDay <= THIRD_UNTIL_MS ? 'third' : 'owl'
}

/** Returns the session's floating start time plus the time until sleep, given in seconds. */
export function asleepAt(start: EpochMs, latency: number): EpochMs {
  return timeCell(start + latency * SECOND_MS)
}

/** Returns the end of the last segment that is not awake. The segments must be in ascending order of start. */
export function awakeAt(start: EpochMs, segments: readonly Segment[] | undefined): EpochMs {
  const last = segments?.findLast(segment => segment.stage !== AWAKE_STAGE)
  return last === undefined ? Number.NaN : timeCell(start + last.endSecond * SECOND_MS)
}

/** First and last times with a four-digit year. A document may contain a number of seconds that leads to a later time. */
const [FIRST_TIME, LAST_TIME] = [Date.parse('0001-01-01T00:00:00Z'), Date.UTC(9999, 11, 31, 23, 59, 59, 999)]

function timeCell(at: EpochMs): EpochMs {
  return at >= FIRST_TIME && at <= LAST_TIME ? at : Number.NaN
}

/** The stages that count as sleep: deep, light, rem and manual. */
const SLEEP_STAGES: ReadonlySet<number> = new Set([1, 2, 3, 5])

/** Counts the awake segments that directly follow a sleep segment. The segments must be in ascending order of start. */
export function awakenings(segments: readonly Segment[] | undefined): number {
  if (segments === undefined) return Number.NaN
  return segments.filter((segment, i) => {
    const before = segments[i - 1]
    return segment.stage === AWAKE_STAGE && before !== undefined && SLEEP_STAGES.has(before.stage)
  }).length
}
