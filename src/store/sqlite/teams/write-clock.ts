/** Setting the clock, and what falls due earlier because of it. */
import type { ClockState } from '../../../core/clock.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { Connection } from '../connection.ts'
import { hastenDeliveries } from '../deliveries/backlog.ts'
import { hastenQueryJobs } from '../jobs.ts'
import { CLOCK_FROZEN, CLOCK_OFFSET, putSetting, readClock } from './settings.ts'

/** Sets the clock. `now` is the time that the new clock shows. Returns false, and changes nothing, if the clock is not as in `before`. */
export function writeClock(db: Connection, state: ClockState, now: EpochMs, before?: ClockState): boolean {
  if (before !== undefined) {
    const { offsetMs, frozenAt } = readClock(db)
    if (offsetMs !== before.offsetMs || frozenAt !== before.frozenAt) return false
  }
  hastenQueryJobs(db, now)
  hastenDeliveries(db, now)
  putSetting(db, CLOCK_OFFSET, state.offsetMs)
  if (state.frozenAt === null) db.run('DELETE FROM setting WHERE name=?', CLOCK_FROZEN)
  else putSetting(db, CLOCK_FROZEN, state.frozenAt)
  return true
}
