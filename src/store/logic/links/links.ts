/** Links in progress as rows. Each write that makes a connection checks its rules in the same transaction. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ConnectionRecord, DataWrite } from '../../data-write.ts'
import type {
  DemoOutcome,
  DemoTimes,
  LinkOutcome,
  LinkRules,
  LinkStore,
  LinkTokenRecord,
  OAuthStart,
  PendingMfa,
} from '../../link.ts'
import type { UserRecord } from '../../user.ts'
import { dropJob, jobIsDue, scheduleJob } from '../jobs.ts'
import { Part } from '../part.ts'
import { writeHeld } from '../samples/data-writer.ts'
import { one, type Steps } from '../steps.ts'
import { accountIsTaken, connectionsOf } from '../users/connections.ts'
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
  takeAnswer,
} from './tokens.ts'

export class StoredLinks extends Part implements LinkStore {
  addToken(token: LinkTokenRecord) {
    return this.writeAbout(token.userId, () => insertToken(token))
  }

  token(userId: UserId, hash: string) {
    return this.db.read(() => findToken(userId, hash))
  }

  pendingToken(userId: UserId, provider: string) {
    return this.db.read(() => newestPending(userId, provider))
  }

  setPendingMfa(userId: UserId, hash: string, pending: PendingMfa | null) {
    return this.writeAbout(userId, () => putPending(userId, hash, pending))
  }

  countWrongCode(userId: UserId, hash: string, limit: number) {
    return this.writeAsideAbout(userId, () => addWrongCode(userId, hash, limit))
  }

  addOAuthStart(userId: UserId, hash: string, start: OAuthStart) {
    return this.writeAbout(userId, () => putStart(userId, hash, start))
  }

  tokenOfState(userId: UserId, stateHash: string) {
    return this.db.read(() => findStart(userId, stateHash))
  }

  takeOAuthAnswer(userId: UserId, stateHash: string, now: EpochMs) {
    return this.writeAsideAbout(userId, () => takeAnswer(userId, stateHash, now))
  }

  connect(userId: UserId, write: DataWrite, rules: LinkRules) {
    return this.writeAbout(userId, () => connectAccount(userId, write, rules))
  }

  connectDemo(userId: UserId, write: DataWrite, times: DemoTimes) {
    return this.writeAbout(userId, () => connectDemo(userId, write, times))
  }

  demoUser(userId: UserId) {
    return this.db.read(() => activeUser(userId))
  }

  bringDemoData(userId: UserId, provider: string, write: DataWrite, nextAt: EpochMs) {
    return this.writeAbout(userId, () => bringData(userId, provider, { write, nextAt }))
  }

  dropDemoData(userId: UserId, provider: string) {
    return this.writeAbout(userId, () => dropJob(userId, 'demo_data', provider))
  }

  endDemo(userId: UserId, now: EpochMs) {
    return this.writeAbout(userId, () => endDemo(userId, now))
  }
}

function* activeUser(userId: UserId): Steps<UserRecord | null> {
  const team = yield* teamOf(userId)
  const user = team && (yield* findUser(team, userId))
  return user && user.deletedAt === null ? user : null
}

function* connectionsOfUser(userId: UserId): Steps<readonly ConnectionRecord[]> {
  return (yield* connectionsOf([userId])).get(userId) ?? []
}

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

function* bringData(
  userId: UserId,
  provider: string,
  { write, nextAt }: { readonly write: DataWrite; readonly nextAt: EpochMs },
): Steps<boolean> {
  if (!(yield* jobIsDue(userId, { kind: 'demo_data', subject: provider, now: write.at }))) return false
  // disconnected, failed or deleted in the meantime: it brings nothing any more
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

function* endDemo(userId: UserId, now: EpochMs): Steps<boolean> {
  if (!(yield* jobIsDue(userId, { kind: 'demo_end', now }))) return false
  yield* dropJob(userId, 'demo_end')
  // disconnected, or deleted and restored without the demo: by now a user like any other
  if (!(yield* connectionsOfUser(userId)).some(each => each.isDemo)) return false
  const team = yield* teamOf(userId)
  // unlike a deletion that somebody requested, the end of a demo cannot be undone: its data is removed at once
  return team !== null && (yield* markDeleted(team, userId, { at: now, purgeAt: now }))
}

function* teamOf(userId: UserId): Steps<TeamId | null> {
  const row = yield* one(FIND_USER, [userId])
  return row ? (row.team_id as TeamId) : null
}
