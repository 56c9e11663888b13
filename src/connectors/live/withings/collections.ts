/** The collections of Withings: what each brings, and how far back it goes. */
import { DAY_MS, MINUTE_MS } from '../../../core/time.ts'
import type { Collection } from '../../connector.ts'

const POLL_MS = 60 * MINUTE_MS
const UNLIMITED = { historyDays: Number.POSITIVE_INFINITY, emptyWindows: 2 } as const

export const WITHINGS_COLLECTIONS: readonly Collection[] = [
  {
    name: 'getmeas',
    resources: [
      ...['body', 'weight', 'fat', 'blood_pressure', 'heartrate', 'blood_oxygen'],
      ...['body_temperature', 'vo2_max'],
    ],
    scopes: ['user.metrics'],
    windowDays: 365,
    ...UNLIMITED,
    pollMs: POLL_MS,
    overlapDays: 7,
  },
  {
    name: 'getactivity',
    resources: ['activity', 'calories_basal'],
    scopes: ['user.activity'],
    windowDays: 180,
    ...UNLIMITED,
    pollMs: POLL_MS,
    overlapDays: 4,
  },
  {
    // one request for each day
    name: 'getintradayactivity',
    resources: [
      ...['steps', 'distance', 'floors_climbed', 'calories_active', 'heartrate', 'blood_oxygen', 'hrv'],
      ...['respiratory_rate', 'body_temperature'],
    ],
    scopes: ['user.activity'],
    windowDays: 7,
    historyDays: 90,
    pollMs: POLL_MS,
    overlapDays: 2,
  },
  {
    name: 'getworkouts',
    resources: ['workouts', 'workout_stream', 'workout_duration', 'workout_distance', 'workout_swimming_stroke'],
    scopes: ['user.activity'],
    windowDays: 180,
    ...UNLIMITED,
    pollMs: POLL_MS,
    overlapDays: 7,
  },
  {
    // one request for each night
    name: 'sleep',
    resources: ['sleep', 'sleep_cycle', 'heartrate', 'respiratory_rate', 'hrv', 'sleep_breathing_disturbance'],
    scopes: ['user.activity'],
    windowDays: 30,
    historyDays: 365,
    pollMs: POLL_MS,
    overlapDays: 4,
  },
  {
    // one more request for each recording
    name: 'heart',
    resources: ['electrocardiogram', 'electrocardiogram_voltage'],
    scopes: ['user.metrics'],
    windowDays: 365,
    ...UNLIMITED,
    pollMs: POLL_MS,
    overlapDays: 7,
  },
  {
    // always reads every height: the profile holds the newest one, which an older one must not replace
    name: 'profile',
    resources: ['profile'],
    scopes: ['user.metrics'],
    windowDays: 1,
    historyDays: 1,
    pollMs: DAY_MS,
    overlapDays: 0,
  },
]
