/** Converts the times in a FIT file to instants, and determines the local time's offset. */
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import { fromLocal, zoneOffset } from '../../../core/zones.ts'

/** 1989-12-31T00:00:00Z, the epoch of FIT times. */
const FIT_EPOCH_MS = 631_065_600_000
/**
 * Smallest time that is a date. Smaller times are relative to the moment when the device was switched on, because its clock was not set
 * (FIT profile, `date_time`).
 */
const FIRST_DATE = 0x1000_0000
const QUARTER_SECONDS = 900
/** Maximum difference between a message's two times apart from the offset, because they are rarely read in the same second. */
const TOLERANCE_SECONDS = 60
const MOST_OFFSET_SECONDS = 14 * 3600

/** The reason for skipping a record whose time is not an instant. It follows the record's name. */
export const NO_DATE = 'has no date because the clock of the device was not set'

/** Determines the offset from messages that have both times (`activity`, `monitoring_info`). */
export class FitClock {
  /** Offset in seconds east of UTC; null while unknown. */
  offset: number | null = null
  private readonly zone: string | null
  /** The offset to add to the seconds of a device without a date. */
  private sinceSwitchedOn: EpochMs | undefined

  /** `zone` is the zone for local times without an offset; null means UTC. */
  constructor(zone: string | null) {
    this.zone = zone
  }

  /** Determines the offset from a message's timestamp and its local time, both in seconds. Local times are counted from 1989-12-31 local time. */
  learn(timestamp: number | undefined, local: number | undefined): void {
    if (timestamp === undefined || local === undefined || local < FIRST_DATE) return
    if (timestamp >= FIRST_DATE) {
      this.offset = roundOffset(local - timestamp) ?? this.offset
      return
    }
    const wall = FIT_EPOCH_MS + local * SECOND_MS
    const at = this.zone === null ? wall : fromLocal(this.zone, wall)
    this.sinceSwitchedOn = at - timestamp * SECOND_MS
    this.offset = this.zone === null ? null : zoneOffset(this.zone, at)
  }

  /** Returns the instant of a time, to the millisecond, or undefined if the device did not know the date. */
  toInstant(seconds: number): EpochMs | undefined {
    const ms = Math.round(seconds * SECOND_MS)
    if (seconds >= FIRST_DATE) return FIT_EPOCH_MS + ms
    return this.sinceSwitchedOn === undefined ? undefined : this.sinceSwitchedOn + ms
  }
}

/** Rounds a difference to whole quarters of an hour, because all offsets are. Returns undefined if the result cannot be an offset. */
function roundOffset(difference: number): number | undefined {
  const offset = Math.round(difference / QUARTER_SECONDS) * QUARTER_SECONDS
  if (Math.abs(offset) > MOST_OFFSET_SECONDS || Math.abs(difference - offset) > TOLERANCE_SECONDS) return undefined
  return offset
}
