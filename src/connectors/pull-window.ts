/** What part of a person's time is pulled. */
import type { EpochMs } from '../core/time.ts'

/** A half-open span of real time. */
export interface PullWindow {
  readonly from: EpochMs
  readonly to: EpochMs
}
