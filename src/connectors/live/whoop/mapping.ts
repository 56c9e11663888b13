/** The mapping of WHOOP's fields. */
import { type FieldRule, mappingRows, rows } from '../field-table.ts'
import type { MappingRow } from '../live-connector.ts'

const SECONDS = { per: 1000, rule: 'ms to s' } as const
const KCAL = { per: 4.184, rule: 'kJ to kcal' } as const

/** A sleep as a summary. */
export const SLEEP_FIELDS: readonly FieldRule[] = [
  { from: 'score.stage_summary.total_in_bed_time_milli', to: 'duration', ...SECONDS },
  { from: 'score.stage_summary.total_awake_time_milli', to: 'awake', ...SECONDS },
  { from: 'score.stage_summary.total_light_sleep_time_milli', to: 'light', ...SECONDS },
  { from: 'score.stage_summary.total_slow_wave_sleep_time_milli', to: 'deep', ...SECONDS },
  { from: 'score.stage_summary.total_rem_sleep_time_milli', to: 'rem', ...SECONDS },
  { from: 'score.respiratory_rate', to: 'respiratory_rate' },
  { from: 'score.sleep_performance_percentage', to: 'score' },
  { from: 'score.sleep_efficiency_percentage', to: 'efficiency' },
]

/** A sleep as one sample at its end. */
export const SLEEP_SAMPLES: readonly FieldRule[] = [
  { from: 'score.respiratory_rate', to: 'respiratory_rate', rule: 'at the end of the sleep' },
]

/** A recovery, in the linked sleep's summary. */
export const RECOVERY_FIELDS: readonly FieldRule[] = [
  { from: 'score.hrv_rmssd_milli', to: 'average_hrv', rule: 'is in milliseconds' },
  { from: 'score.resting_heart_rate', to: 'hr_resting' },
  { from: 'score.skin_temp_celsius', to: 'skin_temperature' },
  { from: 'score.recovery_score', to: 'recovery_readiness_score' },
]

/** A recovery as samples at the end of the linked sleep, because a recovery has no time. */
export const RECOVERY_SAMPLES: readonly FieldRule[] = [
  { from: 'score.hrv_rmssd_milli', to: 'hrv', rule: 'is in milliseconds; at the end of the linked sleep' },
  {
    from: 'score.resting_heart_rate',
    to: 'heartrate',
    rule: 'at the end of the linked sleep, with type resting',
    type: 'resting',
  },
  { from: 'score.spo2_percentage', to: 'blood_oxygen', rule: 'at the end of the linked sleep' },
  {
    from: 'score.skin_temp_celsius',
    to: 'body_temperature',
    rule: 'at the end of the linked sleep, with type skin',
    type: 'skin',
  },
]

/** A cycle as the day's summary. */
export const CYCLE_FIELDS: readonly FieldRule[] = [
  {
    from: 'score.kilojoule',
    to: 'calories_total',
    ...KCAL,
    digits: 1,
    rule: 'kJ to kcal, of the whole cycle, from sleep to sleep; never calories_active',
  },
]
export const CYCLE_HEART: readonly FieldRule[] = [
  { from: 'score.average_heart_rate', to: 'avg_bpm' },
  { from: 'score.max_heart_rate', to: 'max_bpm' },
]

export const WORKOUT_FIELDS: readonly FieldRule[] = [
  { from: 'score.average_heart_rate', to: 'average_hr' },
  { from: 'score.max_heart_rate', to: 'max_hr' },
  { from: 'score.kilojoule', to: 'calories', ...KCAL },
  { from: 'score.distance_meter', to: 'distance', rule: 'm' },
  { from: 'score.altitude_gain_meter', to: 'total_elevation_gain' },
]

/** A workout's zones, lowest first. */
export const WORKOUT_ZONES: readonly FieldRule[] = ['zero', 'one', 'two', 'three', 'four', 'five'].map((zone, i) => ({
  from: `score.zone_durations.zone_${zone}_milli`,
  to: `${i}`,
  ...SECONDS,
}))

const WHEN_READ = 'at the time it was read, once for each new value'
export const BODY_FIELDS: readonly FieldRule[] = [{ from: 'weight_kilogram', to: 'weight', rule: WHEN_READ }]
export const BODY_SAMPLES: readonly FieldRule[] = [{ from: 'weight_kilogram', to: 'body_weight', rule: WHEN_READ }]
export const PROFILE_FIELDS: readonly FieldRule[] = [
  { from: 'height_meter', to: 'height', times: 100, rule: 'm to cm' },
]

export const MAPPING: readonly MappingRow[] = [
  ...mappingRows('sleep', 'sleep', SLEEP_FIELDS),
  ...mappingRows('sleep', null, SLEEP_SAMPLES),
  ...rows(`
    sleep.start, sleep.end | sleep.bedtime_start, sleep.bedtime_stop | date: local date of the end
    sleep.nap | sleep.type | true: acknowledged_nap
    sleep.score_state | sleep.state | PENDING_SCORE: tentative, without a score; otherwise confirmed
    sleep.score.stage_summary | sleep.total | light + slow wave + REM
  `),
  ...mappingRows('recovery', 'sleep', RECOVERY_FIELDS),
  ...mappingRows('recovery', null, RECOVERY_SAMPLES),
  ...mappingRows('cycle', 'activity', CYCLE_FIELDS),
  ...mappingRows('cycle', 'activity.heart_rate', CYCLE_HEART),
  ...rows(`
    cycle.start | activity.calendar_date | local date of waking: end of the cycle's sleep, otherwise 12 h after the start of the cycle
  `),
  ...mappingRows('workout', 'workouts', WORKOUT_FIELDS),
  ...mappingRows('workout', 'workouts.hr_zones', WORKOUT_ZONES),
  { from: 'workout.score.distance_meter', to: 'workout_distance', rule: 'm, from start to end' },
  { from: 'workout.start, workout.end', to: 'workouts, workout_duration', rule: 'end − start, min' },
  { from: 'workout.sport_name', to: 'workouts.sport', rule: 'sport of the catalogue, otherwise Other' },
  ...mappingRows('body_measurement', 'body', BODY_FIELDS),
  ...mappingRows('body_measurement', null, BODY_SAMPLES),
  ...mappingRows('body_measurement', 'profile', PROFILE_FIELDS),
]
