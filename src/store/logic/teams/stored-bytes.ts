/** Counts the bytes that a team's users store, and enforces their limit. Each change updates the counts (rows/counted-bytes.ts). */
import { ServiceError } from '../../../core/errors.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { Database } from '../database.ts'
import { BYTES_OF_USER, COUNTING } from '../rows/counted-bytes.ts'
import { command, exists, facts, many, one, query, run, type Steps, send } from '../steps.ts'
import { lockUsers } from '../users/lock.ts'
import { putSetting, setting } from './settings.ts'

/** Number of users counted in the first transaction. It is then adjusted so that each transaction takes about `SLICE_MS`. */
const FIRST_USERS = 4
const MOST_USERS = 1_000
const SLICE_MS = 10

const LIMITED = 'SELECT team_id FROM team WHERE max_bytes IS NOT NULL'
const FORGET_COUNTS = command('UPDATE user SET stored_bytes=NULL WHERE stored_bytes IS NOT NULL')
const SOME_UNCOUNTED = query<{ readonly user_id: string }>(
  'SELECT user_id FROM user WHERE team_id=? AND stored_bytes IS NULL LIMIT ?',
)
const COUNT_USERS = command(
  dialect =>
    `UPDATE user SET stored_bytes=${BYTES_OF_USER} WHERE user_id IN (${dialect.listed}) AND stored_bytes IS NULL`,
)
const COUNT_LIMITED = command(`UPDATE user SET stored_bytes=${BYTES_OF_USER} WHERE team_id IN (${LIMITED})`)
const BEGIN_COUNTING = command(
  `INSERT INTO setting (name, value) SELECT '${COUNTING}', 1 WHERE EXISTS (${LIMITED}) ON CONFLICT (name) DO NOTHING`,
)
const COUNT_FROM_NOW = command(
  `UPDATE user SET stored_bytes=0 WHERE user_id=? AND EXISTS (SELECT 1 FROM setting WHERE name='${COUNTING}')`,
)
const END_COUNTING = command(`DELETE FROM setting WHERE name='${COUNTING}' AND NOT EXISTS (${LIMITED})`)
const UNCOUNTED = query('SELECT 1 FROM user WHERE team_id=? AND stored_bytes IS NULL LIMIT 1')
const USE = query<Use>('SELECT team_id, max_bytes, stored_bytes FROM user JOIN team USING (team_id) WHERE user_id=?')
const BYTES_OF_TEAM = query<{ readonly bytes: number }>(
  'SELECT coalesce(sum(stored_bytes), 0) AS bytes FROM user WHERE team_id=?',
)

/** Counts the bytes stored by a team's users. From then on, every change is counted. Others can write between the transactions. */
export async function countTeam(db: Database, teamId: TeamId): Promise<void> {
  await db.write(() => beginCounting())
  for (let users = FIRST_USERS; ; ) {
    const began = performance.now()
    const some = users
    const counted = await db.write(() => countSome(teamId, some))
    if (counted < some) return
    const fitting = (users * SLICE_MS) / Math.max(1, performance.now() - began)
    users = Math.round(Math.min(MOST_USERS, users * 2, Math.max(1, fitting)))
  }
}

function* beginCounting(): Steps<void> {
  if ((yield* setting(COUNTING)) !== undefined) return
  yield* putSetting(COUNTING, 1)
  // an older version may have left counts that it no longer updated
  yield* run(FORGET_COUNTS)
}

/** Counts the bytes stored by some of the users who have not been counted yet. Returns the number of these users. */
function* countSome(teamId: TeamId, most: number): Steps<number> {
  const userIds = (yield* many(SOME_UNCOUNTED, [teamId, most])).map(user => user.user_id)
  // concurrent writes about these users have not been counted either, so wait for them
  yield* lockUsers(userIds)
  yield* run(COUNT_USERS, [JSON.stringify(userIds)])
  return userIds.length
}

