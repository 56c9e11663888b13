/** What becomes of the fields of WHOOP's records. */
import { CM_FROM_M, type FieldMapping, KCAL_FROM_KJ, mappingRows, SECONDS_FROM_MS } from '../field-mapping.ts'
import type { MappingRow } from '../live-connector.ts'

const SECONDS = { convert: SECONDS_FROM_MS } as const

export const SLEEP: readonly FieldMapping[] = [
  { from: 'score.stage_summary.total_in_bed_time_milli', fields: ['sleep.duration'], ...SECONDS },
  { from: 'score.stage_summary.total_awake_time_milli', fields: ['sleep.awake'], ...SECONDS },
  { from: 'score.stage_summary.total_light_sleep_time_milli', fields: ['sleep.light'], ...SECONDS },
  { from: 'score.stage_summary.total_slow_wave_sleep_time_milli', fields: ['sleep.deep'], ...SECONDS },
  { from: 'score.stage_summary.total_rem_sleep_time_milli', fields: ['sleep.rem'], ...SECONDS },
  {
    from: 'score.respiratory_rate',
    sample: 'respiratory_rate',
    fields: ['sleep.respiratory_rate'],
    note: 'at the end of the sleep',
  },
  { from: 'score.sleep_performance_percentage', fields: ['sleep.score'] },
  { from: 'score.sleep_efficiency_percentage', fields: ['sleep.efficiency'] },
]

/** Recoveries have no time of their own: their samples are at the end of the linked sleep. */
export const RECOVERY: readonly FieldMapping[] = [
  {
    from: 'score.hrv_rmssd_milli',
    sample: 'hrv',
    fields: ['sleep.average_hrv'],
    note: 'is in milliseconds; at the end of the linked sleep',
  },
  {
    from: 'score.resting_heart_rate',
    sample: 'heartrate',
    fields: ['sleep.hr_resting'],
    note: 'at the end of the linked sleep, with type resting',
  },
  { from: 'score.spo2_percentage', sample: 'blood_oxygen', note: 'at the end of the linked sleep' },
  {
    from: 'score.skin_temp_celsius',
    sample: 'body_temperature',
    fields: ['sleep.skin_temperature'],
    note: 'at the end of the linked sleep, with type skin',
  },
  { from: 'score.recovery_score', fields: ['sleep.recovery_readiness_score'] },
]

/** The `type` of samples that are not what their resource usually holds. */
export const SAMPLE_TYPES: Readonly<Record<string, string>> = { heartrate: 'resting', body_temperature: 'skin' }

export const CYCLE: readonly FieldMapping[] = [
  {
    from: 'score.kilojoule',
    fields: ['activity.calories_total'],
    convert: KCAL_FROM_KJ,
    note: 'of the whole cycle, from sleep to sleep; never calories_active',
  },
  { from: 'score.average_heart_rate', fields: ['activity.heart_rate.avg_bpm'] },
  { from: 'score.max_heart_rate', fields: ['activity.heart_rate.max_bpm'] },
]

const ZONES = ['zero', 'one', 'two', 'three', 'four', 'five'] as const

export const WORKOUT: readonly FieldMapping[] = [
  { from: 'score.average_heart_rate', fields: ['workouts.average_hr'] },
  { from: 'score.max_heart_rate', fields: ['workouts.max_hr'] },
  { from: 'score.kilojoule', fields: ['workouts.calories'], convert: KCAL_FROM_KJ },
  {
    from: 'score.distance_meter',
    fields: ['workouts.distance'],
    note: 'also workout_distance (m) from start to end',
  },
  { from: 'score.altitude_gain_meter', fields: ['workouts.total_elevation_gain'] },
  ...ZONES.map((zone, i) => ({
    from: `score.zone_durations.zone_${zone}_milli`,
    fields: [`workouts.hr_zones.${i}`],
    ...SECONDS,
  })),
]

export const BODY: readonly FieldMapping[] = [
  {
    from: 'weight_kilogram',
    sample: 'body_weight',
    fields: ['body.weight'],
    note: 'at the time it was read, once for each new value',
  },
  { from: 'height_meter', fields: ['profile.height'], convert: CM_FROM_M },
]

/** Fields that say which record it is and when, or whether it has a score. */
const COMMON = ['id', 'v1_id', 'user_id', 'created_at', 'updated_at', 'start', 'end', 'timezone_offset', 'score_state']

function known(table: readonly FieldMapping[], ...more: readonly string[]): ReadonlySet<string> {
  return new Set([...COMMON, ...more, ...table.map(each => each.from)])
}

export const KNOWN = {
  sleep: known(SLEEP, 'cycle_id', 'nap'),
  recovery: known(RECOVERY, 'cycle_id', 'sleep_id'),
  cycle: known(CYCLE),
  // the number of a sport is obsolete: its name is read
  workout: known(WORKOUT, 'sport_name', 'sport_id'),
  body: known(BODY),
} as const

export const MAPPING: readonly MappingRow[] = [
  ...mappingRows('sleep', SLEEP),
  {
    from: 'sleep.start, sleep.end',
    to: 'sleep.bedtime_start, sleep.bedtime_stop',
    rule: 'date: local date of the end',
  },
  { from: 'sleep.nap', to: 'sleep.type', rule: 'true: acknowledged_nap' },
  {
    from: 'sleep.score_state',
    to: 'sleep.state',
    rule: 'PENDING_SCORE: tentative, without a score; otherwise confirmed',
  },
  { from: 'sleep.score.stage_summary', to: 'sleep.total', rule: 'light + slow wave + REM' },
  ...mappingRows('recovery', RECOVERY),
  ...mappingRows('cycle', CYCLE),
  {
    from: 'cycle.start',
    to: 'activity.calendar_date',
    rule: "local date of waking: end of the cycle's sleep, otherwise 12 h after the start of the cycle",
  },
  ...mappingRows('workout', WORKOUT),
  { from: 'workout.start, workout.end', to: 'workouts, workout_duration', rule: 'end − start, min' },
  { from: 'workout.sport_name', to: 'workouts.sport', rule: 'sport of the catalogue, otherwise Other' },
  ...mappingRows('body_measurement', BODY),
]
