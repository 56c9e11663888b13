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

const connectionsOfUser = (db: Connection, userId: UserId) => connectionsOf(db, [userId]).get(userId) ?? []

function connectAccount(db: Connection, userId: UserId, write: DataWrite, rules: LinkRules): LinkOutcome {
  const { onlyUserOf } = rules
  const providers = write.connections.map(each => each.provider)
  if (
    onlyUserOf !== null &&
    providers.some(provider => accountIsTaken(db, write.teamId, userId, provider, onlyUserOf))
  ) {
    return { kind: 'account_taken' }
  }
  if (connectionsOfUser(db, userId).some(each => each.isDemo)) return { kind: 'demo_user' }
  return writeHeld(db, userId, write)
}

function connectDemo(db: Connection, userId: UserId, write: DataWrite, times: DemoTimes): DemoOutcome {
  const present = connectionsOfUser(db, userId)
  if (present.some(each => !each.isDemo)) return { kind: 'real_user' }
  const provider = write.connections[0]?.provider
  if (present.some(each => each.provider === provider)) return { kind: 'connected_before' }
  writeHeld(db, userId, write)
  scheduleJob(db, userId, { kind: 'demo_data', subject: provider as string, dueAt: times.dataAt })
  if (present.length === 0) scheduleJob(db, userId, { kind: 'demo_end', dueAt: times.endAt })
  return { kind: 'connected' }
}

function bringData(
  db: Connection,
  userId: UserId,
  provider: string,
  { write, nextAt }: { readonly write: DataWrite; readonly nextAt: EpochMs },
): boolean {
  if (!jobIsDue(db, userId, { kind: 'demo_data', subject: provider, now: write.at })) return false
  // disconnected, failed or deleted in the meantime: it brings nothing any more
  const isLive = connectionsOfUser(db, userId).some(
    each => each.provider === provider && each.isDemo && each.status === 'connected',
  )
  if (!isLive) {
    dropJob(db, userId, 'demo_data', provider)
    return true
  }
  writeHeld(db, userId, write)
  scheduleJob(db, userId, { kind: 'demo_data', subject: provider, dueAt: nextAt })
  return true
}

function endDemo(db: Connection, userId: UserId, now: EpochMs): boolean {
  if (!jobIsDue(db, userId, { kind: 'demo_end', now })) return false
  dropJob(db, userId, 'demo_end')
  // disconnected, or deleted and restored without the demo: by now a user like any other
  if (!connectionsOfUser(db, userId).some(each => each.isDemo)) return false
  const team = teamOf(db, userId)
  // unlike a deletion that somebody requested, the end of a demo cannot be undone: its data is removed at once
  return team !== null && markDeleted(db, team, userId, { at: now, purgeAt: now })
}

function teamOf(db: Connection, userId: UserId): TeamId | null {
  const row = USERS.get(db, 'WHERE user_id=?', userId)
  return row ? (row.team_id as TeamId) : null
}
