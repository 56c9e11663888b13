/** A team's source priorities: which source an aggregate query prefers. Part of the port (port.ts). */
import type { PriorityDataType } from '../catalogue/priority-data-types.ts'

/** A row in the team's source priorities. The larger number wins. See docs/interface/aggregates.md#aggregates-7. */
export interface SourcePriority {
  readonly dataType: PriorityDataType
  /** Slug of a provider or a lab. */
  readonly provider: string
  /** Null for every source type of the provider. */
  readonly sourceType: string | null
  readonly priority: number
}
