/** The times of a FIT file as instants, and what is known of the local time. */
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import { fromLocal, zoneOffset } from '../../../core/zones.ts'

/** 1989-12-31T00:00:00Z, from where FIT counts seconds. */
const FIT_EPOCH_MS = 631_065_600_000
/** Times below it count from when the device was switched on: its clock was not set (FIT profile, `date_time`). */
const FIRST_DATE = 0x1000_0000
const QUARTER_SECONDS = 900
/** How far the two times of one message may be apart beside the offset: they are rarely read in the same second. */
const TOLERANCE_SECONDS = 60
const MOST_OFFSET_SECONDS = 14 * 3600

/** Why a time without an instant is not kept, ready to follow the name of what has it. */
export const NO_DATE = 'has no date: the clock of the device was not set'

/** Learns the offset from messages that hold both times (`activity`, `monitoring_info`). */
export class FitClock {
  /** Seconds east of UTC, or null while nothing has told it. */
  offset: number | null = null
  private readonly zone: string | null
  /** For a device without a date: what to add to its seconds. */
  private sinceSwitchedOn: EpochMs | undefined

  /** `zone`: where a local time without an offset is read; null: UTC. */
  constructor(zone: string | null) {
    this.zone = zone
  }

  /** Both times of one message, in seconds; local times count from 1989-12-31 on the clock. */
  learn(timestamp: number | undefined, local: number | undefined): void {
    if (timestamp === undefined || local === undefined || local < FIRST_DATE) return
    if (timestamp >= FIRST_DATE) {
      this.offset = offsetOf(local - timestamp) ?? this.offset
      return
    }
    const wall = FIT_EPOCH_MS + local * SECOND_MS
    const at = this.zone === null ? wall : fromLocal(this.zone, wall)
    this.sinceSwitchedOn = at - timestamp * SECOND_MS
    this.offset = this.zone === null ? null : zoneOffset(this.zone, at)
  }

  /** The instant of a time, to the millisecond, or undefined when the device did not know the date. */
  instantOf(seconds: number): EpochMs | undefined {
    const ms = Math.round(seconds * SECOND_MS)
    if (seconds >= FIRST_DATE) return FIT_EPOCH_MS + ms
    return this.sinceSwitchedOn === undefined ? undefined : this.sinceSwitchedOn + ms
  }
}

/** Whole quarters of an hour, as all offsets are; undefined when the difference is none. */
function offsetOf(difference: number): number | undefined {
  const offset = Math.round(difference / QUARTER_SECONDS) * QUARTER_SECONDS
  if (Math.abs(offset) > MOST_OFFSET_SECONDS || Math.abs(difference - offset) > TOLERANCE_SECONDS) return undefined
  return offset
}
