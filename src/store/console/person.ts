/** The people who sign in to the console, as stored. Part of the port (port.ts). */
import type { Role } from '../../catalogue/roles.ts'
import type { TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'

export interface ConsolePerson {
  readonly personId: string
  readonly teamId: TeamId
  /** Unique among the team's people who have not been removed. */
  readonly name: string
  readonly role: Role
  readonly createdOn: EpochMs
  /** When the person was removed, or null. Removed people remain, because the audit trail refers to them. */
  readonly removedAt: EpochMs | null
}

/** A change to a person. Absent fields stay unchanged. */
export type PersonChanges = Partial<Pick<ConsolePerson, 'name' | 'role'>>
