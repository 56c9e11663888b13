/** The day of a user: by the clock of the service, in the user's time zone, as for the dates of commands. */
import { type Answer, call } from '../api/call.ts'
import { Problem } from '../api/problem.ts'
import { useLoadOf } from '../api/use-call.ts'
import { dateOf, floatingOf } from './floating.ts'

/** Returns the zone in which the days of a user begin; null: UTC. */
export function zoneOf(user: Answer<'user.get'> | null | undefined): string | null {
  return user?.fallback_time_zone?.id ?? null
}

/** Returns today of a user, YYYY-MM-DD; until it is known, and without a user, today in UTC. */
export function useToday(userId: string | null): string {
  const load = useLoadOf(`today ${userId}`, async signal => {
    const [{ now }, user] = await Promise.all([
      call('clock.get', {}, { signal }),
      userId === null ? null : call('user.get', { params: { user_id: userId } }, { signal }).catch(noneIfMissing),
    ])
    return dateOf(floatingOf(Date.parse(now) / 1000, null, zoneOf(user)))
  })
  return load.data ?? dateOf(Date.now() / 1000)
}

/** The field in which the user is chosen says that there is none. */
function noneIfMissing(error: unknown): null {
  if (error instanceof Problem && error.isMissing) return null
  throw error
}
