/** Converts item IDs that come from outside or from another user. Each user has its own IDs (`ownedId` in core/ids.ts). */
import { isUuid, ownedId } from '../../../core/ids.ts'

/** The first six bytes of a user's ID, with which all of the user's IDs start: twelve digits and a dash. */
const OWNER_CHARACTERS = 13

/**
 * Returns the user's ID for an ID in an item: the same ID if it already belongs to the user, otherwise a derived one. The derived ID is
 * always the same, so that summaries, streams and workout samples keep referring to each other.
 */
export function ownIdFor(userId: string, id: string): string {
  return isOwnId(userId, id) ? id : ownedId(userId, 'brought', id)
}

/** Returns whether an ID starts with the first bytes of the user ID. */
export function isOwnId(userId: string, id: string): boolean {
  return isUuid(id) && id.slice(0, OWNER_CHARACTERS) === userId.slice(0, OWNER_CHARACTERS)
}
