/**
 * Finds the user to whom a standalone ID belongs. The ID's first six bytes are those of the user's ID (`ownedId`), and the directory lists
 * the users of a team.
 */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { many, query, type Steps } from '../steps.ts'

const USERS_BETWEEN = query<{ readonly user_id: UserId }>(
  'SELECT user_id FROM directory WHERE team_id=? AND user_id>=? AND user_id<?',
)

/** Number of characters that represent the six bytes: twelve digits and the first dash in both IDs. */
const OWNER_CHARACTERS = 13

/** Returns the active users in the team to whom the ID may belong. There is rarely more than one. */
export function* findOwners(teamId: TeamId, ownedId: string): Steps<UserId[]> {
  const [from, to] = ownerRange(ownedId)
  return (yield* many(USERS_BETWEEN, [teamId, from, to])).map(row => row.user_id)
}

/** Returns the range of user IDs to which the ID may belong. Its end is exclusive. */
export function ownerRange(ownedId: string): [from: string, to: string] {
  const prefix = ownedId.slice(0, OWNER_CHARACTERS).toLowerCase()
  return [prefix, `${prefix}~`]
}
