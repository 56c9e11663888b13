/** The mapping of Polar's fields. In names, hyphens are read as underscores. */
import { NIGHT_TYPE } from '../../../catalogue/kinds.ts'
import type { StreamColumn } from '../../../core/stream.ts'
import { type FieldRule, mappingRows, rows } from '../field-table.ts'
import type { MappingRow } from '../live-connector.ts'

export const EXERCISE_FIELDS: readonly FieldRule[] = [
  { from: 'calories', to: 'calories' },
  { from: 'distance', to: 'distance', rule: 'm' },
  { from: 'heart_rate.average', to: 'average_hr' },
  { from: 'heart_rate.maximum', to: 'max_hr' },
]

/** An exercise's sample list; `from` is the list's name. */
export interface SampleList extends Omit<FieldRule, 'to'> {
  readonly to: StreamColumn
  /** Whether values of zero or less mean that nothing was measured. */
  readonly isPositive?: boolean
}

const ON_FOOT = '× 2 on foot (steps/min)'

/** An exercise's sample lists, by type number. */
export const SAMPLE_LISTS: Readonly<Record<string, SampleList>> = {
  '0': { from: 'heart rate', to: 'heartrate', isPositive: true, rule: 'without 0' },
  '1': { from: 'speed', to: 'velocity_smooth', per: 3.6, digits: 3, rule: 'km/h to m/s' },
  '2': { from: 'cadence', to: 'cadence', rule: ON_FOOT },
  '3': { from: 'altitude', to: 'altitude' },
  '4': { from: 'power', to: 'power' },
  '8': { from: 'running cadence', to: 'cadence', rule: ON_FOOT },
  '9': { from: 'temperature', to: 'temperature' },
  '10': { from: 'distance', to: 'distance' },
}

export const ACTIVITY_FIELDS: readonly FieldRule[] = [
  { from: 'steps', to: 'steps' },
  { from: 'distance_from_steps', to: 'distance' },
  { from: 'distance_from_steps', to: 'daily_movement' },
  { from: 'active_calories', to: 'calories_active' },
  { from: 'calories', to: 'calories_total' },
]

export const ACTIVITY_SAMPLES: readonly FieldRule[] = [
  { from: 'distance_from_steps', to: 'distance', rule: 'over the local day', covers: 'day_total' },
  { from: 'active_calories', to: 'calories_active', rule: 'over the local day', covers: 'day_total' },
]

/** A day's zones, and the summary fields for their minutes. There is no field for time asleep or sedentary time. */
export const DAY_ZONES: Readonly<Record<string, 'low' | 'medium' | 'high' | null>> = {
  SLEEP: null,
  SEDENTARY: null,
  LIGHT: 'low',
  MODERATE: 'medium',
  VIGOROUS: 'high',
}

/** The rule for daily resting heart rates. */
export const RESTING: FieldRule = {
  from: 'resting_heart_rate',
  to: 'resting_bpm',
  rule: 'of the days since modified',
}

export const NIGHT_FIELDS: readonly FieldRule[] = [
  { from: 'light_sleep', to: 'light' },
  { from: 'deep_sleep', to: 'deep' },
  { from: 'rem_sleep', to: 'rem' },
  { from: 'total_interruption_duration', to: 'awake' },
  { from: 'sleep_score', to: 'score' },
]

export const RECHARGE_FIELDS: readonly FieldRule[] = [
  { from: 'heart_rate_variability_avg', to: 'average_hrv' },
  { from: 'breathing_rate_avg', to: 'respiratory_rate' },
  { from: 'heart_rate_avg', to: 'hr_average', rule: 'bpm, over four hours of the night' },
]

export const RECHARGE_SAMPLES: readonly FieldRule[] = [
  {
    from: 'heart_rate_variability_avg',
    to: 'hrv',
    rule: 'at the end of the night, with type night, only without hrv_samples',
    type: NIGHT_TYPE,
  },
  {
    from: 'breathing_rate_avg',
    to: 'respiratory_rate',
    rule: 'at the end of the night, only without breathing_samples',
  },
]

/** Values by time of day, and their samples' resources. */
export const CLOCK_SAMPLES = {
  night: { heart_rate_samples: 'heartrate' },
  recharge: { hrv_samples: 'hrv', breathing_samples: 'respiratory_rate' },
} as const

export const SKIN_FIELDS: readonly FieldRule[] = [
  { from: 'sleep_time_skin_temperature_celsius', to: 'skin_temperature' },
  { from: 'deviation_from_baseline_celsius', to: 'temperature_delta' },
]

const SKIN_RULE = 'at the end of the night, with type skin'
export const SKIN_SAMPLES: readonly FieldRule[] = [
  { from: 'sleep_time_skin_temperature_celsius', to: 'body_temperature', rule: SKIN_RULE, type: 'skin' },
  { from: 'deviation_from_baseline_celsius', to: 'body_temperature_delta', rule: SKIN_RULE, type: 'skin' },
]

/** Polar's stages as svc's stages: -1 missing, 1 deep, 2 light, 3 REM, 4 awake. */
export const STAGES: Readonly<Record<string, number>> = { '0': 4, '1': 3, '2': 2, '3': 2, '4': 1, '5': -1 }

