/** Determines which records belong to a pull's window, and detects changes in a record. */
import { hash } from 'node:crypto'
import { DAY_MS, type EpochMs, formatDate, HOUR_MS, type IsoDate } from '../../core/time.ts'
import type { PullRequest } from '../connector.ts'

/**
 * Returns whether a record belongs to a pull's window. A record belongs to exactly one of two adjacent windows. A window that reaches the
 * present has no upper end, because a calendar day begins earlier in the east than in UTC, and device clocks may be ahead.
 */
export function isWithin({ window, now }: Pick<PullRequest, 'window' | 'now'>, at: EpochMs): boolean {
  return at >= window.from && (at < window.to || reachesPresent({ window, now }))
}

/** Returns whether a pull's window ends now, rather than at the start of an earlier pull. */
export function reachesPresent({ window, now }: Pick<PullRequest, 'window' | 'now'>): boolean {
  return window.to >= now - HOUR_MS
}

/** Returns a time's UTC date, shifted by whole days. */
export function dateAround(at: EpochMs, days: number): IsoDate {
  return formatDate(at + days * DAY_MS)
}

/** Returns a text that changes if and only if the provider's data changes. */
export function contentVersion(...sent: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(sent), 'hex').slice(0, 32)
}
