/** The ids of items that come from outside, or from another user: each user has ids of its own (core/ids.ts, `ownedId`). */
import { isUuid, ownedId } from '../../../core/ids.ts'

/** The six bytes of a user that lead its ids: twelve digits and a dash. */
const OWNER_CHARACTERS = 13

/**
 * The id that a user has for one that an item names: the id itself where it is one of the user's own, else one derived from it,
 * the same each time, so that summaries, streams and the samples of a workout keep pointing at each other.
 */
export function ownIdFor(userId: string, id: string): string {
  return isOwnId(userId, id) ? id : ownedId(userId, 'brought', id)
}

/** Whether an id carries the first bytes of the user's. */
export function isOwnId(userId: string, id: string): boolean {
  return isUuid(id) && id.slice(0, OWNER_CHARACTERS) === userId.slice(0, OWNER_CHARACTERS)
}
