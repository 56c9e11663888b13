/** Collects resting heart rates and heart rate variability for summaries of days and nights, which are complete only at a file's end. */
import { getOrInsert } from '../../core/maps.ts'
import { DAY_MS, type EpochMs, type IsoDate } from '../../core/time.ts'
import type { Session } from './summaries.ts'

/** Maximum number of HRV values, enough for one every 30 minutes for 50 years. */
const MOST_VALUES = 1_000_000
/** Maximum number of days or nights that wait for their values, enough for more than a lifetime. Further ones are added without values. */
export const MOST_WAITING = 40_000
/** Why records of resting heart rates are not stored as samples: one would replace a reading at the same time. */
export const ONLY_IN_SUMMARIES = 'resting heart rates, which are stored only in the summaries of days and nights'

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

/** A source type's values in time order, with the sum of those before each one. */
interface Sorted {
  readonly times: Float64Array
  readonly sums: Float64Array
}

export class HeartValues {
  /** Latest values by date, of any source type, and by date and source type. */
  private readonly resting = new Map<string, Resting>()
  /** Values by source type. */
  private readonly variability = new Map<string, HeartValue[]>()
  private readonly sorted = new Map<string, Sorted>()
  private count = 0

  /** Adds a resting heart rate of a local date. The latest of a date replaces earlier ones, as platforms compute it again during the day. */
  addResting(date: IsoDate, { sourceType, at, value: bpm }: HeartValue): void {
    for (const key of [date, `${date} ${sourceType}`]) {
      if (at >= (this.resting.get(key)?.at ?? at)) this.resting.set(key, { at, bpm })
    }
  }

  /** Adds an HRV value. All must be added before the first mean is read. */
  addVariability(value: HeartValue): void {
    if (++this.count > MOST_VALUES) return
    getOrInsert(this.variability, value.sourceType, () => []).push(value)
  }

  /** Returns the resting heart rate of a date in bpm, of this source type if it has one, otherwise of any; null if there is none. */
  restingOn(date: IsoDate, sourceType?: string): number | null {
    return (this.resting.get(`${date} ${sourceType}`) ?? this.resting.get(date))?.bpm ?? null
  }

  /** Returns the mean of a source type's values within a session of at most a day, in ms; null if there are fewer than `least`. */
  variabilityIn(sourceType: string, { start, end }: Session, least = 1): number | null {
    // a mean of some of the values would look complete
    if (this.count > MOST_VALUES || end - start > DAY_MS) return null
    const { times, sums } = getOrInsert(this.sorted, sourceType, () => sortedValues(this.variability.get(sourceType)))
    const [from, to] = [firstFrom(times, start), firstFrom(times, end)]
    if (to - from < least) return null
    return Math.round((((sums[to] ?? 0) - (sums[from] ?? 0)) / (to - from)) * 100) / 100
  }
}

function sortedValues(values: readonly HeartValue[] = []): Sorted {
  const sorted = values.toSorted((a, b) => a.at - b.at)
  const sums = new Float64Array(sorted.length + 1)
  for (const [i, { value }] of sorted.entries()) sums[i + 1] = (sums[i] ?? 0) + value
  return { times: Float64Array.from(sorted, ({ at }) => at), sums }
}

/** Returns the index of the first time at or after another one. */
function firstFrom(times: Float64Array, time: EpochMs): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) < time) low = middle + 1
    else high = middle
  }
  return low
}
