/** The engine's clock: real time shifted by an offset in the store, or frozen, so that all processes see the same time. */
import type { EpochMs } from './time.ts'

/** The clock's state, as stored. */
export interface ClockState {
  /** Milliseconds added to real time. */
  readonly offsetMs: number
  /** Instant at which the clock is frozen, regardless of the offset; null if it runs. */
  readonly frozenAt: EpochMs | null
}

/** Returns the clock's time at the real time `real`. */
export function clockAt({ offsetMs, frozenAt }: ClockState, real: EpochMs): EpochMs {
  return frozenAt ?? real + offsetMs
}

/** Source of real time; tests inject their own. */
export interface RealTime {
  now(): EpochMs
  /** Returns milliseconds since an arbitrary moment, more precise than `now`, for measuring. If absent, `now` is used. */
  elapsed?(): number
}

export const systemTime: RealTime = { now: () => Date.now(), elapsed: () => performance.now() }
