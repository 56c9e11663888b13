/** A team's source priorities: which source an aggregate query prefers. Part of the port (port.ts). */
import type { PriorityDataType } from '../catalogue/priority-data-types.ts'
import type { TeamId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** A row of the team's source priorities; the larger number wins. See docs/interface/aggregates.md#aggregates-7. */
export interface SourcePriority {
  readonly dataType: PriorityDataType
  /** Slug of a provider or a lab. */
  readonly provider: string
  /** Null for every source type of the provider. */
  readonly sourceType: string | null
  readonly priority: number
}

export interface PriorityStore {
  /** Returns all rows of the team: by data type, then largest number first, then by provider and source type. */
  ofTeam(teamId: TeamId): Promise<readonly SourcePriority[]>
  /**
   * Replaces all rows of the given data types. If that changes anything, every continuous query that depends on one of them becomes due for
   * all users.
   */
  replace(
    teamId: TeamId,
    dataTypes: readonly PriorityDataType[],
    rows: readonly SourcePriority[],
    at: EpochMs,
  ): Promise<void>
}
