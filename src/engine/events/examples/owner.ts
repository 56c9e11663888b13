/** The owner and time of an example. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs, IsoDate } from '../../../core/time.ts'

export interface Example {
  readonly teamId: TeamId
  readonly userId: UserId
  readonly clientUserId: string
  readonly at: EpochMs
  readonly compatibilityDate: IsoDate
}
