/** Reads a team's counters by day. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import type { TeamId } from '../../core/ids.ts'
import { DAY_MS, type EpochMs, formatDate } from '../../core/time.ts'
import type { CounterName } from '../../store/team.ts'
import type { EngineContext } from '../context.ts'

export type DayCounts = ReplyBody<Operations['engine.overview']>['days'][number]

const DAYS = 14

/**
 * Returns the counts of the last 14 UTC days by real time, oldest first, and the number of notifications that were refused in these days.
 * With a subject, such as an endpoint, only its counters are read.
 */
export async function readDays(
  { store, wall }: EngineContext,
  teamId: TeamId,
  subject: string | null = null,
): Promise<{ readonly days: readonly DayCounts[]; readonly refusedNotifications: number }> {
  const now = wall.now()
  const first = now - (now % DAY_MS) - (DAYS - 1) * DAY_MS
  const counts = await store.counters.daily(teamId, first, subject)
  const found = new Map(counts.map(({ day, name, n }) => [`${day} ${name}`, n]))
  const at = (day: EpochMs) => (name: CounterName) => found.get(`${day} ${name}`) ?? 0
  const starts = Array.from({ length: DAYS }, (_, i) => first + i * DAY_MS)
  return {
    days: starts.map(day => toDay(day, at(day))),
    refusedNotifications: starts.reduce((sum, day) => sum + at(day)('refused_notifications'), 0),
  }
}

function toDay(day: EpochMs, n: (name: CounterName) => number): DayCounts {
  return {
    date: formatDate(day),
    requests_2xx: n('requests_2xx'),
    requests_4xx: n('requests_4xx'),
    requests_5xx: n('requests_5xx'),
    users: n('users'),
    connections: n('connections'),
    samples: n('samples'),
    events: n('events'),
    delivered: n('delivered'),
    failed: n('failed'),
    delivery_ms: n('delivery_ms'),
  }
}
