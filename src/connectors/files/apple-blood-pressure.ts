/** Systolic and diastolic records joined to one reading: an export lists them apart, all of one kind before the other. */
import type { SourceType } from '../../catalogue/source-types.ts'
import type { EpochMs } from '../../core/time.ts'

export interface BloodPressureReading {
  readonly sourceType: SourceType
  readonly start: EpochMs
  /** As in `SampleColumns.offset`. */
  readonly offset: number
  /** mmHg. */
  readonly systolic: number
  readonly diastolic: number
}

/** Readings that wait for their other half; a century of hourly readings is within it. */
const MAX_WAITING = 1_000_000

interface Waiting {
  readonly part: 'systolic' | 'diastolic'
  readonly value: number
}

/** Halves belong together when they have the same source and start. */
export class BloodPressurePairs {
  /** Records that became the second half of a reading. */
  joined = 0
  private readonly waiting = new Map<string, Waiting>()
  private dropped = 0

  /** Takes one record; answers the reading that it completes, if it does. */
  add(
    part: Waiting['part'],
    sourceType: SourceType,
    sourceName: string,
    start: EpochMs,
    offset: number,
    value: number,
  ): BloodPressureReading | undefined {
    const key = `${start} ${sourceType} ${sourceName}`
    const other = this.waiting.get(key)
    if (other !== undefined && other.part !== part) {
      this.waiting.delete(key)
      this.joined++
      const systolic = part === 'systolic' ? value : other.value
      const diastolic = part === 'diastolic' ? value : other.value
      return { sourceType, start, offset, systolic, diastolic }
    }
    // the same half twice: the later one replaces the earlier, as with any sample
    if (other !== undefined || this.waiting.size >= MAX_WAITING) this.dropped++
    if (other !== undefined || this.waiting.size < MAX_WAITING) this.waiting.set(key, { part, value })
    return undefined
  }

  /** Records whose other half is not in the file. */
  get unpaired(): number {
    return this.waiting.size + this.dropped
  }
}
