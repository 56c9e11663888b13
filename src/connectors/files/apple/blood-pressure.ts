/** Joins systolic and diastolic records into readings: an export lists them separately, all of one kind before all of the other. */
import type { EpochMs } from '../../../core/time.ts'
import type { SkipCounts } from '../skip-counts.ts'

/** One systolic or diastolic record. */
export interface PressureRecord {
  readonly sourceType: string
  readonly sourceName: string
  readonly start: EpochMs
  /** As in `SampleColumns.offset`. */
  readonly offset: number
  /** mmHg. */
  readonly value: number
  /** Byte position in the document. */
  readonly byte: number
}

export interface BloodPressureReading {
  readonly sourceType: string
  readonly start: EpochMs
  readonly offset: number
  readonly systolic: number
  readonly diastolic: number
}

/** Maximum number of values that wait for their other half. A century of hourly readings fits. */
const MAX_WAITING = 1_000_000
const JOINED = 'blood pressure values joined with their other half'
const ALONE = 'blood pressure values without their other half'

interface Waiting {
  readonly part: 'systolic' | 'diastolic'
  readonly value: number
  readonly byte: number
}

/** Pairs values that have the same source and the same start. */
export class BloodPressurePairs {
  private readonly waiting = new Map<string, Waiting>()
  private readonly skips: SkipCounts

  /** Counts in `skips` the second value of each reading, and the values without another half. */
  constructor(skips: SkipCounts) {
    this.skips = skips
  }

  /** Adds one record. Returns the reading that it completes, if any. */
  add(part: Waiting['part'], record: PressureRecord): BloodPressureReading | undefined {
    const { sourceType, start, offset, value, byte } = record
    const key = `${start} ${sourceType} ${record.sourceName}`
    const other = this.waiting.get(key)
    if (other !== undefined && other.part !== part) {
      this.waiting.delete(key)
      this.skip(JOINED, byte)
      const systolic = part === 'systolic' ? value : other.value
      const diastolic = part === 'diastolic' ? value : other.value
      return { sourceType, start, offset, systolic, diastolic }
    }
    if (other === undefined && this.waiting.size >= MAX_WAITING) this.skip(ALONE, byte)
    else {
      // the same half twice: the later one replaces the earlier, as with any sample
      if (other !== undefined) this.skip(ALONE, other.byte)
      this.waiting.set(key, { part, value, byte })
    }
    return undefined
  }

  /** Counts the records whose other half is missing. Call it at the end of the file. */
  finish(): void {
    for (const { byte } of this.waiting.values()) this.skip(ALONE, byte)
    this.waiting.clear()
  }

  private skip(reason: string, byte: number): void {
    this.skips.add(reason, 1, `byte ${byte}`)
  }
}
