/** Tells main sleeps, naps and second sleeps apart. See docs/interface/merging.md#merging-13. */
import { DAY_MS, type EpochMs, HOUR_MS } from '../../../../core/time.ts'
import { asleepMs, isFlaggedNap, NAP_MS } from './nights.ts'
import { compareTimes, type Session } from './session.ts'

export type Role = 'main_sleep' | 'nap' | 'second_sleep'

/** A night as it is shown, with its floating times. */
export interface Night {
  readonly session: Session
  /** The date of waking, in days. */
  readonly date: number
  readonly start: EpochMs
  readonly end: EpochMs
}

const [MORNING_MS, AFTERNOON_MS] = [3 * HOUR_MS, 15 * HOUR_MS]
const [DAY_BEGINS_MS, DAY_ENDS_MS] = [9 * HOUR_MS, 20 * HOUR_MS]

/** Returns the role of each night on its date of waking. */
export function rolesOf(nights: readonly Night[]): readonly Role[] {
  const mains = new Map<number, Night>()
  for (const night of nights) {
    if (isFlaggedNap(night.session) || isShortByDay(night)) continue
    const main = mains.get(night.date)
    if (main === undefined || compareAsMain(night, main) < 0) mains.set(night.date, night)
  }
  return nights.map((night): Role => {
    if (mains.get(night.date) === night) return 'main_sleep'
    return isFlaggedNap(night.session) || asleepMs(night.session) < NAP_MS ? 'nap' : 'second_sleep'
  })
}

/** The main sleep ends in the morning if any does, and is the longest of those. */
function compareAsMain(a: Night, b: Night): number {
  const endsByDay = ({ end }: Night): number => Number(timeOfDay(end) >= MORNING_MS && timeOfDay(end) <= AFTERNOON_MS)
  return endsByDay(b) - endsByDay(a) || asleepMs(b.session) - asleepMs(a.session) || compareTimes(a.session, b.session)
}

function isShortByDay({ session, start }: Night): boolean {
  return asleepMs(session) < NAP_MS && timeOfDay(start) >= DAY_BEGINS_MS && timeOfDay(start) < DAY_ENDS_MS
}

function timeOfDay(at: EpochMs): number {
  return at - Math.floor(at / DAY_MS) * DAY_MS
}
