/** What becomes of the tables and lists in a Google Health takeout, as data. */
import { DAILY_TYPE, RUN_TYPE } from '../../../catalogue/kinds.ts'
import { MINUTE_MS } from '../../../core/time.ts'
import { rule, type SeriesRule } from '../archive/series.ts'

/** A table with one time per row, whose numbers become samples. */
export interface InstantTable {
  readonly name: string
  /** The name of its files, without extension. A date may follow it. */
  readonly file: string
  /** The quantity that other forms of the data share with this one. The first form in the list counts on a day. */
  readonly quantity: string
  readonly rules: readonly SeriesRule[]
  /** The clock of its times, which is that of UTC unless it says otherwise. */
  readonly clock?: 'local' | 'date'
  /** The column with the time. */
  readonly time?: string
  readonly sourceType?: string
}

function table(
  name: string,
  file: string,
  quantity: string,
  rules: readonly SeriesRule[],
  more: Pick<InstantTable, 'clock' | 'time' | 'sourceType'> = {},
): InstantTable {
  return { name, file, quantity, rules, ...more }
}

/** The lowest value of SpO2, which stands for none. */
const FLOOR = { none: [50] } as const
const DAILY_FLOOR = { ...FLOOR, type: DAILY_TYPE } as const
const NO_BREATHS = { none: [-1, 0] } as const
const NOT_ZERO = { none: [0] } as const
const LOCAL = { clock: 'local' } as const
const DATE = { clock: 'date' } as const
const SCALE = { sourceType: 'scale' } as const
const [HRV, SPO2, BREATHS, SKIN] = [
  'heart rate variability',
  'oxygen saturation',
  'respiratory rate',
  'skin temperature',
]

/**
 * Tables, most detailed first, because a day's value is used only for days without details. The names of columns are those of the files; a
 * pattern stands for names that differ between exports.
 */
export const INSTANT_TABLES: readonly InstantTable[] = [
  table('steps table', 'steps', 'steps', [rule('steps', 'steps')]),
  table('distance table', 'distance', 'distance', [rule('distance', 'distance')]),
  table('heart rate table', 'heart_rate', 'heart rate', [rule('beats per minute', 'heartrate', NOT_ZERO)]),
  table('heart rate variability table', 'heart_rate_variability', HRV, [
    rule(/^root mean square of successive differences/, 'hrv'),
    rule(/^standard deviation/, 'hrv', { type: 'sdnn' }),
  ]),
  table('heart rate variability details', 'heart rate variability details - ', HRV, [rule('rmssd', 'hrv')], LOCAL),
  table(
    'daily heart rate variability table',
    'daily_heart_rate_variability',
    HRV,
    [rule(/^average heart rate variability|^average hrv/, 'hrv', { type: DAILY_TYPE })],
    DATE,
  ),
  table(
    'daily heart rate variability summary',
    'daily heart rate variability summary - ',
    HRV,
    [rule('rmssd', 'hrv', { type: DAILY_TYPE })],
    LOCAL,
  ),
  table('oxygen saturation table', 'oxygen_saturation', SPO2, [rule(/^oxygen saturation/, 'blood_oxygen', FLOOR)]),
  table('minute SpO2 table', 'minute spo2 - ', SPO2, [rule('value', 'blood_oxygen', FLOOR)]),
  table(
    'daily oxygen saturation table',
    'daily_oxygen_saturation',
    SPO2,
    [rule(/^average/, 'blood_oxygen', DAILY_FLOOR)],
    DATE,
  ),
  table('daily SpO2 table', 'daily spo2 - ', SPO2, [rule(/^average/, 'blood_oxygen', DAILY_FLOOR)]),
  table(
    'daily respiratory rate table',
    'daily_respiratory_rate',
    BREATHS,
    [rule('breaths per minute', 'respiratory_rate', NO_BREATHS)],
    DATE,
  ),
  table(
    'daily respiratory rate summary',
    'daily respiratory rate summary - ',
    BREATHS,
    [rule('daily_respiratory_rate', 'respiratory_rate', NO_BREATHS)],
    LOCAL,
  ),
  table('body temperature table', 'body_temperature', SKIN, [
    rule(/^temperature/, 'body_temperature', { type: 'skin' }),
  ]),
  table(
    'computed temperature table',
    'computed temperature - ',
    SKIN,
    [rule('nightly_temperature', 'body_temperature', { type: 'skin' })],
    {
      ...LOCAL,
      time: 'sleep_start',
    },
  ),
  table(
    'nightly temperature table',
    'daily_sleep_temperature_derivations',
    'temperature deviation',
    [rule(/^nightly temperature/, 'body_temperature_delta', { minus: /^baseline temperature/ })],
    DATE,
  ),
  table('weight table', 'weight', 'weight', [rule('weight grams', 'body_weight', { per: 1000, ...NOT_ZERO })], SCALE),
  table('body fat table', 'body_fat', 'body fat', [rule(/^body fat/, 'body_fat', NOT_ZERO)], SCALE),
  table('floors table', 'floors', 'floors', [rule('floors', 'floors_climbed')]),
  table('hydration table', 'hydration_log', 'hydration', [rule(/milliliters/, 'water')], { sourceType: 'app' }),
]

