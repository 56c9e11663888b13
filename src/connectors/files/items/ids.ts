/** Converts ids of items that come from outside or from another user. Each user has its own ids (`ownedId` in core/ids.ts). */
import { isUuid, ownedId } from '../../../core/ids.ts'

/** The six bytes of the user id at the start of its ids: twelve digits and a dash. */
const OWNER_CHARACTERS = 13

/**
 * Returns the user's id for an id in an item: the same id if it is one of the user's, otherwise a derived one. The derived id is always the
 * same, so that summaries, streams and workout samples keep referring to each other.
 */
export function ownIdFor(userId: string, id: string): string {
  return isOwnId(userId, id) ? id : ownedId(userId, 'brought', id)
}

/** Returns whether an id starts with the first bytes of the user id. */
export function isOwnId(userId: string, id: string): boolean {
  return isUuid(id) && id.slice(0, OWNER_CHARACTERS) === userId.slice(0, OWNER_CHARACTERS)
}
