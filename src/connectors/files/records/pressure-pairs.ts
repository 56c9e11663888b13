/** Systolic and diastolic values that a file lists apart, joined by their time. */
import type { EpochMs } from '../../../core/time.ts'

type Half = 'systolic' | 'diastolic'

/** What waits for its other half; a hostile file must not fill the memory. */
const MOST_WAITING = 100_000

export class PressurePairs {
  /** Under this the second half is counted: it is a record, and part of what is stored. */
  static readonly JOINED = 'the other half of a blood pressure that is stored'
  private readonly waiting = new Map<EpochMs, { readonly half: Half; readonly value: number; readonly place: string }>()
  private readonly onDrop: (place: string) => void

  /** `onDrop` hears of halves that will find no other one. */
  constructor(onDrop: (place: string) => void) {
    this.onDrop = onDrop
  }

  /** The reading that the half completes; undefined where it waits for its other half. */
  add(half: Half, value: number, at: EpochMs, place: string): ReadonlyMap<Half, number> | undefined {
    const other = this.waiting.get(at)
    if (other !== undefined && other.half !== half) {
      this.waiting.delete(at)
      return new Map([
        [half, value],
        [other.half, other.value],
      ])
    }
    // the same half twice: the later replaces the earlier, as with any sample
    if (other !== undefined) this.onDrop(other.place)
    if (this.waiting.size < MOST_WAITING || other !== undefined) this.waiting.set(at, { half, value, place })
    else this.onDrop(place)
    return undefined
  }

  /** Call it once at the end: the halves that stayed alone are dropped. */
  finish(): void {
    for (const { place } of this.waiting.values()) this.onDrop(place)
  }
}
