/** Finds the user of a standalone id: its first six bytes are its user's (`ownedId`), and the directory has the users of a team. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { many, query, type Steps } from '../steps.ts'

const USERS_BETWEEN = query<{ readonly user_id: UserId }>(
  'SELECT user_id FROM directory WHERE team_id=? AND user_id>=? AND user_id<?',
)

/** The six bytes are twelve digits and the first dash of both ids. */
const OWNER_CHARACTERS = 13

/** Returns the active users of the team to whom the id may belong; rarely more than one. */
export function* findOwners(teamId: TeamId, ownedId: string): Steps<UserId[]> {
  const [from, to] = ownerRange(ownedId)
  return (yield* many(USERS_BETWEEN, [teamId, from, to])).map(row => row.user_id)
}

/** Returns the ends of the range of user ids that the id may belong to; the second is not part of it. */
export function ownerRange(ownedId: string): [from: string, to: string] {
  const prefix = ownedId.slice(0, OWNER_CHARACTERS).toLowerCase()
  return [prefix, `${prefix}~`]
}
