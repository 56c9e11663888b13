/** Joins, by their time, systolic and diastolic values that a file lists separately. */

export type PressureHalf = 'systolic' | 'diastolic'

interface Waiting<Place> {
  readonly half: PressureHalf
  readonly value: number
  readonly position: Place
}

/** Pairs values that have the same key: their time, and their source if a file has several. */
export class PressurePairs<Key extends string | number, Place> {
  private readonly waiting = new Map<Key, Waiting<Place>>()
  private readonly mostWaiting: number
  private readonly onDrop: (position: Place) => void

  /**
   * `onDrop` is called with the position of each value without another half. At most `mostWaiting` values wait for their other half,
   * because a hostile file must not exhaust memory.
   */
  constructor(onDrop: (position: Place) => void, mostWaiting = 100_000) {
    this.onDrop = onDrop
    this.mostWaiting = mostWaiting
  }

  /** Adds one half. Returns the reading that it completes, or undefined if it must wait for its other half. */
  add(
    half: PressureHalf,
    value: number,
    key: Key,
    position: Place,
  ): Readonly<Record<PressureHalf, number>> | undefined {
    const other = this.waiting.get(key)
    if (other !== undefined && other.half !== half) {
      this.waiting.delete(key)
      return half === 'systolic'
        ? { systolic: value, diastolic: other.value }
        : { systolic: other.value, diastolic: value }
    }
    // if the same half appears twice, the later one replaces the earlier one, as for any sample
    if (other !== undefined) this.onDrop(other.position)
    if (this.waiting.size < this.mostWaiting || other !== undefined) this.waiting.set(key, { half, value, position })
    else this.onDrop(position)
    return undefined
  }

  /** Drops the values without another half. Call this once at the end. */
  finish(): void {
    for (const { position } of this.waiting.values()) this.onDrop(position)
    this.waiting.clear()
  }
}

/** The reason under which the second half is counted. It is a record, but it is stored as part of a reading. */
export const OTHER_HALF = 'the other half of a blood pressure reading that is stored'
