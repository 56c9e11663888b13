/** Personal data of a user: profile info and insurance. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** The document as it was sent, validated and completed. All of it is sensitive. */
export type PersonalDocument = Readonly<Record<string, unknown>>

export interface ProfileStore {
  /** Replaces the profile info of an active user. Throws ServiceError `user_not_found` if the user was deleted in the meantime. */
  putInfo(userId: UserId, document: PersonalDocument, at: EpochMs): Promise<void>
  info(userId: UserId): Promise<PersonalDocument | null>
  /** Adds an insurance of an active user. Throws like `putInfo`. */
  addInsurance(userId: UserId, insurance: PersonalDocument, isPrimary: boolean, at: EpochMs): Promise<void>
  /** Returns all insurances, in the order in which they were added. */
  insurances(userId: UserId): Promise<readonly PersonalDocument[]>
  /** Returns the insurance that was added last: of the primary ones (true), of the others (false), or of all (null). */
  latestInsurance(userId: UserId, isPrimary: boolean | null): Promise<PersonalDocument | null>
}
