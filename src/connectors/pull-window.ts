/** The time range that a pull covers. */
import type { EpochMs } from '../core/time.ts'

/** A half-open range of real time. */
export interface PullWindow {
  readonly from: EpochMs
  readonly to: EpochMs
}
