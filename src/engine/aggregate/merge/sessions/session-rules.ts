/** The rules by which a table of sessions is merged. */
import type { TimeSlice } from '../../../../core/time-slice.ts'
import type { Comparison } from './clusters.ts'
import type { Corrections } from './corrections.ts'
import type { FieldGroup, FieldRules } from './fields.ts'
import type { Session } from './session.ts'

export interface SessionRules {
  /** The document's fields with the start and the end. */
  readonly ends: readonly [string, string]
  /** Prepares the sessions of one source. */
  ofSource(
    sessions: readonly Session[],
    corrections: Corrections,
    slice: TimeSlice,
    signal: AbortSignal | undefined,
  ): Promise<readonly Session[]>
  /** Compares sessions of two sources that have ends. */
  compare(better: Session, other: Session): Comparison
  /** Columns whose values should be alike in all sources of a night or workout, each with its unit. */
  readonly compared: readonly { readonly column: FieldGroup; readonly unit: string }[]
  readonly fields: FieldRules
}
