/** The tables of a Health Connect export, and the resources of their samples. Contains data only. */
import type { TextColumn } from '../../../core/sample.ts'

/** Columns of every record. */
export const SOURCE_COLUMNS = ['app_info_id', 'device_info_id', 'recording_method'] as const
/** Times in epoch milliseconds, offsets in seconds. */
export const INSTANT = { start: 'time', end: 'time', offset: 'zone_offset' } as const
export const INTERVAL = { start: 'start_time', end: 'end_time', offset: 'start_zone_offset' } as const

/** Totals of a workout that samples within it make up. */
export type WorkoutTotal = 'steps' | 'distance' | 'calories' | 'total_elevation_gain'

/** How a table's rows become samples. */
export interface SampleRule {
  /** Null if values become only part of a workout's total. */
  readonly resource: string | null
  /** The column with the value; null if the value is the number of minutes from start to end. */
  readonly value: string | null
  /** The column with the second value. */
  readonly second?: string
  /** Units of the resource per unit of the column. */
  readonly factor?: number
  readonly times: typeof INSTANT | typeof INTERVAL
  /** The column with the code of a place on the body. */
  readonly location?: string
  readonly total?: WorkoutTotal
  /** Columns that are the same for every sample, for the kinds of the format. */
  readonly text?: Readonly<Partial<Record<TextColumn, string>>>
}

const instant = (resource: string, value: string, more: Partial<SampleRule> = {}): SampleRule => ({
  ...{ resource, value, times: INSTANT, ...more },
})
const interval = (resource: string | null, value: string | null, more: Partial<SampleRule> = {}): SampleRule => ({
  ...{ resource, value, times: INTERVAL, ...more },
})

const PER_GRAM = 1e-3
/** Energy is stored in small calories. */
const PER_SMALL_CALORIE = 1e-3
const PER_LITRE = 1e3

/** Rules by table. */
export const SAMPLE_RULES: Readonly<Record<string, SampleRule>> = {
  steps_record_table: interval('steps', 'count', { total: 'steps' }),
  distance_record_table: interval('distance', 'distance', { total: 'distance' }),
  active_calories_burned_record_table: interval('calories_active', 'energy', {
    factor: PER_SMALL_CALORIE,
    total: 'calories',
  }),
  floors_climbed_record_table: interval('floors_climbed', 'floors'),
  wheelchair_pushes_record_table: interval('wheelchair_push', 'count'),
  elevation_gained_record_table: interval(null, 'elevation', { total: 'total_elevation_gain' }),
  hydration_record_table: interval('water', 'volume', { factor: PER_LITRE }),
  mindfulness_session_record_table: interval('mindfulness_minutes', null),
  heart_rate_variability_rmssd_record_table: instant('hrv', 'heart_rate_variability_millis'),
  oxygen_saturation_record_table: instant('blood_oxygen', 'percentage'),
  respiratory_rate_record_table: instant('respiratory_rate', 'rate'),
  body_temperature_record_table: instant('body_temperature', 'temperature', { location: 'measurement_location' }),
  basal_body_temperature_record_table: instant('basal_body_temperature', 'temperature', {
    location: 'measurement_location',
  }),
  weight_record_table: instant('body_weight', 'weight', { factor: PER_GRAM }),
  lean_body_mass_record_table: instant('lean_body_mass', 'mass', { factor: PER_GRAM }),
  body_fat_record_table: instant('body_fat', 'percentage'),
  blood_pressure_record_table: instant('blood_pressure', 'systolic', { second: 'diastolic' }),
  blood_glucose_record_table: instant('glucose', 'level'),
  vo2_max_record_table: instant('vo2_max', 'vo2_milliliters_per_minute_kilogram'),
}

/** Places on the body, by code. */
export const LOCATIONS: readonly (string | undefined)[] = [
  undefined,
  ...['armpit', 'finger', 'forehead', 'mouth', 'rectum', 'temporal_artery', 'toe', 'ear', 'wrist', 'vagina'],
]
/** Places where the temperature of the skin is measured, by code. */
export const SKIN_LOCATIONS: readonly (string | undefined)[] = [undefined, 'finger', 'toe', 'wrist']

/** A table whose rows are the values of a record in another table. */
export interface SeriesRule {
  readonly parent: string
  readonly value: string
  /** The resource of each value's sample; null if values become only part of a workout's stream. */
  readonly resource: string | null
  /** The column of a workout's stream, and its unit per unit of the value. */
  readonly stream?: 'heartrate' | 'velocity_smooth' | 'power' | 'cadence'
  readonly streamFactor?: number
}

/** Rules by table. */
export const SERIES_RULES: Readonly<Record<string, SeriesRule>> = {
  heart_rate_record_series_table: {
    ...{ parent: 'heart_rate_record_table', value: 'beats_per_minute', resource: 'heartrate', stream: 'heartrate' },
  },
  skin_temperature_delta_table: {
    ...{ parent: 'skin_temperature_record_table', value: 'delta', resource: 'body_temperature_delta' },
  },
  speed_record_table: {
    ...{ parent: 'SpeedRecordTable', value: 'speed', resource: null, stream: 'velocity_smooth' },
  },
  power_record_table: { parent: 'PowerRecordTable', value: 'power', resource: null, stream: 'power' },
  cycling_pedaling_cadence_record_table: {
    ...{
      parent: 'CyclingPedalingCadenceRecordTable',
      value: 'revolutions_per_minute',
      resource: null,
      stream: 'cadence',
    },
  },
  // a stream has revolutions, which become steps again in sports on foot
  steps_cadence_record_table: {
    ...{ parent: 'StepsCadenceRecordTable', value: 'rate', resource: null, stream: 'cadence', streamFactor: 0.5 },
  },
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
