/** What the engine asks of the store about a user's person: profile info and insurance. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** As it was sent, checked and completed. Sensitive as a whole. */
export type PersonalDocument = Readonly<Record<string, unknown>>

export interface ProfileStore {
  /** Replaces the info of an active user. Throws ServiceError `user_not_found` when the user was deleted meanwhile. */
  putInfo(userId: UserId, document: PersonalDocument, at: EpochMs): Promise<void>
  info(userId: UserId): Promise<PersonalDocument | null>
  /** Keeps one more insurance of an active user. Throws as `putInfo`. */
  addInsurance(userId: UserId, insurance: PersonalDocument, isPrimary: boolean, at: EpochMs): Promise<void>
  /** All of them, in the order they were added. */
  insurances(userId: UserId): Promise<readonly PersonalDocument[]>
  /** The one added last; of the primary ones, or of the others, where that is said. */
  latestInsurance(userId: UserId, isPrimary: boolean | null): Promise<PersonalDocument | null>
}
