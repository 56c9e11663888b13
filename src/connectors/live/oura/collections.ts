/** The collections of Oura: what each brings, how its range is asked for, and how far back it goes. */
import { DAY_MS, MINUTE_MS } from '../../../core/time.ts'
import type { Collection } from '../../connector.ts'

export interface OuraCollection extends Collection {
  /** By calendar dates, by times, or all at once. */
  readonly range: 'dates' | 'times' | 'none'
  /** How many days are asked for before the first and after the last UTC date of a window. */
  readonly around: readonly [before: number, after: number]
}

const HOUR = 60 * MINUTE_MS

const BY_DATE = {
  range: 'dates',
  // the end is exclusive for some collections; and in the east a day begins before it does in UTC
  around: [0, 2],
  windowDays: 30,
  historyDays: Number.POSITIVE_INFINITY,
  emptyWindows: 3,
  pollMs: HOUR,
  overlapDays: 4,
} as const

export const OURA_COLLECTIONS: readonly OuraCollection[] = [
  {
    ...BY_DATE,
    name: 'daily_activity',
    resources: ['activity', 'steps', 'distance', 'calories_active', 'calories_basal'],
    scopes: ['daily'],
  },
  {
    ...BY_DATE,
    name: 'sleep',
    // a late nap is listed under the next day
    around: [0, 3],
    // the heart rate of a night is in it, for whoever did not grant that of the day
    resources: ['sleep', 'sleep_cycle', 'heartrate', 'hrv', 'respiratory_rate', 'body_temperature_delta'],
    scopes: ['daily'],
  },
  { ...BY_DATE, name: 'daily_spo2', resources: ['blood_oxygen'], scopes: ['spo2'], windowDays: 90 },
  // which scope it needs is not documented: a refusal says so
  { ...BY_DATE, name: 'vO2_max', resources: ['vo2_max'], scopes: [], windowDays: 90, pollMs: 6 * HOUR },
  {
    ...BY_DATE,
    name: 'workout',
    // the range is one of UTC dates, and `day` is a local date
    around: [2, 3],
    resources: ['workouts', 'workout_stream', 'workout_duration', 'workout_distance'],
    scopes: ['workout'],
    windowDays: 90,
  },
  {
    ...BY_DATE,
    name: 'session',
    resources: ['mindfulness_minutes', 'heartrate'],
    scopes: ['session'],
    windowDays: 90,
  },
  { ...BY_DATE, name: 'enhanced_tag', resources: ['note'], scopes: ['tag'], windowDays: 90 },
  {
    name: 'heartrate',
    range: 'times',
    around: [0, 0],
    resources: ['heartrate'],
    scopes: ['heartrate'],
    // Oura allows 30 days a call, and a second more is asked for on both sides
    windowDays: 29,
    historyDays: Number.POSITIVE_INFINITY,
    emptyWindows: 3,
    pollMs: 30 * MINUTE_MS,
    overlapDays: 3,
  },
  {
    name: 'personal_info',
    range: 'none',
    around: [0, 0],
    resources: ['profile', 'body', 'weight'],
    scopes: ['personal'],
    windowDays: 1,
    historyDays: 1,
    pollMs: DAY_MS,
    overlapDays: 0,
  },
]
