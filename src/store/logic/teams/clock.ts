/** Stores the engine's clock, and handles jobs that become due earlier when it changes. */
import type { ClockState } from '../../../core/clock.ts'
import type { EpochMs } from '../../../core/time.ts'

import { hastenRuns } from '../continuous/state.ts'
import { hastenDeliveries } from '../deliveries/backlog.ts'
import { part, read, write } from '../part.ts'
import { remembered, run, type Steps } from '../steps.ts'
import { CLOCK_FROZEN, CLOCK_OFFSET, DROP_SETTING, putSetting, readClock } from './settings.ts'

export class ClockStore extends part({
  read: read(() => remembered('clock', readClock)),
  set: write(writeClock),
}) {}

/**
 * Sets the clock. `now` is the time that the new clock shows. If the clock is set back, continuous queries and retries become due that were
 * waiting after a run or attempt that is now in the future. Returns false and changes nothing if the clock is no longer the same as
 * `before`.
 */
function* writeClock(state: ClockState, now: EpochMs, before?: ClockState): Steps<boolean> {
  if (before !== undefined) {
    const { offsetMs, frozenAt } = yield* readClock()
    if (offsetMs !== before.offsetMs || frozenAt !== before.frozenAt) return false
  }
  yield* hastenRuns(now)
  yield* hastenDeliveries(now)
  yield* putSetting(CLOCK_OFFSET, state.offsetMs)
  if (state.frozenAt === null) yield* run(DROP_SETTING, [CLOCK_FROZEN])
  else yield* putSetting(CLOCK_FROZEN, state.frozenAt)
  return true
}
