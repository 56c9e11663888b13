/** What becomes of the fields of Polar's records. Names with a hyphen are read as with an underscore. */
import type { StreamColumn } from '../../../core/stream.ts'
import { type Conversion, type FieldMapping, MS_FROM_KMH, mappingRows } from '../field-mapping.ts'
import type { MappingRow } from '../live-connector.ts'

export const EXERCISE: readonly FieldMapping[] = [
  { from: 'calories', fields: ['workouts.calories'] },
  { from: 'distance', fields: ['workouts.distance'], note: 'also workout_distance (m) from start to end' },
  { from: 'heart_rate.average', fields: ['workouts.average_hr'] },
  { from: 'heart_rate.maximum', fields: ['workouts.max_hr'] },
]

export interface SampleList {
  readonly name: string
  readonly column: StreamColumn
  readonly convert?: Conversion
  /** Values at or below zero mean that nothing was measured. */
  readonly isPositive?: boolean
}

/** The lists of samples of an exercise, by the number of their type. */
export const SAMPLE_LISTS: Readonly<Record<string, SampleList>> = {
  '0': { name: 'heart rate', column: 'heartrate', isPositive: true },
  '1': { name: 'speed', column: 'velocity_smooth', convert: MS_FROM_KMH },
  '2': { name: 'cadence', column: 'cadence' },
  '3': { name: 'altitude', column: 'altitude' },
  '4': { name: 'power', column: 'power' },
  '8': { name: 'running cadence', column: 'cadence' },
  '9': { name: 'temperature', column: 'temperature' },
  '10': { name: 'distance', column: 'distance' },
}

export const ACTIVITY: readonly FieldMapping[] = [
  { from: 'steps', fields: ['activity.steps'] },
  { from: 'distance_from_steps', sample: 'distance', fields: ['activity.distance'], note: 'over the local day' },
  {
    from: 'active_calories',
    sample: 'calories_active',
    fields: ['activity.calories_active'],
    note: 'over the local day',
  },
  { from: 'calories', fields: ['activity.calories_total'] },
]

export const NIGHT: readonly FieldMapping[] = [
  { from: 'light_sleep', fields: ['sleep.light'] },
  { from: 'deep_sleep', fields: ['sleep.deep'] },
  { from: 'rem_sleep', fields: ['sleep.rem'] },
  { from: 'total_interruption_duration', fields: ['sleep.awake'] },
  { from: 'sleep_score', fields: ['sleep.score'] },
]

export const RECHARGE: readonly FieldMapping[] = [
  {
    from: 'heart_rate_variability_avg',
    sample: 'hrv',
    fields: ['sleep.average_hrv'],
    note: 'sample at the end of the night, only without hrv_samples',
  },
  {
    from: 'breathing_rate_avg',
    sample: 'respiratory_rate',
    fields: ['sleep.respiratory_rate'],
    note: 'sample at the end of the night, only without breathing_samples',
  },
]

/** Values by time of day, and the resources that they are samples of. */
export const CLOCK_SAMPLES = {
  night: { heart_rate_samples: 'heartrate' },
  recharge: { hrv_samples: 'hrv', breathing_samples: 'respiratory_rate' },
} as const

export const SKIN_TEMPERATURE: readonly FieldMapping[] = [
  {
    from: 'sleep_time_skin_temperature_celsius',
    sample: 'body_temperature',
    fields: ['sleep.skin_temperature'],
    note: 'at the end of the night, with type skin',
  },
  {
    from: 'deviation_from_baseline_celsius',
    sample: 'body_temperature_delta',
    fields: ['sleep.temperature_delta'],
    note: 'at the end of the night, with type skin',
  },
]

/** Stages of Polar, as stages here: -1 missing, 1 deep, 2 light, 3 rem, 4 awake. */
export const STAGES: Readonly<Record<string, number>> = { '0': 4, '1': 3, '2': 2, '3': 2, '4': 1, '5': -1 }

export const SPO2: readonly FieldMapping[] = [{ from: 'blood_oxygen_percent', sample: 'blood_oxygen' }]

/** The `type` of a temperature by what is in Polar's name of the measurement. */
export const TEMPERATURE_TYPES: Readonly<Record<string, string>> = { skin: 'skin', core: 'core' }

export const PHYSICAL: readonly FieldMapping[] = [
  { from: 'weight', sample: 'body_weight', fields: ['body.weight'], note: 'at modified, once for each new value' },
  { from: 'vo2_max', sample: 'vo2_max', note: 'at modified, once for each new value' },
  { from: 'height', fields: ['profile.height'], note: 'in cm' },
]

