/** A night as described by its summary, and the text for a duration. */
import type { AnySummary } from '../summaries/summaries.ts'

/** Fields of a sleep summary that the page reads. */
export interface Night extends AnySummary {
  readonly calendar_date: string
  readonly bedtime_start: string
  readonly bedtime_stop: string
  readonly type: string
  /** Seconds, like the following fields up to `latency`. */
  readonly duration: number
  readonly total: number
  readonly awake: number
  readonly light: number
  readonly rem: number
  readonly deep: number
  readonly latency: number | null
  /** Percent. */
  readonly efficiency: number | null
  readonly score: number | null
  readonly hr_lowest: number | null
  readonly average_hrv: number | null
}

/** Returns a duration as text, such as `7 h 12 min`. */
export function lengthText(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
