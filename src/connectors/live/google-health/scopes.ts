/** Google Health's scopes. The names here are Google's names without the URL prefix. */
import { scope } from '../define-connector.ts'

const PREFIX = 'https://www.googleapis.com/auth/googlehealth.'

export const ACTIVITY = 'activity_and_fitness.readonly'
export const METRICS = 'health_metrics_and_measurements.readonly'
export const SLEEP = 'sleep.readonly'
export const NUTRITION = 'nutrition.readonly'
export const ECG = 'ecg.readonly'
export const SETTINGS = 'settings.readonly'
export const REPRODUCTIVE = 'reproductive_health.readonly'

export const SCOPES = [
  scope(ACTIVITY, 'activity and workouts', {
    required: true,
    resources: [
      ...['activity', 'steps', 'distance', 'calories_active', 'calories_basal', 'floors_climbed', 'vo2_max'],
      ...['workouts', 'workout_stream', 'workout_duration', 'workout_distance'],
    ],
  }),
  scope(METRICS, 'vital signs and body measurements', {
    resources: [
      ...['heartrate', 'workout_stream', 'hrv', 'respiratory_rate', 'blood_oxygen'],
      ...['body_temperature', 'body_temperature_delta', 'glucose', 'body', 'weight', 'fat', 'profile'],
    ],
    enriches: ['activity'],
  }),
  scope(SLEEP, 'sleep and sleep stages', { resources: ['sleep', 'sleep_cycle'] }),
  scope(NUTRITION, 'food and water', { resources: ['meal', 'carbohydrates', 'caffeine', 'water'] }),
  scope(ECG, 'electrocardiograms', { resources: ['electrocardiogram', 'electrocardiogram_voltage'] }),
  scope(SETTINGS, 'time zone of your account', { enriches: ['activity'] }),
  scope(REPRODUCTIVE, 'periods and ovulation tests', { resources: ['menstrual_cycle'] }),
]

/** Returns a scope in Google's spelling. A name that is a URL belongs to another service and stays unchanged. */
export function qualifiedScope(name: string): string {
  return name.includes('://') ? name : PREFIX + name
}

/** Returns the scope names in a Google response. */
export function scopeNames(text: string): readonly string[] {
  return text
    .split(/\s+/)
    .filter(name => name !== '')
    .map(name => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name))
}
