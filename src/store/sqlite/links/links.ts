/** Links in progress as rows. Each write that makes a connection checks its rules in the same transaction. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DataWrite } from '../../data-write.ts'
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
import { USERS } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { dropJob, jobIsDue, scheduleJob } from '../jobs.ts'
import { Part } from '../part.ts'
import { writeHeld } from '../samples/data-writer.ts'
import { accountIsTaken, connectionsOf } from '../users/connections.ts'
import { findUser, markDeleted } from '../users/users.ts'
import { addWrongCode, findStart, findToken, insertToken, newestPending, putPending, putStart } from './tokens.ts'

export class SqliteLinks extends Part implements LinkStore {
  addToken(token: LinkTokenRecord) {
    return this.db.write(() => insertToken(this.db, token))
  }

  token(userId: UserId, hash: string) {
    return this.db.read(() => findToken(this.db, userId, hash))
  }

  pendingToken(userId: UserId, provider: string) {
    return this.db.read(() => newestPending(this.db, userId, provider))
  }

  setPendingMfa(userId: UserId, hash: string, pending: PendingMfa | null) {
    return this.db.write(() => putPending(this.db, userId, hash, pending))
  }

  countWrongCode(userId: UserId, hash: string, limit: number) {
    return this.db.writeAside(() => addWrongCode(this.db, userId, hash, limit))
  }

  addOAuthStart(userId: UserId, hash: string, start: OAuthStart) {
    return this.db.write(() => putStart(this.db, userId, hash, start))
  }

  tokenOfState(userId: UserId, stateHash: string) {
    return this.db.read(() => findStart(this.db, userId, stateHash))
  }

  connect(userId: UserId, write: DataWrite, rules: LinkRules) {
    return this.db.write(() => connectAccount(this.db, userId, write, rules))
  }

  connectDemo(userId: UserId, write: DataWrite, times: DemoTimes) {
    return this.db.write(() => connectDemo(this.db, userId, write, times))
  }

  demoUser(userId: UserId) {
    return this.db.read(() => {
      const team = teamOf(this.db, userId)
      const user = team && findUser(this.db, team, userId)
      return user && user.deletedAt === null ? user : null
    })
  }

  bringDemoData(userId: UserId, provider: string, write: DataWrite, nextAt: EpochMs) {
    return this.db.write(() => bringData(this.db, userId, provider, { write, nextAt }))
  }

  dropDemoData(userId: UserId, provider: string) {
    return this.db.write(() => dropJob(this.db, userId, 'demo_data', provider))
  }

  endDemo(userId: UserId, now: EpochMs) {
    return this.db.write(() => endDemo(this.db, userId, now))
  }
}

const connectionsOfUser = (connection: Connection, userId: UserId) =>
  connectionsOf(connection, [userId]).get(userId) ?? []

function connectAccount(connection: Connection, userId: UserId, write: DataWrite, rules: LinkRules): LinkOutcome {
  const { onlyUserOf } = rules
  const providers = write.connections.map(each => each.provider)
  if (
    onlyUserOf !== null &&
    providers.some(provider => accountIsTaken(connection, write.teamId, userId, provider, onlyUserOf))
  ) {
    return { kind: 'account_taken' }
  }
  if (connectionsOfUser(connection, userId).some(each => each.isDemo)) return { kind: 'demo_user' }
  return writeHeld(connection, userId, write)
}

function connectDemo(connection: Connection, userId: UserId, write: DataWrite, times: DemoTimes): DemoOutcome {
  const present = connectionsOfUser(connection, userId)
  if (present.some(each => !each.isDemo)) return { kind: 'real_user' }
  const provider = write.connections[0]?.provider
  if (present.some(each => each.provider === provider)) return { kind: 'connected_before' }
  writeHeld(connection, userId, write)
  scheduleJob(connection, userId, { kind: 'demo_data', subject: provider as string, dueAt: times.dataAt })
  if (present.length === 0) scheduleJob(connection, userId, { kind: 'demo_end', dueAt: times.endAt })
  return { kind: 'connected' }
}

function bringData(
  connection: Connection,
  userId: UserId,
  provider: string,
  { write, nextAt }: { readonly write: DataWrite; readonly nextAt: EpochMs },
): boolean {
  if (!jobIsDue(connection, userId, { kind: 'demo_data', subject: provider, now: write.at })) return false
  // disconnected, failed or deleted in the meantime: it brings nothing any more
  const isLive = connectionsOfUser(connection, userId).some(
    each => each.provider === provider && each.isDemo && each.status === 'connected',
  )
  if (!isLive) {
    dropJob(connection, userId, 'demo_data', provider)
    return true
  }
  writeHeld(connection, userId, write)
  scheduleJob(connection, userId, { kind: 'demo_data', subject: provider, dueAt: nextAt })
  return true
}

function endDemo(connection: Connection, userId: UserId, now: EpochMs): boolean {
  if (!jobIsDue(connection, userId, { kind: 'demo_end', now })) return false
  dropJob(connection, userId, 'demo_end')
  // disconnected, or deleted and restored without the demo: by now a user like any other
  if (!connectionsOfUser(connection, userId).some(each => each.isDemo)) return false
  const team = teamOf(connection, userId)
  // unlike a deletion that somebody requested, the end of a demo cannot be undone: its data is removed at once
  return team !== null && markDeleted(connection, team, userId, { at: now, purgeAt: now })
}

function teamOf(connection: Connection, userId: UserId): TeamId | null {
  const row = USERS.get(connection, 'WHERE user_id=?', userId)
  return row ? (row.team_id as TeamId) : null
}
