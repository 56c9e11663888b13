/** What people declare about sessions: that two of them are the same night or workout, or are not. Part of the port (port.ts). */
import type { SummaryKind } from '../core/sample.ts'
import type { EpochMs } from '../core/time.ts'

/** The summaries that are sessions. */
export const SESSION_KINDS = ['sleep', 'workouts'] as const satisfies readonly SummaryKind[]
export type SessionKind = (typeof SESSION_KINDS)[number]

/** Maximum number of corrections of a user. */
export const MOST_SESSION_MATCHES = 1_000

/** A correction of a merge. See docs/interface/merging.md#merging-16. */
export interface SessionMatch {
  readonly kind: SessionKind
  /** IDs of summaries, which may not exist at present. The smaller one is the first. */
  readonly firstId: string
  readonly secondId: string
  readonly isSame: boolean
  readonly declaredAt: EpochMs
}

/** The result of a declaration. `contradicts` means that other corrections imply the opposite. */
export type MatchOutcome =
  | { readonly kind: 'declared'; readonly match: SessionMatch }
  | { readonly kind: 'contradicts' | 'full' }
