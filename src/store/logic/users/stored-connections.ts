/** The part of the store that keeps connections. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ConnectionStore } from '../../connection.ts'
import type { ConnectionError, DataWrite } from '../../data-write.ts'
import { dropJob, jobIsDue, scheduleJob } from '../jobs.ts'
import { Part } from '../part.ts'
import { writeHeld } from '../samples/data-writer.ts'
import { one, remembered, type Steps } from '../steps.ts'
import { accountIsTaken, connectionsOf, disconnect, FIND_CONNECTION, failConnection, pauseAll } from './connections.ts'
import { requireActive } from './users.ts'

export class StoredConnections extends Part implements ConnectionStore {
  ofUsers(userIds: readonly UserId[]) {
    return this.db.read(() =>
      userIds.length === 1
        ? remembered(`connections ${userIds[0]}`, () => connectionsOf(userIds))
        : connectionsOf(userIds),
    )
  }

  isAccountTaken(teamId: TeamId, userId: UserId, provider: string, externalUserId: string) {
    return this.db.read(() => accountIsTaken(teamId, userId, provider, externalUserId))
  }

  fail(teamId: TeamId, userId: UserId, provider: string, error: ConnectionError) {
    return this.writeAbout(userId, () => failConnection(teamId, userId, provider, error))
  }

  remove(userId: UserId, provider: string) {
    return this.writeAbout(userId, () => disconnect(userId, provider))
  }

  pause(userId: UserId, now: EpochMs) {
    return this.writeAbout(userId, () => pause(userId, now))
  }

  bringRefreshed(userId: UserId, provider: string, write: DataWrite) {
    return this.writeAbout(userId, () => bringRefreshed(userId, provider, write))
  }

  askRefresh(userId: UserId, provider: string, dueAt: EpochMs) {
    return this.writeAbout(userId, () => askRefresh(userId, provider, dueAt))
  }

  settleRefresh(userId: UserId, provider: string, now: EpochMs) {
    return this.writeAbout(userId, () => settleRefresh(userId, provider, now))
  }
}

function* pause(userId: UserId, now: EpochMs): Steps<boolean> {
  if (!(yield* jobIsDue(userId, { kind: 'pause', now }))) return false
  yield* pauseAll(userId)
  yield* dropJob(userId, 'pause')
  return true
}

function* askRefresh(userId: UserId, provider: string, dueAt: EpochMs): Steps<void> {
  yield* requireActive(userId)
  yield* scheduleJob(userId, { kind: 'refresh', subject: provider, dueAt })
}

/** Writes what a refresh pulled. It is dropped if the connection or the user was removed in the meantime. */
function* bringRefreshed(userId: UserId, provider: string, write: DataWrite): Steps<boolean> {
  const known = yield* one(FIND_CONNECTION, [userId, provider])
  if (known?.status !== 'connected') return false
  yield* writeHeld(userId, write)
  return true
}

function* settleRefresh(userId: UserId, provider: string, now: EpochMs): Steps<boolean> {
  if (!(yield* jobIsDue(userId, { kind: 'refresh', subject: provider, now }))) return false
  yield* dropJob(userId, 'refresh', provider)
  return true
}
