/** Implements the part of the port that stores connections. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DataWrite } from '../../data-write.ts'
import { dropJob, jobIsDue, scheduleJob } from '../jobs.ts'
import { part, read, writeAbout } from '../part.ts'
import { writeHeld } from '../samples/data-writer.ts'
import { one, remembered, type Steps } from '../steps.ts'
import {
  accountIsTaken,
  disconnect,
  FIND_CONNECTION,
  failConnection,
  listConnections,
  pauseAll,
} from './connections.ts'
import { requireActive } from './users.ts'

export class ConnectionStore extends part({
  ofUsers: read((userIds: readonly UserId[]) =>
    userIds.length === 1
      ? remembered(`connections ${userIds[0]}`, () => listConnections(userIds))
      : listConnections(userIds),
  ),
  isAccountTaken: read(accountIsTaken),
  fail: writeAbout(failConnection, (_: TeamId, userId: UserId) => userId),
  remove: writeAbout(disconnect),
  pause: writeAbout(pause),
  bringRefreshed: writeAbout(bringRefreshed),
  askRefresh: writeAbout(askRefresh),
  settleRefresh: writeAbout(settleRefresh),
}) {}

/**
 * Pauses every connection if ingestion has ended. Returns false if the connections are already paused or the end of ingestion was changed.
 */
function* pause(userId: UserId, now: EpochMs): Steps<boolean> {
  if (!(yield* jobIsDue(userId, { kind: 'pause', now }))) return false
  yield* pauseAll(userId)
  yield* dropJob(userId, 'pause')
  return true
}

/** Requests a refresh from a provider. It runs later as a job. Throws ServiceError `user_not_found`. */
function* askRefresh(userId: UserId, provider: string, dueAt: EpochMs): Steps<void> {
  yield* requireActive(userId)
  yield* scheduleJob(userId, { kind: 'refresh', subject: provider, dueAt })
}

/** Writes the data that a refresh pulled. Returns false and writes nothing if the connection is no longer `connected`. */
function* bringRefreshed(userId: UserId, provider: string, write: DataWrite): Steps<boolean> {
  const known = yield* one(FIND_CONNECTION, [userId, provider])
  if (known?.status !== 'connected') return false
  yield* writeHeld(userId, write)
  return true
}

/** Marks a requested refresh as done. Returns false if another process has already done so. */
function* settleRefresh(userId: UserId, provider: string, now: EpochMs): Steps<boolean> {
  if (!(yield* jobIsDue(userId, { kind: 'refresh', subject: provider, now }))) return false
  yield* dropJob(userId, 'refresh', provider)
  return true
}
