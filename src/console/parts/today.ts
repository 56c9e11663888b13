/** A user's current day by the engine's clock, in the user's time zone, as commands compute it. */
import type { ResponseOf } from '../api/call.ts'
import { useEngineClock } from '../api/engine-clock.tsx'
import { useLoad } from '../api/use-call.ts'
import { floatingDate, toFloating } from './floating.ts'

/** Returns the time zone of a user's days; null means UTC. */
export function userZone(user: ResponseOf<'user.get'> | null | undefined): string | null {
  return user?.fallback_time_zone?.id ?? null
}

/** Returns the user's current day, YYYY-MM-DD. Returns the current day in UTC until the day is known, or if there is no user. */
export function useToday(userId: string | null): string {
  const { now } = useEngineClock()
  const user = useLoad('user.get', userId === null ? null : { params: { user_id: userId } })
  return floatingDate(toFloating(now / 1000, null, userZone(user.data)))
}
