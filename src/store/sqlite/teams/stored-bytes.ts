/** How many bytes the users of a team store, and how many they may store. Triggers keep the counts (schema/counters.ts). */
import { ServiceError } from '../../../core/errors.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { Connection } from '../connection.ts'
import { BYTES_OF_USER, COUNTING } from '../schema/counters.ts'
import { putSetting, setting } from './settings.ts'

/** Number of users counted in the first transaction. It is then adjusted so that each transaction takes about `SLICE_MS`. */
const FIRST_USERS = 4
const MOST_USERS = 1_000
const SLICE_MS = 10

/** Counts what the users of a team store; from then on every change is counted. Others can write between the transactions. */
export async function countTeam(db: Connection, teamId: TeamId): Promise<void> {
  await db.write(() => {
    if (setting(db, COUNTING) !== undefined) return
    putSetting(db, COUNTING, 1)
    // left over from an earlier limit
    db.run('UPDATE user SET stored_bytes=NULL WHERE stored_bytes IS NOT NULL')
  })
  for (let users = FIRST_USERS; ; ) {
    const began = performance.now()
    const some = users
    const counted = await db.write(() =>
      db.run(
        `UPDATE user SET stored_bytes=${BYTES_OF_USER} WHERE user_id IN
           (SELECT user_id FROM user WHERE team_id=? AND stored_bytes IS NULL LIMIT ?)`,
        teamId,
        some,
      ),
    )
    if (counted < some) return
    const fitting = (users * SLICE_MS) / Math.max(1, performance.now() - began)
    users = Math.round(Math.min(MOST_USERS, users * 2, Math.max(1, fitting)))
  }
}

export function isCounted(db: Connection, teamId: TeamId): boolean {
  if (setting(db, COUNTING) === undefined) return false
  return db.get('SELECT 1 FROM user WHERE team_id=? AND stored_bytes IS NULL LIMIT 1', teamId) === undefined
}

/** Must run inside a write after which the store may be another one. Counts everything again if a team has a limit on bytes. */
export function countAnew(db: Connection): void {
  const limited = 'SELECT team_id FROM team WHERE max_bytes IS NOT NULL'
  db.run(`INSERT OR IGNORE INTO setting (name, value) SELECT ?, 1 WHERE EXISTS (${limited})`, COUNTING)
  db.run('UPDATE user SET stored_bytes=NULL WHERE stored_bytes IS NOT NULL')
  db.run(`UPDATE user SET stored_bytes=${BYTES_OF_USER} WHERE team_id IN (${limited})`)
  countWhileNeeded(db)
}

/** Must run inside a write. Stops counting if no team has a limit on bytes any more. */
export function countWhileNeeded(db: Connection): void {
  db.run('DELETE FROM setting WHERE name=? AND NOT EXISTS (SELECT 1 FROM team WHERE max_bytes IS NOT NULL)', COUNTING)
}

interface Use {
  readonly team_id: string
  readonly max_bytes: number | null
  readonly stored_bytes: number | null
}

/**
 * Runs a change of what a user stores. Throws ServiceError `quota_exceeded` if the team then stores more than it may and the user more than
 * before: a change that stores less is never refused.
 */
export function withinQuota<T>(db: Connection, userId: UserId, body: () => T): T {
  const before = useOf(db, userId)
  const most = before?.max_bytes ?? null
  if (!before || most === null) return body()
  const done = body()
  const grown = (useOf(db, userId)?.stored_bytes ?? 0) - (before.stored_bytes ?? 0)
  if (grown > 0 && isBeyond(db, before.team_id as TeamId, grown, most)) {
    throw new ServiceError('quota_exceeded', `The team may store at most ${most} bytes, and this would be more.`, {
      suggestions: [
        'Delete samples, users or imports. What a deleted user stores counts until the user is purged, 7 days later.',
        'Or ask an operator to raise the limit: svc engine team set NAME --max-bytes N',
      ],
    })
  }
  return done
}

function useOf(db: Connection, userId: UserId): Use | undefined {
  const sql = 'SELECT team_id, max_bytes, stored_bytes FROM user JOIN team USING (team_id) WHERE user_id=?'
  return db.get<Use>(sql, userId)
}

/** How long a sum over all users of a team is used. What other processes add in the meantime is seen with the next sum. */
const GOOD_FOR_MS = 1_000
const MOST_SUMS = 1_000

interface Sum {
  bytes: number
  readonly at: number
}

/** Global, because it is by database and team. Adding up a thousand users takes a millisecond, which not every write should pay for. */
const sums = new Map<string, Sum>()

/** Returns whether the team stores more than it may. Nobody is refused because of an old sum. */
function isBeyond(db: Connection, teamId: TeamId, grown: number, most: number): boolean {
  const name = `${db.path} ${teamId}`
  const now = performance.now()
  const known = sums.get(name)
  if (known && now - known.at < GOOD_FOR_MS) {
    known.bytes += grown
    if (known.bytes <= most) return false
  }
  const sql = 'SELECT coalesce(sum(stored_bytes), 0) AS bytes FROM user WHERE team_id=?'
  const bytes = db.get<{ bytes: number }>(sql, teamId)?.bytes ?? 0
  if (sums.size >= MOST_SUMS) sums.clear()
  sums.set(name, { bytes, at: now })
  return bytes > most
}
