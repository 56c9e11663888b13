/** The users that are people of a seed: whose life their providers tell of. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { CreateOutcome, UserRecord } from './user.ts'

/** Which of the people of a seed. */
export interface PersonRecord {
  readonly seed: number
  /** From 1. */
  readonly number: number
}

export interface PersonStore {
  /** Creates the user and says who it is, in one step. */
  create(user: UserRecord, person: PersonRecord): Promise<CreateOutcome>
  /** Null: the user is nobody's invention. */
  find(userId: UserId): Promise<PersonRecord | null>
}
