/** The mapping of Oura's fields. The readers in this folder use these tables, and the docs include them. */
import { STAGES } from '../../shared/summaries.ts'
import type { FieldRule } from '../field-table.ts'
import type { Readings } from './series.ts'

/** `daily_activity` as the day's summary. */
export const ACTIVITY_FIELDS: readonly FieldRule[] = [
  { from: 'steps', to: 'steps' },
  { from: 'equivalent_walking_distance', to: 'distance', rule: 'm, an estimate' },
  { from: 'equivalent_walking_distance', to: 'daily_movement', rule: 'm, an estimate' },
  { from: 'active_calories', to: 'calories_active', rule: 'kcal' },
  { from: 'total_calories', to: 'calories_total', rule: 'kcal' },
  { from: 'low_activity_time', to: 'low', per: 60, rule: 's to min' },
  { from: 'medium_activity_time', to: 'medium', per: 60, rule: 's to min' },
  { from: 'high_activity_time', to: 'high', per: 60, rule: 's to min' },
]

/** `daily_activity` as samples that cover the day. */
export const ACTIVITY_SAMPLES: readonly FieldRule[] = [
  { from: 'steps', to: 'steps', rule: 'one sample a day', covers: 'day_total' },
  {
    from: 'equivalent_walking_distance',
    to: 'distance',
    rule: 'm, an estimate, one sample a day',
    covers: 'day_total',
  },
  { from: 'active_calories', to: 'calories_active', rule: 'kcal, one sample a day', covers: 'day_total' },
]

/** `sleep` as a summary. */
export const SLEEP_FIELDS: readonly FieldRule[] = [
  { from: 'time_in_bed', to: 'duration', rule: 's' },
  { from: 'total_sleep_duration', to: 'total', rule: 's' },
  { from: 'awake_time', to: 'awake', rule: 's' },
  { from: 'light_sleep_duration', to: 'light', rule: 's' },
  { from: 'rem_sleep_duration', to: 'rem', rule: 's' },
  { from: 'deep_sleep_duration', to: 'deep', rule: 's' },
  { from: 'latency', to: 'latency', rule: 's' },
  { from: 'efficiency', to: 'efficiency', rule: '%' },
  { from: 'lowest_heart_rate', to: 'hr_lowest', rule: 'bpm' },
  { from: 'lowest_heart_rate', to: 'hr_resting', rule: 'bpm, as Oura computes it' },
  { from: 'average_heart_rate', to: 'hr_average', rule: 'bpm' },
  { from: 'average_hrv', to: 'average_hrv', rule: 'RMSSD in ms' },
  { from: 'average_breath', to: 'respiratory_rate', rule: 'breaths a minute' },
]

/** `sleep` as one sample at the end of the night. */
export const SLEEP_SAMPLES: readonly FieldRule[] = [
  { from: 'average_breath', to: 'respiratory_rate', rule: 'one sample, at the end' },
]

/** Readiness, which is nested in `sleep`, or else the day's `daily_readiness`. */
export const READINESS_FIELDS: readonly FieldRule[] = [
  { from: 'score', to: 'recovery_readiness_score' },
  { from: 'temperature_deviation', to: 'temperature_delta', rule: '°C' },
]

export const READINESS_SAMPLES: readonly FieldRule[] = [
  { from: 'temperature_deviation', to: 'body_temperature_delta', rule: '°C, one sample, at the end of the night' },
]

/** `daily_sleep` on the day of a long sleep. */
export const SCORE_FIELDS: readonly FieldRule[] = [{ from: 'score', to: 'score' }]

export const SPO2_SAMPLES: readonly FieldRule[] = [
  { from: 'spo2_percentage.average', to: 'blood_oxygen', rule: '%, one sample, at the beginning of the day', none: 0 },
]

export const VO2_SAMPLES: readonly FieldRule[] = [{ from: 'vo2_max', to: 'vo2_max' }]

export const HEARTRATE_SAMPLES: readonly FieldRule[] = [
  { from: 'bpm', to: 'heartrate', rule: 'the source (awake, rest, sleep …) becomes the type' },
]

export const WORKOUT_FIELDS: readonly FieldRule[] = [
  { from: 'calories', to: 'calories', rule: 'kcal' },
  { from: 'distance', to: 'distance', rule: 'm' },
]

export const WORKOUT_SAMPLES: readonly FieldRule[] = [
  { from: 'distance', to: 'workout_distance', rule: 'm, over the workout', none: 0 },
]

export const PROFILE_FIELDS: readonly FieldRule[] = [{ from: 'height', to: 'height', times: 100, rule: 'm to cm' }]
export const BODY_FIELDS: readonly FieldRule[] = [{ from: 'weight', to: 'weight', rule: 'kg, when it was read' }]
export const BODY_SAMPLES: readonly FieldRule[] = [{ from: 'weight', to: 'body_weight', rule: 'kg, when it was read' }]

/** Hypnogram characters. */
export const STAGE_OF: Readonly<Record<string, number>> = {
  '1': STAGES.deep,
  '2': STAGES.light,
  '3': STAGES.rem,
  '4': STAGES.awake,
}

/** Fields with a hypnogram, most detailed first, and the number of seconds per character. */
export const HYPNOGRAMS = [
  { field: 'sleep_phase_30_sec', seconds: 30 },
  { field: 'app_sleep_phase_5_min', seconds: 300 },
  { field: 'sleep_phase_5_min', seconds: 300 },
] as const

/** Sleep types. A type that is not listed is not sleep, and its earlier data is removed. */
export const SLEEP_TYPES: Readonly<Record<string, string>> = {
  long_sleep: 'long_sleep',
  sleep: 'acknowledged_nap',
  late_nap: 'acknowledged_nap',
}

export const SLEEP_HRV: Readings = { field: 'hrv', resource: 'hrv' }
/**
 * A night's or a session's readings that the `heartrate` collection also contains. They are read if that collection's scope was not
 * granted.
 */
export const SLEEP_HEART_RATE: Readings = { field: 'heart_rate', resource: 'heartrate', text: { type: 'sleep' } }
export const SESSION_HEART_RATE: Readings = { field: 'heart_rate', resource: 'heartrate', text: { type: 'session' } }

/** Session types that count as mindfulness. Naps, rests and measurements do not. */
export const MINDFUL_TYPES: readonly string[] = ['breathing', 'meditation', 'relaxation']
