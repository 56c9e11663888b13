/** The one clock: real time shifted by an offset that the store keeps, or held still, so that every process sees the same now (design 9). */
import type { EpochMs } from './time.ts'

/** What the store keeps of the clock. */
export interface ClockState {
  /** Milliseconds added to real time. */
  readonly offsetMs: number
  /** The instant at which it stands still, whatever the offset; null: it runs. */
  readonly frozenAt: EpochMs | null
}

/** What the clock says when real time is `real`. */
export function clockAt({ offsetMs, frozenAt }: ClockState, real: EpochMs): EpochMs {
  return frozenAt ?? real + offsetMs
}

/** Where real time comes from; tests hand in their own. */
export interface RealTime {
  now(): EpochMs
  /** Milliseconds since any moment, finer than `now`, for measuring; absent: `now`. */
  elapsed?(): number
}

export const systemTime: RealTime = { now: () => Date.now(), elapsed: () => performance.now() }
