/** Users that are synthetic people: their providers report the life of a person that derives from a seed. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { CreateOutcome, UserRecord } from './user.ts'

/** Identifies one of the people of a seed. */
export interface PersonRecord {
  readonly seed: number
  /** Starts at 1. */
  readonly number: number
}

export interface PersonStore {
  /** Creates the user and records which person it is, in one transaction. */
  create(user: UserRecord, person: PersonRecord): Promise<CreateOutcome>
  /** Returns which person the user is, or null if it is not a synthetic one. */
  find(userId: UserId): Promise<PersonRecord | null>
}
