/** A night as described by its summary, and the text for a duration. */
import type { SessionKind } from '../sessions.ts'
import type { AnySummary } from '../summaries/summaries.ts'

/** Fields of a sleep summary that the page reads. */
export interface Night extends AnySummary {
  readonly calendar_date: string
  readonly bedtime_start: string
  readonly bedtime_stop: string
  readonly type: string
  /** Seconds, like the following fields up to `latency`. Null in a merged night if a part of it lacks the value. */
  readonly duration: number | null
  readonly total: number | null
  readonly awake: number | null
  readonly light: number | null
  readonly rem: number | null
  readonly deep: number | null
  readonly latency: number | null
  /** Percent. */
  readonly efficiency: number | null
  readonly score: number | null
  readonly hr_lowest: number | null
  readonly average_hrv: number | null
}

export const NIGHTS: SessionKind<Night> = {
  kind: 'sleep',
  table: 'sleep',
  columns: {
    duration_second: 'duration',
    stage_asleep_second: 'total',
    stage_awake_second: 'awake',
    stage_light_second: 'light',
    stage_rem_second: 'rem',
    stage_deep_second: 'deep',
    latency_second: 'latency',
    efficiency: 'efficiency',
    score: 'score',
    heart_rate_minimum: 'hr_lowest',
    hrv_mean_rmssd: 'average_hrv',
  },
  start: 'bedtime_start',
  end: 'bedtime_stop',
  index: 'bedtime_stop',
}

/** Returns a duration as text, such as `7 h 12 min`; `unknown` for null. */
export function lengthText(seconds: number | null): string {
  if (seconds === null) return 'unknown'
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
