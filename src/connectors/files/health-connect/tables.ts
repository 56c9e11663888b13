/** The tables of a Health Connect export, and the resources of their samples. Contains data only. */
import type { StreamColumn } from '../../../core/stream.ts'

/** Columns of every record. */
export const SOURCE_COLUMNS = ['app_info_id', 'device_info_id', 'recording_method'] as const
/** Columns with the times of records, in epoch milliseconds, and with their offsets, in seconds. */
export interface Times {
  readonly start: string
  readonly end: string
  readonly offset: string
}
export const INSTANT: Times = { start: 'time', end: 'time', offset: 'zone_offset' }
const INTERVAL: Times = { start: 'start_time', end: 'end_time', offset: 'start_zone_offset' }
export const WHOLE_INTERVAL = { ...INTERVAL, endOffset: 'end_zone_offset' }

/** Totals of a workout that samples within it make up. */
export type WorkoutTotal = 'steps' | 'distance' | 'calories' | 'total_elevation_gain'

/** How a table's rows become samples. */
export interface SampleRule {
  /** Null if values become only part of a workout. */
  readonly resource: string | null
  /** The column with the value; null if the value is the number of minutes from start to end. */
  readonly value: string | null
  readonly times: Times
  /** The table with the records, if the rows are only their values. The records have the offset and the source. */
  readonly parent?: string
  /** The column with the second value. */
  readonly second?: string
  /** Units of the resource per unit of the column. */
  readonly factor?: number
  /** Places on the body, by the code in `measurement_location`. */
  readonly locations?: readonly (string | undefined)[]
  readonly total?: WorkoutTotal
  readonly stream?: StreamColumn
  /** Whether values become only part of the summaries of days and nights. */
  readonly isResting?: boolean
}

type More = Partial<SampleRule>
const rule =
  (times: Times) =>
  (resource: string | null, value: string | null, more: More = {}): SampleRule => ({
    ...{ resource, value, times, ...more },
  })
const instant = rule(INSTANT)
const interval = rule(INTERVAL)
const series = (parent: string, resource: string | null, value: string, more: More = {}): SampleRule =>
  rule({ start: 'epoch_millis', end: 'epoch_millis', offset: INTERVAL.offset })(resource, value, { parent, ...more })

const PER_GRAM = 1e-3
/** Energy is stored in small calories. */
const PER_SMALL_CALORIE = 1e-3
const PER_LITRE = 1e3

const LOCATIONS: readonly (string | undefined)[] = [
  ...[undefined, 'armpit', 'finger', 'forehead', 'mouth', 'rectum', 'temporal_artery', 'toe', 'ear', 'wrist', 'vagina'],
]

/** Rules by table. */
export const SAMPLE_RULES: Readonly<Record<string, SampleRule>> = {
  steps_record_table: interval('steps', 'count', { total: 'steps' }),
  distance_record_table: interval('distance', 'distance', { total: 'distance' }),
  active_calories_burned_record_table: interval('calories_active', 'energy', {
    ...{ factor: PER_SMALL_CALORIE, total: 'calories' },
  }),
  floors_climbed_record_table: interval('floors_climbed', 'floors'),
  wheelchair_pushes_record_table: interval('wheelchair_push', 'count'),
  elevation_gained_record_table: interval(null, 'elevation', { total: 'total_elevation_gain' }),
  hydration_record_table: interval('water', 'volume', { factor: PER_LITRE }),
  mindfulness_session_record_table: interval('mindfulness_minutes', null),
  heart_rate_variability_rmssd_record_table: instant('hrv', 'heart_rate_variability_millis'),
  resting_heart_rate_record_table: instant(null, 'beats_per_minute', { isResting: true }),
  oxygen_saturation_record_table: instant('blood_oxygen', 'percentage'),
  respiratory_rate_record_table: instant('respiratory_rate', 'rate'),
  body_temperature_record_table: instant('body_temperature', 'temperature', { locations: LOCATIONS }),
  basal_body_temperature_record_table: instant('basal_body_temperature', 'temperature', { locations: LOCATIONS }),
  weight_record_table: instant('body_weight', 'weight', { factor: PER_GRAM }),
  lean_body_mass_record_table: instant('lean_body_mass', 'mass', { factor: PER_GRAM }),
  body_fat_record_table: instant('body_fat', 'percentage'),
  blood_pressure_record_table: instant('blood_pressure', 'systolic', { second: 'diastolic' }),
  blood_glucose_record_table: instant('glucose', 'level'),
  vo2_max_record_table: instant('vo2_max', 'vo2_milliliters_per_minute_kilogram'),
  heart_rate_record_series_table: series('heart_rate_record_table', 'heartrate', 'beats_per_minute', {
    stream: 'heartrate',
  }),
  skin_temperature_delta_table: series('skin_temperature_record_table', 'body_temperature_delta', 'delta', {
    locations: [undefined, 'finger', 'toe', 'wrist'],
  }),
  speed_record_table: series('SpeedRecordTable', null, 'speed', { stream: 'velocity_smooth' }),
  power_record_table: series('PowerRecordTable', null, 'power', { stream: 'power' }),
  cycling_pedaling_cadence_record_table: series(
    ...(['CyclingPedalingCadenceRecordTable', null, 'revolutions_per_minute', { stream: 'cadence' }] as const),
  ),
  // a stream has revolutions, which become steps again in sports on foot
  steps_cadence_record_table: series('StepsCadenceRecordTable', null, 'rate', { stream: 'cadence', factor: 0.5 }),
}

/** Why the rows of a table are not imported. */
export const UNUSED: Readonly<Record<string, string>> = {
  total_calories_burned_record_table: 'total energy is not imported, because it includes energy at rest',
  basal_metabolic_rate_record_table: 'basal metabolic rates are not imported, because they are not amounts of energy',
  height_record_table: 'heights are not imported',
  bone_mass_record_table: 'bone masses are not imported',
  body_water_mass_record_table: 'masses of body water are not imported',
  activity_intensity_record_table: 'minutes of moderate and vigorous activity are not imported',
  planned_exercise_session_record_table: 'planned workouts are not imported',
  exercise_laps_table: 'laps of workouts are not imported',
  exercise_segments_table: 'segments of workouts are not imported',
}

/** Oldest schema that is read. Older exports identify records in another way. */
export const OLDEST_VERSION = 9
