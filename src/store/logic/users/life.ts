/** Changes users, computes a team's figures, and enforces the call limits of users. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { PatchOutcome, TeamFigures, UserPatch, UserRecord } from '../../user.ts'
import { listTeamQueries, touchUser } from '../continuous/queries.ts'
import { storedJson } from '../rows/damage.ts'
import { CONNECTIONS, USERS } from '../rows/tables.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'
import { findByClientId, findUser, requireActive, schedulePause, TAKE_NAME, toUserRow, USER_COUNT } from './users.ts'

const FREE_OLD_NAME = command('DELETE FROM directory WHERE team_id=? AND client_user_id=?')
const CONNECTIONS_OF_TEAM = CONNECTIONS.query(
  dialect => `WHERE user_id IN
    (SELECT user_id FROM user ${dialect.index('user_by_id')} WHERE team_id=? AND deleted_at IS NULL)`,
)
const ORDER_COUNT = query<{ readonly count: number }>(
  dialect => `SELECT count(*) AS count FROM user ${dialect.index('user_by_id')} CROSS JOIN lab_order
    WHERE lab_order.user_id=user.user_id AND user.team_id=? AND deleted_at IS NULL`,
)
const RATE_TIMES = query<{ readonly times: string }>('SELECT times FROM user_rate WHERE user_id=? AND name=?')
const PUT_RATE_TIMES = command(
  `INSERT INTO user_rate (user_id, name, times) VALUES (?,?,?)
   ON CONFLICT (user_id, name) DO UPDATE SET times=excluded.times`,
)

/** Changes a user. A new time zone makes the team's continuous queries due for the user. */
export function* patchUser(teamId: TeamId, userId: UserId, patch: UserPatch, at: EpochMs): Steps<PatchOutcome> {
  const user = yield* findUser(teamId, userId)
  if (!user) return 'unknown'
  if (user.deletedAt !== null) return 'deleted'
  const changed: UserRecord = { ...user, ...patch }
  if (changed.ingestionStart && changed.ingestionEnd && changed.ingestionStart > changed.ingestionEnd) return 'bounds'
  if (changed.clientUserId !== user.clientUserId) {
    if (yield* findByClientId(teamId, changed.clientUserId)) return 'taken'
    yield* run(FREE_OLD_NAME, [teamId, user.clientUserId])
    yield* run(TAKE_NAME, [teamId, changed.clientUserId, userId])
  }
  yield* USERS.update(toUserRow(changed))
  if (changed.ingestionEnd !== user.ingestionEnd) yield* schedulePause(userId, changed.ingestionEnd)
  // result buckets follow the user's own days
  if (changed.fallbackTimeZone?.value !== user.fallbackTimeZone?.value) {
    yield* touchUser(userId, yield* listTeamQueries(teamId), at)
  }
  return 'patched'
}

/** Returns the team's figures in one pass over its connections. `weeks` contains the start of each week in ascending order. */
export function* teamFigures(teamId: TeamId, weeks: readonly EpochMs[]): Steps<TeamFigures> {
  const rows = yield* many(CONNECTIONS_OF_TEAM, [teamId])
  const counted = weeks.map(start => ({ start, since: rows.filter(row => row.created_on >= start).length }))
  return {
    users: (yield* one(USER_COUNT, [teamId]))?.user_count ?? 0,
    connections: rows.length,
    erroredConnections: rows.filter(row => row.status === 'error').length,
    orderedTests: (yield* one(ORDER_COUNT, [teamId]))?.count ?? 0,
    weeks: counted.map(({ start, since }, i) => {
      const later = counted[i + 1]?.since ?? 0
      return { start, made: since - later, all: rows.length - later }
    }),
  }
}

interface RateSlot {
  readonly now: EpochMs
  readonly most: number
  readonly windowMs: number
}

/**
 * Counts one use of an operation that can be called for a user at most `most` times within a window of real time, and returns 0. If the
 * limit has been reached, counts nothing and returns how many milliseconds to wait. Throws ServiceError `user_not_found`.
 */
export function* takeRateSlot(userId: UserId, name: string, { now, most, windowMs }: RateSlot): Steps<number> {
  yield* requireActive(userId)
  const row = yield* one(RATE_TIMES, [userId, name])
  // times in the future were recorded before the clock was set back
  const kept = row ? storedJson<number[]>(row.times, () => ({ what: 'the times of earlier calls', userId })) : []
  const times = kept.filter(time => time <= now && time > now - windowMs)
  const oldest = times.at(-most)
  if (oldest !== undefined) return oldest + windowMs - now
  yield* run(PUT_RATE_TIMES, [userId, name, JSON.stringify([...times, now])])
  return 0
}
