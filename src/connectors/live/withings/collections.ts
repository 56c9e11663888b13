/** Withings' collections as data. */
import { HOUR_MS } from '../../../core/time.ts'
import { collection, type LiveCollection, NEWEST } from '../collection.ts'
import { dayPages, pointPages, readDays, readPoints } from './activity.ts'
import { RECORDINGS, readRecording } from './heart.ts'
import { HEIGHTS, MEASURE_GROUPS, readGroup, readHeight } from './measures.ts'
import { allRows, rowPages, WITHINGS } from './requests.ts'
import { NIGHTS, readNight } from './sleep.ts'
import { readWorkout, WORKOUTS } from './workouts.ts'

const METRICS = { scopes: ['user.metrics'], pollMs: HOUR_MS } as const
const ACTIVITY = { scopes: ['user.activity'], pollMs: HOUR_MS } as const
const UNLIMITED = { historyDays: Number.POSITIVE_INFINITY, emptyWindows: 2 } as const

const MEASURED = [
  ...['body', 'weight', 'fat', 'blood_pressure', 'heartrate', 'blood_oxygen'],
  ...['body_temperature', 'vo2_max'],
]
const WITHIN_A_DAY = [
  ...['steps', 'distance', 'floors_climbed', 'calories_active', 'heartrate', 'blood_oxygen', 'hrv'],
  ...['respiratory_rate', 'body_temperature'],
]
const WORKOUT = ['workouts', 'workout_stream', 'workout_duration', 'workout_distance', 'workout_swimming_stroke']
const NIGHT = ['sleep', 'sleep_cycle', 'heartrate', 'respiratory_rate', 'hrv', 'sleep_breathing_disturbance']
const ECG = ['electrocardiogram', 'electrocardiogram_voltage']

export const WITHINGS_COLLECTIONS: readonly LiveCollection[] = [
  collection(
    WITHINGS,
    { ...METRICS, ...UNLIMITED, name: 'getmeas', resources: MEASURED, windowDays: 365, overlapDays: 7 },
    { pages: rowPages(MEASURE_GROUPS), map: readGroup },
  ),
  collection(
    WITHINGS,
    {
      ...{ ...ACTIVITY, ...UNLIMITED, windowDays: 180, overlapDays: 4 },
      ...{ name: 'getactivity', resources: ['activity', 'calories_basal'] },
    },
    { pages: dayPages, map: readDays },
  ),
  collection(
    WITHINGS,
    // one request per day
    {
      ...{ ...ACTIVITY, windowDays: 7, historyDays: 90, overlapDays: 2 },
      ...{ name: 'getintradayactivity', resources: WITHIN_A_DAY },
    },
    { pages: pointPages, map: readPoints },
  ),
  collection(
    WITHINGS,
    { ...ACTIVITY, ...UNLIMITED, name: 'getworkouts', resources: WORKOUT, windowDays: 180, overlapDays: 7 },
    { pages: rowPages(WORKOUTS), map: readWorkout },
  ),
  collection(
    WITHINGS,
    // one request per night
    { ...ACTIVITY, name: 'sleep', resources: NIGHT, windowDays: 30, historyDays: 365, overlapDays: 4 },
    { pages: rowPages(NIGHTS), map: readNight },
  ),
  collection(
    WITHINGS,
    // one more request per recording
    { ...METRICS, ...UNLIMITED, name: 'heart', resources: ECG, windowDays: 365, overlapDays: 7 },
    { pages: rowPages(RECORDINGS), map: readRecording },
  ),
  collection(
    WITHINGS,
    // always reads all heights, because the profile contains the newest height, which an older one must not replace
    { ...METRICS, ...NEWEST, name: 'profile', resources: ['profile'] },
    { pages: allRows(HEIGHTS), map: readHeight },
  ),
]