export const SPO2_SAMPLES: readonly FieldRule[] = [{ from: 'blood_oxygen_percent', to: 'blood_oxygen' }]

/** The `type` of a temperature, by a word in Polar's name for the measurement. */
export const TEMPERATURE_TYPES: Readonly<Record<string, string>> = { skin: 'skin', core: 'core' }

const WHEN_MODIFIED = 'at modified, once for each new value'
export const BODY_FIELDS: readonly FieldRule[] = [{ from: 'weight', to: 'weight', rule: WHEN_MODIFIED }]
export const PHYSICAL_SAMPLES: readonly FieldRule[] = [
  { from: 'weight', to: 'body_weight', rule: WHEN_MODIFIED },
  { from: 'vo2_max', to: 'vo2_max', rule: WHEN_MODIFIED },
]
export const PROFILE_FIELDS: readonly FieldRule[] = [{ from: 'height', to: 'height', rule: 'in cm' }]

export const MAPPING: readonly MappingRow[] = [
  ...mappingRows('exercise', 'workouts', EXERCISE_FIELDS),
  ...rows(`
    exercise.distance | workout_distance | m, from start to end
    exercise.start_time, duration | workouts, workout_duration | start_time − start_time_utc_offset; min
    exercise.sport, detailed_sport_info | workouts.sport | sport of the catalogue, otherwise Other
    exercise.heart_rate_zones | workouts.hr_zones | s; zones 1 to 5, and 0 for the lowest
  `),
  ...mappingRows(
    'exercise',
    'workout_stream',
    Object.entries(SAMPLE_LISTS).map(([type, list]) => ({ ...list, from: `samples type ${type} (${list.from})` })),
  ),
  { from: 'exercise.samples type 0 (heart rate)', to: 'heartrate', rule: 'without 0' },
  { from: 'exercise.route', to: 'workout_stream.lat, workout_stream.lng, workouts.map', rule: '' },
  ...mappingRows('activity', 'activity', ACTIVITY_FIELDS),
  ...mappingRows('activity', null, ACTIVITY_SAMPLES),
  { from: 'activity.samples.steps', to: 'steps', rule: 'each interval' },
  {
    from: 'activity.steps',
    to: 'steps',
    rule: 'over the local day, only without samples.steps',
    signs: { covers: 'day_total' },
  },
  {
    from: 'activity.calories, active_calories',
    to: 'calories_basal',
    rule: 'calories − active_calories, at least 0, over the local day',
    signs: { covers: 'day_total' },
  },
  ...Object.entries(DAY_ZONES).flatMap(([zone, to]) =>
    to === null
      ? []
      : [{ from: `activity.samples.activity_zones ${zone}`, to: `activity.${to}`, rule: 'min, until the next zone' }],
  ),
  ...mappingRows('physical_info', 'activity.heart_rate', [RESTING]),
  ...mappingRows('sleep', 'sleep', NIGHT_FIELDS),
  ...rows(`
    sleep.light_sleep, deep_sleep, rem_sleep, unrecognized_sleep_stage | sleep.total | sum
    sleep.sleep_start_time, sleep_end_time | sleep.efficiency | total ÷ time in bed, %
    sleep.hypnogram | sleep_cycle | 0 awake, 1 REM, 2 and 3 light, 4 deep, 5 missing; until the next time of day
  `),
  ...Object.entries({ sleep: CLOCK_SAMPLES.night, nightly_recharge: CLOCK_SAMPLES.recharge }).flatMap(
    ([name, fields]) =>
      Object.entries(fields).map(([field, resource]) => ({
        from: `${name}.${field}`,
        to: resource,
        rule: 'at times of day after the start of the night',
      })),
  ),
  ...mappingRows('nightly_recharge', 'sleep', RECHARGE_FIELDS),
  ...rows(`
    sleep.heart_rate_samples | sleep.hr_lowest, sleep.hr_average | the lowest; without a nightly_recharge.heart_rate_avg, also the mean
  `),
  ...mappingRows('nightly_recharge', null, RECHARGE_SAMPLES),
  ...mappingRows('skintemperature', 'sleep', SKIN_FIELDS),
  ...mappingRows('skintemperature', null, SKIN_SAMPLES),
  ...rows(`
    continuous_heart_rate.heart_rate_samples | heartrate | local times: offset of the nearest night or exercise, otherwise of the zone of the user
  `),
  ...mappingRows('spo2', null, SPO2_SAMPLES),
  ...rows(`
    ecg.test_time, samples | electrocardiogram | from the test to its last sample
    ecg.average_heart_rate_bpm | electrocardiogram.heart_rate_mean
    ecg.samples.amplitude_mv | electrocardiogram_voltage | mV; type lead_1
  `),
  {
    from: 'bodytemperature.samples.temperature_celsius',
    to: 'body_temperature',
    rule: 'start_time in UTC + recording_time_delta_milliseconds; type skin or core as measurement_type says',
    signs: { types: Object.values(TEMPERATURE_TYPES) },
  },
  ...mappingRows('physical_info', 'body', BODY_FIELDS),
  ...mappingRows('physical_info', null, PHYSICAL_SAMPLES),
  ...mappingRows('physical_info', 'profile', PROFILE_FIELDS),
  { from: 'physical_info.birthday, gender', to: 'profile.birth_date, profile.gender, profile.sex', rule: '' },
]
