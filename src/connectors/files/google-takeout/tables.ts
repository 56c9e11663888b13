/** What becomes of the tables and lists in a Google Health takeout, as data. */
import { DAILY_TYPE, RUN_TYPE } from '../../../catalogue/kinds.ts'
import type { SeriesRule } from '../archive/series.ts'

/** A table or list with one time per record, whose numbers become samples. */
export interface InstantTable {
  readonly name: string
  /** The name of its files, without extension. A date may follow it. */
  readonly file: string
  readonly rules: readonly SeriesRule[]
  /** The column with the time, in UTC unless `clock` says otherwise. */
  readonly time?: string
  readonly clock?: 'local' | 'date'
  /** The quantity that other forms of the data share with this one. Which form counts on a day is the order of this list. */
  readonly quantity: string
  readonly sourceType?: string
}

const SPO2_FLOOR = { none: [50] } as const
const NO_BREATHS = { none: [-1, 0] } as const

/**
 * Tables in CSV, most detailed first, because a day's value is used only for days without details. The names of columns are those of the
 * files; a pattern stands for names that differ between exports.
 */
export const INSTANT_TABLES: readonly InstantTable[] = [
  { name: 'steps table', file: 'steps', quantity: 'steps', rules: [{ column: 'steps', resource: 'steps' }] },
  {
    name: 'distance table',
    file: 'distance',
    quantity: 'distance',
    rules: [{ column: 'distance', resource: 'distance' }],
  },
  {
    name: 'heart rate table',
    file: 'heart_rate',
    quantity: 'heart rate',
    rules: [{ column: 'beats per minute', resource: 'heartrate', none: [0] }],
  },
  {
    name: 'heart rate variability table',
    file: 'heart_rate_variability',
    quantity: 'heart rate variability',
    rules: [
      { column: /^root mean square of successive differences/, resource: 'hrv' },
      { column: /^standard deviation/, resource: 'hrv', type: 'sdnn' },
    ],
  },
  {
    name: 'heart rate variability details',
    file: 'heart rate variability details - ',
    quantity: 'heart rate variability',
    clock: 'local',
    rules: [{ column: 'rmssd', resource: 'hrv' }],
  },
  {
    name: 'daily heart rate variability table',
    file: 'daily_heart_rate_variability',
    quantity: 'heart rate variability',
    clock: 'date',
    rules: [{ column: /^average heart rate variability|^average hrv/, resource: 'hrv', type: DAILY_TYPE }],
  },
  {
    name: 'heart rate variability summary',
    file: 'daily heart rate variability summary - ',
    quantity: 'heart rate variability',
    clock: 'local',
    rules: [{ column: 'rmssd', resource: 'hrv', type: DAILY_TYPE }],
  },
  {
    name: 'oxygen saturation table',
    file: 'oxygen_saturation',
    quantity: 'oxygen saturation',
    rules: [{ column: /^oxygen saturation/, resource: 'blood_oxygen', ...SPO2_FLOOR }],
  },
  {
    name: 'minute SpO2 table',
    file: 'minute spo2 - ',
    quantity: 'oxygen saturation',
    rules: [{ column: 'value', resource: 'blood_oxygen', ...SPO2_FLOOR }],
  },
  {
    name: 'daily oxygen saturation table',
    file: 'daily_oxygen_saturation',
    quantity: 'oxygen saturation',
    clock: 'date',
    rules: [{ column: /^average/, resource: 'blood_oxygen', type: DAILY_TYPE, ...SPO2_FLOOR }],
  },
  {
    name: 'daily SpO2 table',
    file: 'daily spo2 - *',
    quantity: 'oxygen saturation',
    rules: [{ column: /^average/, resource: 'blood_oxygen', type: DAILY_TYPE, ...SPO2_FLOOR }],
  },
  {
    name: 'daily respiratory rate table',
    file: 'daily_respiratory_rate',
    quantity: 'respiratory rate',
    clock: 'date',
    rules: [{ column: 'breaths per minute', resource: 'respiratory_rate', ...NO_BREATHS }],
  },
  {
    name: 'daily respiratory rate summary',
    file: 'daily respiratory rate summary - ',
    quantity: 'respiratory rate',
    clock: 'local',
    rules: [{ column: 'daily_respiratory_rate', resource: 'respiratory_rate', ...NO_BREATHS }],
  },
  {
    name: 'body temperature table',
    file: 'body_temperature',
    quantity: 'skin temperature',
    rules: [{ column: /^temperature/, resource: 'body_temperature', type: 'skin' }],
  },
  {
    name: 'computed temperature table',
    file: 'computed temperature - ',
    quantity: 'skin temperature',
    time: 'sleep_start',
    clock: 'local',
    rules: [{ column: 'nightly_temperature', resource: 'body_temperature', type: 'skin' }],
  },
  {
    name: 'nightly temperature table',
    file: 'daily_sleep_temperature_derivations',
    quantity: 'temperature deviation',
    clock: 'date',
    rules: [{ column: /^nightly temperature/, minus: /^baseline temperature/, resource: 'body_temperature_delta' }],
  },
  {
    name: 'weight table',
    file: 'weight',
    quantity: 'weight',
    sourceType: 'scale',
    rules: [{ column: 'weight grams', resource: 'body_weight', per: 1000, none: [0] }],
  },
  {
    name: 'body fat table',
    file: 'body_fat',
    quantity: 'body fat',
    sourceType: 'scale',
    rules: [{ column: /^body fat/, resource: 'body_fat', none: [0] }],
  },
  {
    name: 'floors table',
    file: 'floors',
    quantity: 'floors',
    rules: [{ column: 'floors', resource: 'floors_climbed' }],
  },
  {
    name: 'hydration table',
    file: 'hydration_log',
    quantity: 'hydration',
    sourceType: 'app',
    rules: [{ column: /milliliters/, resource: 'water' }],
  },
]

