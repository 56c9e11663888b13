/** Request budgets for live providers. Part of the port (port.ts). */
import { type EpochMs, HOUR_MS } from '../../core/time.ts'

/** The longest pause that a provider can request. A block that ends later was stored with a wrong clock, or before this limit existed. */
export const LONGEST_PAUSE_MS = 6 * HOUR_MS

/** One of a provider's limits for the budget that all processes share. */
export interface BudgetLimit {
  readonly most: number
  readonly windowMs: number
}

export interface BudgetRequest {
  readonly limits: readonly BudgetLimit[]
  /** Number of requests that the process wants to send soon. */
  readonly wanted: number
  readonly now: EpochMs
}

export interface BudgetShare {
  /** Number of requests that the process may send before `validUntil`. If 0, none are allowed until `waitMs` has passed. */
  readonly allowed: number
  readonly validUntil: EpochMs
  readonly waitMs: number
}

export interface BudgetState {
  /** Requests counted in the current window of each limit. */
  readonly used: readonly (BudgetLimit & { readonly count: number })[]
  /** End of the pause requested by the provider, or null. */
  readonly blockedUntil: EpochMs | null
}