export function* isCounted(teamId: TeamId): Steps<boolean> {
  if ((yield* setting(COUNTING)) === undefined) return false
  return !(yield* exists(UNCOUNTED, [teamId]))
}

/** Counts everything again if a team has a byte limit. Must run inside a write that may replace the state. */
export function* countAnew(): Steps<void> {
  yield* run(BEGIN_COUNTING)
  yield* run(END_COUNTING)
  yield* run(FORGET_COUNTS)
  yield* run(COUNT_LIMITED)
}

/** Stops counting if no team has a byte limit any more, so that writes no longer update any count. Must run inside a write. */
export function* countWhileNeeded(): Steps<void> {
  if ((yield* run(END_COUNTING)) > 0) yield* run(FORGET_COUNTS)
}

/** Counts a new user's bytes if bytes are counted. */
export function countFromNow(userId: UserId): Steps<void> {
  return send(COUNT_FROM_NOW, [userId])
}

/** The bytes that a user stores, and the team's limit. */
export interface Use {
  readonly team_id: string
  readonly max_bytes: number | null
  readonly stored_bytes: number | null
}

/**
 * Runs a change to a user's stored data. Throws ServiceError `quota_exceeded` if afterwards the team exceeds its limit and the user stores
 * more than before. A change that reduces the stored bytes is never refused.
 */
export function* withinQuota<T>(userId: UserId, transaction: () => Steps<T>): Steps<T> {
  return yield* withinKnownQuota(userId, yield* readUse(userId), transaction)
}

/** Does the same if the bytes that the user stored before the change are known. */
export function withinKnownQuota<T>(userId: UserId, before: Use | undefined, transaction: () => Steps<T>): Steps<T> {
  const most = before?.max_bytes ?? null
  return before && most !== null ? limited(userId, before, most, transaction) : transaction()
}

function* limited<T>(userId: UserId, before: Use, most: number, transaction: () => Steps<T>): Steps<T> {
  const done = yield* transaction()
  const grown = ((yield* readUse(userId))?.stored_bytes ?? 0) - (before.stored_bytes ?? 0)
  if (grown > 0 && (yield* isBeyond(before.team_id as TeamId, grown, most))) {
    throw new ServiceError(
      'quota_exceeded',
      `The team may store at most ${most} bytes, and this change would exceed the limit.`,
      {
        suggestions: [
          "Delete samples, users or imports. A deleted user's data counts until the user is purged, 7 days later.",
          'Or ask an operator to raise the limit: svc engine team set NAME --max-bytes N',
        ],
      },
    )
  }
  return done
}

/** Returns the number of bytes that are counted for a team's users. */
export function* bytesOfTeam(teamId: string): Steps<number> {
  return (yield* one(BYTES_OF_TEAM, [teamId]))?.bytes ?? 0
}

function* readUse(userId: UserId): Steps<Use | undefined> {
  return yield* one(USE, [userId])
}

/** How long a sum over all of a team's users is reused. Data added by other processes during this time is included in the next sum. */
const GOOD_FOR_MS = 1_000
const MOST_SUMS = 1_000

interface Sum {
  bytes: number
  readonly at: number
}

/**
 * Cached sums, by database and team, and therefore global. Adding up a thousand users takes a millisecond, which is too slow for every
 * write.
 */
const sums = new Map<string, Sum>()

/** Returns whether the team exceeds its limit. No write is refused because of an outdated sum. */
function* isBeyond(teamId: TeamId, grown: number, most: number): Steps<boolean> {
  const { storeName } = yield* facts()
  const name = `${storeName} ${teamId}`
  const now = performance.now()
  const known = sums.get(name)
  if (known && now - known.at < GOOD_FOR_MS) {
    known.bytes += grown
    if (known.bytes <= most) return false
  }
  const bytes = yield* bytesOfTeam(teamId)
  if (sums.size >= MOST_SUMS) sums.clear()
  sums.set(name, { bytes, at: now })
  return bytes > most
}
