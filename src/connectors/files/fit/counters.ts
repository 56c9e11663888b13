/** Counters that a watch keeps through the day, one an activity type, as what was counted in between. */

/** What was counted from `start` to `end`, seconds of the device. */
export interface Counted {
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
/** What is counted is rounded to centimetres: the smallest step of all counters. */
const STEPS = 100
/** Counts kept to be joined with others of the same start. */
const MOST_PENDING = 100_000

/**
 * Counters begin at zero at local midnight. So a count is the difference to the one before it, or, when midnight lies between
 * them or it has fallen, the count itself. The first one of a file is where counting starts, unless midnight lies between it
 * and the start of the file.
 */
export class FitCounters {
  private readonly counters = new Map<string, Counter>()
  private readonly pending = new Map<string, Counted>()

  /**
   * Takes a reading of the counter; false when it is only where counting starts. `offset`: seconds east of UTC, or null when
   * midnight is not known; `fileStart`: when the file began; `isShort`: the counter has 16 bits and starts again after them.
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
    // readings of one moment repeat each other, and an older one has been counted
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

  /** What has been counted, when there is much of it or at the end. Counts of several activity types from one start are one. */
  *take(isEnd: boolean): Generator<Counted> {
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

/** The last local midnight before a time (a reading at midnight belongs to the day that ends). */
function midnightBefore(time: number, offset: number | null): number | undefined {
  if (offset === null) return undefined
  return Math.floor((time + offset - 1) / DAY_SECONDS) * DAY_SECONDS - offset
}
