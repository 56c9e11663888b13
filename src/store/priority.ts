/** A team's source priorities: which source an aggregate query prefers. Part of the port (port.ts). */
import type { PriorityDataType } from '../catalogue/priority-data-types.ts'
import type { TeamId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** A row of the team's source priorities (interface-gaps, decisions): the larger number wins. */
export interface SourcePriority {
  readonly dataType: PriorityDataType
  /** Slug of a provider or a lab. */
  readonly provider: string
  /** Null: every source type of the provider. */
  readonly sourceType: string | null
  readonly priority: number
}

export interface PriorityStore {
  /** All rows of the team: by data type, the larger number first, then by provider and source type. */
  ofTeam(teamId: TeamId): Promise<readonly SourcePriority[]>
  /**
   * Puts these rows in the place of all rows of the data types named. Where that changes something, every continuous query that
   * follows one of them becomes due for all users.
   */
  replace(
    teamId: TeamId,
    dataTypes: readonly PriorityDataType[],
    rows: readonly SourcePriority[],
    at: EpochMs,
  ): Promise<void>
}
