/** Joins systolic and diastolic values that a file lists separately, by their time. */
import type { EpochMs } from '../../../core/time.ts'

type Half = 'systolic' | 'diastolic'

/** Maximum number of values that wait for their other half; a hostile file must not exhaust memory. */
const MOST_WAITING = 100_000

export class PressurePairs {
  /** The reason under which the second half is counted: it is a record, and stored as part of a reading. */
  static readonly JOINED = 'the other half of a blood pressure reading that is stored'
  private readonly waiting = new Map<EpochMs, { readonly half: Half; readonly value: number; readonly place: string }>()
  private readonly onDrop: (place: string) => void

  /** `onDrop` is called for values that have no other half. */
  constructor(onDrop: (place: string) => void) {
    this.onDrop = onDrop
  }

  /** Adds one half. Returns the reading that it completes, or undefined while it waits for its other half. */
  add(half: Half, value: number, at: EpochMs, place: string): ReadonlyMap<Half, number> | undefined {
    const other = this.waiting.get(at)
    if (other !== undefined && other.half !== half) {
      this.waiting.delete(at)
      return new Map([
        [half, value],
        [other.half, other.value],
      ])
    }
    // the same half twice: the later one replaces the earlier one, as with any sample
    if (other !== undefined) this.onDrop(other.place)
    if (this.waiting.size < MOST_WAITING || other !== undefined) this.waiting.set(at, { half, value, place })
    else this.onDrop(place)
    return undefined
  }

  /** Drops the values without another half. Call it once at the end. */
  finish(): void {
    for (const { place } of this.waiting.values()) this.onDrop(place)
  }
}
