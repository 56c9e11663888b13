/** Collects resting heart rates and heart rate variability for summaries of days and nights, which are complete only at a file's end. */
import { getOrInsert } from '../../core/maps.ts'
import type { EpochMs, IsoDate } from '../../core/time.ts'
import type { Session } from './summaries.ts'

/** Maximum number of values of variability, enough for a value every 30 minutes for 50 years. */
const MOST_VALUES = 1_000_000

/** A value as a sample has it: its kind is the sample's `type`. */
export interface HeartValue {
  readonly sourceType: string
  readonly at: EpochMs
  /** bpm or ms. */
  readonly value: number
}

interface Resting {
  readonly at: EpochMs
  readonly bpm: number
}

export class HeartValues {
  /** Latest values by date, of any source type, and by date and source type. */
  private readonly resting = new Map<string, Resting>()
  /** Values by source type, which are sorted when they are first read. */
  private readonly variability = new Map<string, { readonly values: HeartValue[]; isSorted: boolean }>()
  private count = 0

  /** Adds a resting heart rate of a local date. The latest of a date replaces earlier ones, as platforms compute it again during the day. */
  addResting(date: IsoDate, { sourceType, at, value: bpm }: HeartValue): void {
    for (const key of [date, `${date} ${sourceType}`]) {
      if (at >= (this.resting.get(key)?.at ?? at)) this.resting.set(key, { at, bpm })
    }
  }

  addVariability(value: HeartValue): void {
    if (++this.count > MOST_VALUES) return
    const series = getOrInsert(this.variability, value.sourceType, () => ({ values: [], isSorted: true }))
    series.values.push(value)
    series.isSorted = false
  }

  /** Returns the resting heart rate of a date in bpm, of one source type or of any; null if there is none. */
  restingOn(date: IsoDate, sourceType?: string): number | null {
    return this.resting.get(sourceType === undefined ? date : `${date} ${sourceType}`)?.bpm ?? null
  }

  /** Returns the mean of a source type's values within a session, in ms; null if there are fewer than `least`. */
  variabilityIn(sourceType: string, { start, end }: Session, least = 1): number | null {
    const series = this.variability.get(sourceType)
    // a mean of some of the values would look complete
    if (series === undefined || this.count > MOST_VALUES) return null
    const { values } = series
    if (!series.isSorted) values.sort((a, b) => a.at - b.at)
    series.isSorted = true
    const within = values.slice(firstFrom(values, start), firstFrom(values, end))
    if (within.length < least) return null
    return Math.round((within.reduce((sum, { value }) => sum + value, 0) / within.length) * 100) / 100
  }
}

/** Returns the index of the first value at or after a time. */
function firstFrom(values: readonly HeartValue[], time: EpochMs): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle]?.at ?? 0) < time) low = middle + 1
    else high = middle
  }
  return low
}
