/** Implements the part of the port that stores users. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { onDatabase, part, read, write, writeAbout, writeAsideAbout } from '../part.ts'
import { remembered } from '../steps.ts'
import { patchUser, takeRateSlot, teamFigures } from './life.ts'
import { namesFrom } from './names.ts'
import { purgeUser } from './purge.ts'
import { teamCounts } from './team-counts.ts'
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

const named = (_: TeamId, userId: UserId): UserId => userId

export class UserStore extends part({
  create: write(insertUser),
  find: read((teamId: TeamId, userId: UserId) =>
    remembered(`user ${teamId} ${userId}`, () => findUser(teamId, userId)),
  ),
  byId: read(userById),
  byClientId: read(findByClientId),
  ofOwnedId: read(usersOfOwnedId),
  list: read(pageOfUsers),
  search: read(searchUsers),
  names: read(namesFrom),
  patch: writeAbout(patchUser, named),
  delete: writeAbout(markDeleted, named),
  latestDeletion: read(lastDeleted),
  undoDelete: writeAbout(restoreUser, named),
  purge: onDatabase(purgeUser),
  figures: read(teamFigures),
  counts: read(teamCounts),
  takeRateSlot: writeAsideAbout(takeRateSlot),
}) {}