function known(table: readonly FieldMapping[], ...more: readonly string[]): ReadonlySet<string> {
  return new Set([...more, ...table.map(each => each.from)])
}

const USER = ['polar_user', 'date', 'device_id'] as const

export const KNOWN = {
  exercise: known(
    EXERCISE,
    ...['id', 'upload_time', 'polar_user', 'device', 'device_id', 'start_time', 'start_time_utc_offset', 'duration'],
    ...['sport', 'detailed_sport_info', 'has_route', 'heart_rate_zones', 'samples', 'route'],
  ),
  activity: known(ACTIVITY, ...USER, 'start_time', 'end_time', 'samples.date', 'samples.steps'),
  night: known(
    NIGHT,
    ...USER,
    ...['sleep_start_time', 'sleep_end_time', 'unrecognized_sleep_stage', 'hypnogram', 'heart_rate_samples'],
  ),
  recharge: known(RECHARGE, ...USER, 'hrv_samples', 'breathing_samples'),
  skin: known(SKIN_TEMPERATURE, 'sleep_date', 'source_device_id'),
  spo2: known(SPO2, 'source_device_id', 'test_time', 'time_zone_offset', 'test_status'),
  temperature: new Set(['source_device_id', 'measurement_type', 'start_time', 'end_time', 'modified_time', 'samples']),
  physical: known(PHYSICAL, 'id', 'created', 'transaction_id', 'polar_user', 'modified', 'birthday', 'gender'),
} as const

export const MAPPING: readonly MappingRow[] = [
  ...mappingRows('exercise', EXERCISE),
  {
    from: 'exercise.start_time, duration',
    to: 'workouts, workout_duration',
    rule: 'start_time − start_time_utc_offset; min',
  },
  {
    from: 'exercise.sport, detailed_sport_info',
    to: 'workouts.sport',
    rule: 'sport of the catalogue, otherwise Other',
  },
  { from: 'exercise.heart_rate_zones', to: 'workouts.hr_zones', rule: 's; zones 1 to 5, and 0 for the lowest' },
  ...Object.entries(SAMPLE_LISTS).map(([type, { name, column, convert, isPositive }]) => ({
    from: `exercise.samples type ${type} (${name})`,
    to: column === 'heartrate' ? 'workout_stream.heartrate, heartrate' : `workout_stream.${column}`,
    rule: [convert?.rule, isPositive && 'without 0', column === 'cadence' && '× 2 on foot (steps/min)']
      .filter(Boolean)
      .join('; '),
  })),
  { from: 'exercise.route', to: 'workout_stream.lat, workout_stream.lng, workouts.map', rule: '' },
  ...mappingRows('activity', ACTIVITY),
  {
    from: 'activity.samples.steps',
    to: 'steps',
    rule: 'each interval; without them, activity.steps over the local day',
  },
  { from: 'activity.calories, active_calories', to: 'calories_basal', rule: 'calories − active_calories, at least 0' },
  ...mappingRows('sleep', NIGHT),
  { from: 'sleep.light_sleep, deep_sleep, rem_sleep, unrecognized_sleep_stage', to: 'sleep.total', rule: 'sum' },
  { from: 'sleep.sleep_start_time, sleep_end_time', to: 'sleep.efficiency', rule: 'total ÷ time in bed, %' },
  {
    from: 'sleep.hypnogram',
    to: 'sleep_cycle',
    rule: '0 awake, 1 REM, 2 and 3 light, 4 deep, 5 missing; until the next time of day',
  },
  ...Object.entries({ sleep: CLOCK_SAMPLES.night, nightly_recharge: CLOCK_SAMPLES.recharge }).flatMap(
    ([name, fields]) =>
      Object.entries(fields).map(([field, resource]) => ({
        from: `${name}.${field}`,
        to: resource,
        rule: 'at times of day after the start of the night',
      })),
  ),
  ...mappingRows('nightly_recharge', RECHARGE),
  ...mappingRows('skintemperature', SKIN_TEMPERATURE),
  {
    from: 'continuous_heart_rate.heart_rate_samples',
    to: 'heartrate',
    rule: 'local times: offset of the nearest night or exercise, otherwise of the zone of the user',
  },
  ...mappingRows('spo2', SPO2),
  {
    from: 'bodytemperature.samples.temperature_celsius',
    to: 'body_temperature',
    rule: 'start_time + recording_time_delta_milliseconds; type skin or core as measurement_type says',
  },
  ...mappingRows('physical_info', PHYSICAL),
  { from: 'physical_info.birthday, gender', to: 'profile.birth_date, profile.gender, profile.sex', rule: '' },
]