/** Lists with one value a minute or at an instant. Their times are in UTC, although their files are cut at local midnight. */
export const MINUTE_LISTS: readonly Pick<InstantTable, 'name' | 'quantity' | 'rules'>[] = [
  { name: 'steps', quantity: 'steps', rules: [{ column: 'value', resource: 'steps' }] },
  { name: 'distance', quantity: 'distance', rules: [{ column: 'value', resource: 'distance', per: 100 }] },
]
export const HEART_RATE: SeriesRule = { column: 'value.bpm', resource: 'heartrate' }

export const FITNESS_LISTS: readonly { readonly name: string; readonly rule: SeriesRule }[] = [
  { name: 'demographic_vo2_max', rule: { column: 'value.demographicVO2Max', resource: 'vo2_max', none: [0] } },
  { name: 'run_vo2_max', rule: { column: 'value.runVO2Max', resource: 'vo2_max', type: RUN_TYPE, none: [0] } },
]

/** Values in a log of weights whose unit is known. */
export const WEIGHT_LOG: readonly SeriesRule[] = [
  { column: 'fat', resource: 'body_fat', none: [0] },
  { column: 'bmi', resource: 'body_mass_index', none: [0] },
]

/** Lists with the minutes of a day in each intensity, by field of the summary. Minutes at rest have no field. */
export const INTENSITIES: readonly { readonly name: string; readonly field: string }[] = [
  { name: 'lightly_active_minutes', field: 'low' },
  { name: 'moderately_active_minutes', field: 'medium' },
  { name: 'very_active_minutes', field: 'high' },
]

const NO_PLACE = 'values for which there is neither a resource nor a field of a summary'
const PERSONAL = 'settings, scores and texts of the account'

/** Files that are not read, by the beginning of their name, with the reason. The most private and the largest ones are among them. */
export const NOT_READ: readonly (readonly [name: string, reason: string])[] = [
  ['time_in_heart_rate_zones-*', NO_PLACE],
  ['altitude-*', 'altitudes, whose unit and clock are not known'],
  ['height-*', NO_PLACE],
  ['height*.csv', NO_PLACE],
  ['swim_lengths_data*', NO_PLACE],
  ['estimated_oxygen_variation-*', 'ratios of red and infrared light, which are not oxygen saturations'],
  ['heart rate variability histogram - *', NO_PLACE],
  ['device temperature - *', 'device temperatures, of which it is not known what they are relative to'],
  ['stress score*', 'stress management scores, in which more means less stress'],
  ['active_zone_minutes*', NO_PLACE],
  ['active zone minutes*', NO_PLACE],
  ['activity_level*', NO_PLACE],
  ['sedentary_period*', NO_PLACE],
  ['cardio_load*', NO_PLACE],
  ['daily_readiness*', NO_PLACE],
  ['daily_heart_rate_zones*', NO_PLACE],
  ['live_pace*', 'paces of workouts, which repeat the steps'],
  ['gps_location*', 'positions, which do not say to which workout they belong'],
  ['nutrition_log*', 'food logs, whose columns are not known'],
  ['menstrual*', 'menstrual cycles, whose columns are not known'],
  ['glucose *', 'glucose values, whose columns are not known'],
  ['useractivityprobabilities*', PERSONAL],
  ['usersensorcompressiontoken*', PERSONAL],
]
