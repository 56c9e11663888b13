/** A user's life after creation as rows: changes, search, figures of the team, and connections that fail, end or are paused. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ConnectionError, DataWrite } from '../../data-write.ts'
import type { UserRecord } from '../../port.ts'
import type { PatchOutcome, TeamFigures, UserPatch, UserStore } from '../../user.ts'
import { storedJson } from '../checksums/damage.ts'
import { CONNECTIONS, USERS } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { queriesOf, touchUser } from '../continuous/queries.ts'
import { dropJob, jobIsDue, scheduleJob } from '../jobs.ts'
import { Part } from '../part.ts'
import { writeHeld } from '../samples/data-writer.ts'
import { disconnect, failConnection, pauseAll } from './connections.ts'
import { namesFrom } from './names.ts'
import { findByClientId, findUser, requireActive, rowOf, schedulePause, searchUsers, userById } from './users.ts'

export class SqliteUsers extends Part implements UserStore {
  find(userId: UserId) {
    return this.db.read(() => userById(this.db, userId))
  }

  patch(teamId: TeamId, userId: UserId, patch: UserPatch, at: EpochMs) {
    return this.db.write(() => patchUser(this.db, { teamId, userId, patch, at }))
  }

  search(teamId: TeamId, text: string, limit: number) {
    return this.db.read(() => searchUsers(this.db, teamId, text, limit))
  }

  names(teamId: TeamId, start: string, limit: number) {
    return this.db.read(() => namesFrom(this.db, { teamId, start, limit }))
  }

  figures(teamId: TeamId, weeks: readonly EpochMs[]) {
    return this.db.read(() => figuresOf(this.db, teamId, weeks))
  }

  takeRateSlot(userId: UserId, name: string, turn: RateSlot) {
    return this.db.writeAside(() => takeRateSlot(this.db, userId, name, turn))
  }

  failConnection(teamId: TeamId, userId: UserId, provider: string, error: ConnectionError) {
    return this.db.write(() => failConnection(this.db, teamId, userId, provider, error))
  }

  disconnect(userId: UserId, provider: string) {
    return this.db.write(() => disconnect(this.db, userId, provider))
  }

  pause(userId: UserId, now: EpochMs) {
    return this.db.write(() => {
      if (!jobIsDue(this.db, userId, { kind: 'pause', now })) return false
      pauseAll(this.db, userId)
      dropJob(this.db, userId, 'pause')
      return true
    })
  }

  askRefresh(userId: UserId, provider: string, dueAt: EpochMs) {
    return this.db.write(() => {
      requireActive(this.db, userId)
      scheduleJob(this.db, userId, { kind: 'refresh', subject: provider, dueAt })
    })
  }

  bringRefreshed(userId: UserId, provider: string, write: DataWrite) {
    return this.db.write(() => bringRefreshed(this.db, userId, provider, write))
  }

  settleRefresh(userId: UserId, provider: string, now: EpochMs) {
    return this.db.write(() => {
      if (!jobIsDue(this.db, userId, { kind: 'refresh', subject: provider, now })) return false
      dropJob(this.db, userId, 'refresh', provider)
      return true
    })
  }
}

interface Patching {
  readonly teamId: TeamId
  readonly userId: UserId
  readonly patch: UserPatch
  readonly at: EpochMs
}

function patchUser(db: Connection, { teamId, userId, patch, at }: Patching): PatchOutcome {
  const user = findUser(db, teamId, userId)
  if (!user) return 'unknown'
  if (user.deletedAt !== null) return 'deleted'
  const changed: UserRecord = { ...user, ...patch }
  if (changed.ingestionStart && changed.ingestionEnd && changed.ingestionStart > changed.ingestionEnd) return 'bounds'
  if (changed.clientUserId !== user.clientUserId) {
    if (findByClientId(db, teamId, changed.clientUserId)) return 'taken'
    db.run('DELETE FROM directory WHERE team_id=? AND client_user_id=?', teamId, user.clientUserId)
    db.run(
      'INSERT INTO directory (team_id, client_user_id, user_id) VALUES (?,?,?)',
      teamId,
      changed.clientUserId,
      userId,
    )
  }
  USERS.update(db, rowOf(changed))
  if (changed.ingestionEnd !== user.ingestionEnd) schedulePause(db, userId, changed.ingestionEnd)
  // the buckets of results follow the user's own days
  if (changed.fallbackTimeZone?.value !== user.fallbackTimeZone?.value) {
    touchUser(db, userId, queriesOf(db, teamId), at)
  }
  return 'patched'
}

/** Takes one pass over the connections of the team. */
function figuresOf(db: Connection, teamId: TeamId, weeks: readonly EpochMs[]): TeamFigures {
  const count = (sql: string): number => db.get<{ count: number }>(sql, teamId)?.count ?? 0
  const rows = CONNECTIONS.all(
    db,
    'WHERE user_id IN (SELECT user_id FROM user INDEXED BY user_by_id WHERE team_id=? AND deleted_at IS NULL)',
    teamId,
  )
  const counted = weeks.map(start => ({ start, since: rows.filter(row => row.created_on >= start).length }))
  return {
    users: count('SELECT user_count AS count FROM team WHERE team_id=?'),
    connections: rows.length,
    erroredConnections: rows.filter(row => row.status === 'error').length,
    orderedTests: count(
      `SELECT count(*) AS count FROM user INDEXED BY user_by_id CROSS JOIN lab_order USING (user_id) WHERE user.team_id=? AND deleted_at IS NULL`,
    ),
    weeks: counted.map(({ start, since }, i) => {
      const later = counted[i + 1]?.since ?? 0
      return { start, made: since - later, all: rows.length - later }
    }),
  }
}

/** Writes what a refresh pulled. It is dropped if the connection or the user was removed in the meantime. */
function bringRefreshed(db: Connection, userId: UserId, provider: string, write: DataWrite): boolean {
  const known = CONNECTIONS.get(db, 'WHERE user_id=? AND provider=?', userId, provider)
  if (known?.status !== 'connected') return false
  writeHeld(db, userId, write)
  return true
}

interface RateSlot {
  readonly now: EpochMs
  readonly most: number
  readonly windowMs: number
}

function takeRateSlot(db: Connection, userId: UserId, name: string, { now, most, windowMs }: RateSlot): number {
  requireActive(db, userId)
  const row = db.get<{ times: string }>('SELECT times FROM user_rate WHERE user_id=? AND name=?', userId, name)
  // times in the future come from a clock that has been set back since
  const kept = row ? storedJson<number[]>(row.times, () => ({ what: 'the times of earlier calls', userId })) : []
  const times = kept.filter(time => time <= now && time > now - windowMs)
  const oldest = times.at(-most)
  if (oldest !== undefined) return oldest + windowMs - now
  db.run(
    `INSERT INTO user_rate (user_id, name, times) VALUES (?,?,?)
     ON CONFLICT (user_id, name) DO UPDATE SET times=excluded.times`,
    userId,
    name,
    JSON.stringify([...times, now]),
  )
  return 0
}
