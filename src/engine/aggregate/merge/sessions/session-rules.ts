/** The rules by which a table of sessions is merged. */
import type { TimeSlice } from '../../../../core/time-slice.ts'
import type { Match } from './clusters.ts'
import type { FieldRules } from './fields.ts'
import type { Session } from './session.ts'

export interface SessionRules {
  /** The document's fields with the start and the end. */
  readonly ends: readonly [string, string]
  /** Prepares the sessions of one source. */
  ofSource(sessions: readonly Session[], slice: TimeSlice, signal: AbortSignal | undefined): Promise<readonly Session[]>
  /** Returns why two sessions of different sources are the same, or null if they are not. */
  match(better: Session, other: Session): Match | null
  readonly fields: FieldRules
}
