/** The part of the store that keeps users. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { UserPatch, UserRecord, UserStore } from '../../user.ts'
import { Part } from '../part.ts'
import { remembered } from '../steps.ts'
import { figuresOf, patchUser, type RateSlot, takeRateSlot } from './life.ts'
import { namesFrom } from './names.ts'
import { purgeUser } from './purge.ts'
import {
  findByClientId,
  findUser,
  insertUser,
  lastDeleted,
  markDeleted,
  pageOfUsers,
  restoreUser,
  searchUsers,
  userById,
  usersOfOwnedId,
} from './users.ts'

export class StoredUsers extends Part implements UserStore {
  create(user: UserRecord) {
    return this.db.write(() => insertUser(user))
  }

  find(teamId: TeamId, userId: UserId) {
    return this.db.read(() => remembered(`user ${teamId} ${userId}`, () => findUser(teamId, userId)))
  }

  byId(userId: UserId) {
    return this.db.read(() => userById(userId))
  }

  byClientId(teamId: TeamId, clientUserId: string) {
    return this.db.read(() => findByClientId(teamId, clientUserId))
  }

  ofOwnedId(teamId: TeamId, ownedId: string) {
    return this.db.read(() => usersOfOwnedId(teamId, ownedId))
  }

  list(teamId: TeamId, offset: number, limit: number) {
    return this.db.read(() => pageOfUsers(teamId, offset, limit))
  }

  search(teamId: TeamId, text: string, limit: number) {
    return this.db.read(() => searchUsers(teamId, text, limit))
  }

  names(teamId: TeamId, start: string, limit: number) {
    return this.db.read(() => namesFrom({ teamId, start, limit }))
  }

  patch(teamId: TeamId, userId: UserId, patch: UserPatch, at: EpochMs) {
    return this.writeAbout(userId, () => patchUser({ teamId, userId, patch, at }))
  }

  delete(teamId: TeamId, userId: UserId, at: EpochMs, purgeAt: EpochMs) {
    return this.writeAbout(userId, () => markDeleted(teamId, userId, { at, purgeAt }))
  }

  latestDeletion(teamId: TeamId, clientUserId: string) {
    return this.db.read(() => lastDeleted(teamId, clientUserId))
  }

  undoDelete(teamId: TeamId, userId: UserId, deletedAfter: EpochMs, at: EpochMs) {
    return this.writeAbout(userId, () => restoreUser(teamId, userId, { deletedAfter, at }))
  }

  purge(userId: UserId, now: EpochMs, signal?: AbortSignal) {
    return purgeUser(this.db, userId, now, signal)
  }

  figures(teamId: TeamId, weeks: readonly EpochMs[]) {
    return this.db.read(() => figuresOf(teamId, weeks))
  }

  takeRateSlot(userId: UserId, name: string, turn: RateSlot) {
    return this.writeAsideAbout(userId, () => takeRateSlot(userId, name, turn))
  }
}
