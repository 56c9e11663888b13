/** The day of a user: by the clock of the service, in the user's time zone, as for the dates of commands. */
import { call, type ResponseOf } from '../api/call.ts'
import { Problem } from '../api/problem.ts'
import { useLoader } from '../api/use-call.ts'
import { floatingDate, toFloating } from './floating.ts'

/** Returns the zone in which the days of a user begin; null: UTC. */
export function userZone(user: ResponseOf<'user.get'> | null | undefined): string | null {
  return user?.fallback_time_zone?.id ?? null
}

/** Returns today of a user, YYYY-MM-DD; until it is known, and without a user, today in UTC. */
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

/** The user field reports that there is none. */
function noneIfMissing(error: unknown): null {
  if (error instanceof Problem && error.isMissing) return null
  throw error
}