/** Lists of values at UTC times, although their files are cut at local midnight, with the time that a value is about. */
export const INSTANT_LISTS = [
  { name: 'steps', quantity: 'steps', rules: [rule('value', 'steps')], lengthMs: MINUTE_MS },
  { name: 'distance', quantity: 'distance', rules: [rule('value', 'distance', { per: 100 })], lengthMs: MINUTE_MS },
  { name: 'heart_rate', quantity: 'heart rate', rules: [rule('value.bpm', 'heartrate')], lengthMs: 0 },
] as const
export const FITNESS_LISTS: readonly { readonly name: string; readonly rule: SeriesRule }[] = [
  { name: 'demographic_vo2_max', rule: rule('value.demographicVO2Max', 'vo2_max', NOT_ZERO) },
  { name: 'run_vo2_max', rule: rule('value.runVO2Max', 'vo2_max', { type: RUN_TYPE, ...NOT_ZERO }) },
]
/** Values in a log of weights whose unit is known. */
export const FAT = rule('fat', 'body_fat', NOT_ZERO)
export const BODY_MASS_INDEX = rule('bmi', 'body_mass_index', NOT_ZERO)
/** Minutes of a day in each intensity: list, column of the table, and field of the summary. Minutes at rest have no field. */
export const INTENSITIES = [
  ['lightly_active_minutes', 'light', 'low'],
  ['moderately_active_minutes', 'moderate', 'medium'],
  ['very_active_minutes', 'very', 'high'],
] as const

const NO_PLACE = 'values for which there is neither a resource nor a field of a summary'
/** Files that are not read, by reason. The most private and the largest ones are among them. */
export const NOT_READ: Readonly<Record<string, readonly string[]>> = {
  [NO_PLACE]: [
    ...['time_in_heart_rate_zones-*', 'height-*', 'height*.csv', 'swim_lengths_data*', 'active_zone_minutes*'],
    ...['active zone minutes*', 'activity_level*', 'sedentary_period*', 'cardio_load*', 'daily_readiness*'],
    ...['daily_heart_rate_zones*', 'heart rate variability histogram - *'],
  ],
  'altitudes, whose unit and clock are not known': ['altitude-*'],
  'ratios of red and infrared light, which are not oxygen saturations': ['estimated_oxygen_variation-*'],
  'device temperatures, of which it is not known what they are relative to': ['device temperature - *'],
  'stress management scores, in which more means less stress': ['stress score*'],
  'paces of workouts, which repeat the steps': ['live_pace*'],
  'positions, which do not say to which workout they belong': ['gps_location*'],
  'tables whose columns are not known': ['nutrition_log*', 'menstrual*', 'glucose *'],
  'settings, scores and texts of the account': ['useractivityprobabilities*', 'usersensorcompressiontoken*'],
}
