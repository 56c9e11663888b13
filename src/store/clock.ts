/** The engine's clock as it is stored. Part of the port (port.ts). */
import type { ClockState } from '../core/clock.ts'
import type { EpochMs } from '../core/time.ts'

export interface ClockStore {
  read(): Promise<ClockState>
  /**
   * Sets the clock. `now` is the time that the new clock shows. If the clock is set back, continuous queries and retries that were waiting
   * after a run or an attempt that now lies in the future become due. Returns false, and changes nothing, if the clock is no longer as in
   * `before`.
   */
  set(state: ClockState, now: EpochMs, before?: ClockState): Promise<boolean>
}
