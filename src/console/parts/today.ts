/** A user's current day by the service's clock, in the user's time zone, as commands compute it. */
import { call, type ResponseOf } from '../api/call.ts'
import { Problem } from '../api/problem.ts'
import { useLoader } from '../api/use-call.ts'
import { floatingDate, toFloating } from './floating.ts'

/** Returns the time zone of a user's days; null means UTC. */
export function userZone(user: ResponseOf<'user.get'> | null | undefined): string | null {
  return user?.fallback_time_zone?.id ?? null
}

/** Returns the user's current day, YYYY-MM-DD. Returns the current day in UTC until the day is known, or if there is no user. */
export function useToday(userId: string | null): string {
  const load = useLoader(`today ${userId}`, async signal => {
    const [{ now }, user] = await Promise.all([
      call('clock.get', {}, { signal }),
      userId === null ? null : call('user.get', { params: { user_id: userId } }, { signal }).catch(noneIfMissing),
    ])
    return floatingDate(toFloating(Date.parse(now) / 1000, null, userZone(user)))
  })
  return load.data ?? floatingDate(Date.now() / 1000)
}

/** Ignores a missing user, because the user field reports it. */
function noneIfMissing(error: unknown): null {
  if (error instanceof Problem && error.isMissing) return null
  throw error
}
