/** Stores links in progress as rows. Each write that creates a connection checks its rules in the same transaction. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ConnectionRecord, DataWrite } from '../../data-write.ts'
import type { DemoOutcome, DemoTimes, LinkOutcome, LinkRules, LinkTokenRecord } from '../../link.ts'
import type { UserRecord } from '../../user.ts'
import { dropJob, jobIsDue, scheduleJob } from '../jobs.ts'
import { part, read, writeAbout, writeAsideAbout } from '../part.ts'
import { writeHeld } from '../samples/data-writer.ts'
import { one, type Steps } from '../steps.ts'
import { accountIsTaken, listConnections } from '../users/connections.ts'
import { lockTeam } from '../users/lock.ts'
import { FIND_USER, findUser, markDeleted } from '../users/users.ts'
import {
  addWrongCode,
  findStart,
  findToken,
  insertToken,
  newestPending,
  putPending,
  putStart,
  takeCallback,
} from './tokens.ts'

export class LinkStore extends part({
  addToken: writeAbout(insertToken, (token: LinkTokenRecord) => token.userId),
  token: read(findToken),
  pendingToken: read(newestPending),
  setPendingMfa: writeAbout(putPending),
  countWrongCode: writeAsideAbout(addWrongCode),
  addOAuthStart: writeAbout(putStart),
  tokenOfState: read(findStart),
  takeOAuthAnswer: writeAsideAbout(takeCallback),
  connect: writeAbout(connectAccount),
  connectDemo: writeAbout(connectDemo),
  demoUser: read(activeUser),
  bringDemoData: writeAbout(bringData),
  /** Removes the job that adds new data, because the user no longer exists. */
  dropDemoData: writeAbout((userId: UserId, provider: string) => dropJob(userId, 'demo_data', provider)),
  endDemo: writeAbout(endDemo),
}) {}

/** Returns the active user with this ID in any team, or null. Used by the jobs of demos. */
function* activeUser(userId: UserId): Steps<UserRecord | null> {
  const team = yield* findTeamId(userId)
  const user = team && (yield* findUser(team, userId))
  return user && user.deletedAt === null ? user : null
}

function* connectionsOfUser(userId: UserId): Steps<readonly ConnectionRecord[]> {
  return (yield* listConnections([userId])).get(userId) ?? []
}

/** Writes the link's data, unless a rule forbids it. In that case, nothing is changed and the token is not consumed. */
function* connectAccount(userId: UserId, write: DataWrite, rules: LinkRules): Steps<LinkOutcome> {
  const { onlyUserOf } = rules
  if (onlyUserOf !== null) {
    yield* lockTeam(write.teamId)
    if (yield* anyIsTaken(userId, write, onlyUserOf)) return { kind: 'account_taken' }
  }
  if ((yield* connectionsOfUser(userId)).some(each => each.isDemo)) return { kind: 'demo_user' }
  return yield* writeHeld(userId, write)
}

/** Returns whether another user of the team has the account at one of the providers. */
function* anyIsTaken(userId: UserId, { teamId, connections }: DataWrite, account: string): Steps<boolean> {
  for (const { provider } of connections) {
    if (yield* accountIsTaken(teamId, userId, provider, account)) return true
  }
  return false
}

/** Writes a demo connection with its first data. A user's first demo connection also determines when the demo ends. */
function* connectDemo(userId: UserId, write: DataWrite, times: DemoTimes): Steps<DemoOutcome> {
  const present = yield* connectionsOfUser(userId)
  if (present.some(each => !each.isDemo)) return { kind: 'real_user' }
  const provider = write.connections[0]?.provider
  if (present.some(each => each.provider === provider)) return { kind: 'connected_before' }
  yield* writeHeld(userId, write)
  yield* scheduleJob(userId, { kind: 'demo_data', subject: provider as string, dueAt: times.dataAt })
  if (present.length === 0) yield* scheduleJob(userId, { kind: 'demo_end', dueAt: times.endAt })
  return { kind: 'connected' }
}

/**
 * Writes a demo connection's new data if it is due, and schedules the next data for `nextAt`. Returns false if no data is due. If the
 * connection is no longer a connected demo, removes the job, writes nothing and returns true.
 */
function* bringData(userId: UserId, provider: string, write: DataWrite, nextAt: EpochMs): Steps<boolean> {
  if (!(yield* jobIsDue(userId, { kind: 'demo_data', subject: provider, now: write.at }))) return false
  // if the demo was disconnected, has failed or was deleted in the meantime, it adds no more data
  const isLive = (yield* connectionsOfUser(userId)).some(
    each => each.provider === provider && each.isDemo && each.status === 'connected',
  )
  if (!isLive) {
    yield* dropJob(userId, 'demo_data', provider)
    return true
  }
  yield* writeHeld(userId, write)
  yield* scheduleJob(userId, { kind: 'demo_data', subject: provider, dueAt: nextAt })
  return true
}

/**
 * Deletes the user of a finished demo, to be purged immediately. Returns false if the demo is not over, or if the user no longer has a demo
 * connection.
 */
function* endDemo(userId: UserId, now: EpochMs): Steps<boolean> {
  if (!(yield* jobIsDue(userId, { kind: 'demo_end', now }))) return false
  yield* dropJob(userId, 'demo_end')
  // the demo was disconnected, or the user was deleted and restored without it, and is now an ordinary user
  if (!(yield* connectionsOfUser(userId)).some(each => each.isDemo)) return false
  const team = yield* findTeamId(userId)
  // unlike a requested deletion, the end of a demo cannot be undone, so its data is removed immediately
  return team !== null && (yield* markDeleted(team, userId, now, now))
}

function* findTeamId(userId: UserId): Steps<TeamId | null> {
  const row = yield* one(FIND_USER, [userId])
  return row ? (row.team_id as TeamId) : null
}
