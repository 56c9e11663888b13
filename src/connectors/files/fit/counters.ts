/** Converts a watch's daily counters, one per activity type, into counts between two readings. */

/** The count from `start` to `end`, in device seconds. */
export interface CounterSpan {
  readonly resource: string
  readonly start: number
  end: number
  value: number
}

interface Counter {
  time: number
  value: number
}

const DAY_SECONDS = 86_400
const WRAP = 0x1_0000
/** Counts are rounded to hundredths, because a centimetre is the smallest step of any counter. */
const STEPS = 100
/** Maximum number of counts that are held back so that they can be combined with counts that have the same start. */
const MOST_PENDING = 100_000

/**
 * Computes counts. Counters start at zero at local midnight, so a count is the difference from the previous reading. If the counter has
 * decreased or there is a midnight between the readings, the count is the reading itself. The first reading in a file only sets the
 * starting point, unless there is a midnight between the start of the file and the reading.
 */
export class FitCounters {
  private readonly counters = new Map<string, Counter>()
  private readonly pending = new Map<string, CounterSpan>()

  /**
   * Adds a reading of the counter. Returns false if it only sets the starting point. `offset` is in seconds east of UTC, or null if
   * midnight is unknown. `fileStart` is the start of the file. `isShort` means that the counter has 16 bits and wraps around.
   */
  add(
    resource: string,
    activityType: number,
    time: number,
    value: number,
    known: { readonly offset: number | null; readonly fileStart: number; readonly isShort: boolean },
  ): boolean {
    const key = `${resource} ${activityType}`
    const before = this.counters.get(key)
    // readings at the same moment are equal, and older readings have already been counted
    if (before !== undefined && time <= before.time) return true
    this.counters.set(key, { time, value })
    const midnight = midnightBefore(time, known.offset)
    if (before === undefined) {
      if (midnight === undefined || midnight < known.fileStart) return false
      this.put(resource, midnight, time, value)
      return true
    }
    if (midnight !== undefined && midnight >= before.time) this.put(resource, midnight, time, value)
    else if (value >= before.value) this.put(resource, before.time, time, value - before.value)
    else if (known.isShort && before.value >= WRAP * 0.75 && value < WRAP / 4) {
      this.put(resource, before.time, time, value + WRAP - before.value)
    } else this.put(resource, before.time, time, value)
    return true
  }

  /** Yields the counts, once there are many of them or at the end. Adds up the counts of several activity types with the same start. */
  *take(isEnd: boolean): Generator<CounterSpan> {
    if (!isEnd && this.pending.size < MOST_PENDING) return
    yield* this.pending.values()
    this.pending.clear()
  }

  private put(resource: string, start: number, end: number, value: number): void {
    const key = `${resource} ${start}`
    const there = this.pending.get(key)
    if (there === undefined) {
      this.pending.set(key, { resource, start, end, value: Math.round(value * STEPS) / STEPS })
      return
    }
    there.end = Math.max(there.end, end)
    there.value = Math.round((there.value + value) * STEPS) / STEPS
  }
}

/** Returns the last local midnight before a time. A reading at midnight belongs to the day that ends. */
function midnightBefore(time: number, offset: number | null): number | undefined {
  if (offset === null) return undefined
  return Math.floor((time + offset - 1) / DAY_SECONDS) * DAY_SECONDS - offset
}
