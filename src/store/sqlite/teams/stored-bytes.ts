/** How many bytes the users of a team store, and how many they may. Triggers keep the counts (schema/counters.ts). */
import { ServiceError } from '../../../core/errors.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { Connection } from '../connection.ts'
import { BYTES_OF_USER, COUNTING } from '../schema/counters.ts'
import { putSetting, setting } from './settings.ts'

/** Users counted in one transaction at first; it is made as long as this takes. */
const FIRST_USERS = 4
const MOST_USERS = 1_000
const SLICE_MS = 10

/** Counts what the users of a team store, and from then on with every change. Others write between two slices of it. */
export async function countTeam(connection: Connection, teamId: TeamId): Promise<void> {
  await connection.write(() => {
    if (setting(connection, COUNTING) !== undefined) return
    putSetting(connection, COUNTING, 1)
    // of when there was a quota before
    connection.run('UPDATE user SET stored_bytes=NULL WHERE stored_bytes IS NOT NULL')
  })
  for (let users = FIRST_USERS; ; ) {
    const began = performance.now()
    const some = users
    const counted = await connection.write(() =>
      connection.run(
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

export function isCounted(connection: Connection, teamId: TeamId): boolean {
  if (setting(connection, COUNTING) === undefined) return false
  return connection.get('SELECT 1 FROM user WHERE team_id=? AND stored_bytes IS NULL LIMIT 1', teamId) === undefined
}

/** Inside a write, after which the store may be another: counts all again, where a team has a quota of bytes. */
export function countAnew(connection: Connection): void {
  const limited = 'SELECT team_id FROM team WHERE max_bytes IS NOT NULL'
  connection.run(`INSERT OR IGNORE INTO setting (name, value) SELECT ?, 1 WHERE EXISTS (${limited})`, COUNTING)
  connection.run('UPDATE user SET stored_bytes=NULL WHERE stored_bytes IS NOT NULL')
  connection.run(`UPDATE user SET stored_bytes=${BYTES_OF_USER} WHERE team_id IN (${limited})`)
  countWhileNeeded(connection)
}

/** Inside a write: counts no more when no team has a quota of bytes. */
export function countWhileNeeded(connection: Connection): void {
  connection.run(
    'DELETE FROM setting WHERE name=? AND NOT EXISTS (SELECT 1 FROM team WHERE max_bytes IS NOT NULL)',
    COUNTING,
  )
}

interface Use {
  readonly team_id: string
  readonly max_bytes: number | null
  readonly stored_bytes: number | null
}

/**
 * Runs a change of what a user stores. Throws ServiceError `quota_exceeded` when the team stores more than it may, and the user more
 * than before: what makes it less is never refused.
 */
export function withinQuota<T>(connection: Connection, userId: UserId, body: () => T): T {
  const before = useOf(connection, userId)
  const most = before?.max_bytes ?? null
  if (!before || most === null) return body()
  const done = body()
  const grown = (useOf(connection, userId)?.stored_bytes ?? 0) - (before.stored_bytes ?? 0)
  if (grown > 0 && isBeyond(connection, before.team_id as TeamId, grown, most)) {
    throw new ServiceError('quota_exceeded', `The team may store ${most} bytes, and this would be more.`, {
      suggestions: [
        'Delete samples, users or imports: what a deleted user stores counts until it is purged, 7 days later.',
        'Or have an operator raise the limit: svc engine team set NAME --max-bytes N',
      ],
    })
  }
  return done
}

function useOf(connection: Connection, userId: UserId): Use | undefined {
  const sql = 'SELECT team_id, max_bytes, stored_bytes FROM user JOIN team USING (team_id) WHERE user_id=?'
  return connection.get<Use>(sql, userId)
}

/** How long a sum over all users of a team is good for: what other processes add meanwhile is seen with the next one. */
const GOOD_FOR_MS = 1_000
const MOST_SUMS = 1_000

interface Sum {
  bytes: number
  readonly at: number
}

/** By database and team: adding up a thousand users takes a millisecond, which not every write is to pay. */
const sums = new Map<string, Sum>()

/** Nobody is refused for a sum that is not new. */
function isBeyond(connection: Connection, teamId: TeamId, grown: number, most: number): boolean {
  const name = `${connection.path} ${teamId}`
  const now = performance.now()
  const known = sums.get(name)
  if (known && now - known.at < GOOD_FOR_MS) {
    known.bytes += grown
    if (known.bytes <= most) return false
  }
  const sql = 'SELECT coalesce(sum(stored_bytes), 0) AS bytes FROM user WHERE team_id=?'
  const bytes = connection.get<{ bytes: number }>(sql, teamId)?.bytes ?? 0
  if (sums.size >= MOST_SUMS) sums.clear()
  sums.set(name, { bytes, at: now })
  return bytes > most
}
