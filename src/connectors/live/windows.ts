/** Windows of pulls: which records belong to one, and the identifier of a record's contents. */
import { hash } from 'node:crypto'
import { DAY_MS, type EpochMs, formatDate, HOUR_MS, type IsoDate } from '../../core/time.ts'
import type { PullRequest } from '../connector.ts'

/**
 * Returns whether a record belongs to the window of a pull, so that it belongs to exactly one of two adjacent windows. A window that
 * reaches the present has no upper end: a calendar day begins earlier in the east than in UTC, and clocks of devices are ahead.
 */
export function isWithin({ window, now }: Pick<PullRequest, 'window' | 'now'>, at: EpochMs): boolean {
  return at >= window.from && (at < window.to || reachesPresent({ window, now }))
}

/** Returns whether the window of a pull ends now, and not at the start of an earlier pull. */
export function reachesPresent({ window, now }: Pick<PullRequest, 'window' | 'now'>): boolean {
  return window.to >= now - HOUR_MS
}

/** Returns the UTC date of a time, moved by whole days. */
export function dateAround(at: EpochMs, days: number): IsoDate {
  return formatDate(at + days * DAY_MS)
}

/** Returns a text that changes if and only if the provider's data does. */
export function contentVersion(...sent: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(sent), 'hex').slice(0, 32)
}
