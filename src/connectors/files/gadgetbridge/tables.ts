/** The tables of a Gadgetbridge database that are read. Contains data only. */

/** A column that becomes samples. Values outside the limits stand for no value. */
export interface ValueRule {
  readonly column: string
  /** Null for a resting heart rate. */
  readonly resource: string | null
  readonly least: number
  readonly most?: number
  /** Units of the resource per unit of the column. */
  readonly factor?: number
}

export interface TableRule {
  /** Milliseconds per unit of `TIMESTAMP`. */
  readonly unitMs: number
  readonly sourceType: string
  readonly values: readonly ValueRule[]
}

const SECONDS = 1000
const value = (column: string, resource: string | null, least: number, most?: number): ValueRule => ({
  ...{ column, resource, least },
  ...(most !== undefined && { most }),
})
// 255, -1 and 0 stand for no heart rate
const HEART_RATE = value('HEART_RATE', 'heartrate', 1, 254)
const ACTIVITY: TableRule = {
  ...{ unitMs: SECONDS, sourceType: 'watch' },
  values: [value('STEPS', 'steps', 1), HEART_RATE],
}
const watch = (...values: readonly ValueRule[]): TableRule => ({ unitMs: 1, sourceType: 'watch', values })
const SPO2 = watch(value('SPO2', 'blood_oxygen', 1, 100))
const STRESS = watch(value('STRESS', 'stress_level', 0, 100))
const RESTING = watch(value('HEART_RATE', null, 1, 254))

/** Rules by table. */
export const TABLE_RULES: Readonly<Record<string, TableRule>> = {
  MI_BAND_ACTIVITY_SAMPLE: ACTIVITY,
  HUAMI_EXTENDED_ACTIVITY_SAMPLE: ACTIVITY,
  XIAOMI_ACTIVITY_SAMPLE: ACTIVITY,
  GARMIN_ACTIVITY_SAMPLE: {
    ...ACTIVITY,
    values: [...ACTIVITY.values, { column: 'DISTANCE_CM', resource: 'distance', least: 1, factor: 0.01 }],
  },
  HUAMI_SPO2_SAMPLE: SPO2,
  GARMIN_SPO2_SAMPLE: SPO2,
  HUAMI_STRESS_SAMPLE: STRESS,
  GARMIN_STRESS_SAMPLE: STRESS,
  HUAMI_HEART_RATE_MANUAL_SAMPLE: watch(HEART_RATE),
  HUAMI_HEART_RATE_RESTING_SAMPLE: RESTING,
  GARMIN_HEART_RATE_RESTING_SAMPLE: RESTING,
  HUAMI_SLEEP_RESPIRATORY_RATE_SAMPLE: watch(value('RATE', 'respiratory_rate', 1)),
  GARMIN_RESPIRATORY_RATE_SAMPLE: watch(value('RESPIRATORY_RATE', 'respiratory_rate', 1)),
  GARMIN_HRV_VALUE_SAMPLE: watch(value('VALUE', 'hrv', 1)),
  MI_SCALE_WEIGHT_SAMPLE: { unitMs: 1, sourceType: 'scale', values: [value('WEIGHT_KG', 'body_weight', 1)] },
}

export const DEVICES = 'DEVICE'
export const WORKOUTS = 'BASE_ACTIVITY_SUMMARY'
export const SLEEP = 'XIAOMI_SLEEP_TIME_SAMPLE'
export const SLEEP_STAGES = 'XIAOMI_SLEEP_STAGE_SAMPLE'

/** Matches tables without data of a person's health. */
export const BOOKKEEPING =
  /^(?:android_metadata|sqlite|USER|DEVICE|TAG|ALARM|REMINDER|WORLD_CLOCK|CONTACT|CALENDAR|NOTIFICATION|ACTIVITY_DESC|BATTERY|PENDING_FILE|APP_SPECIFIC)/

/** Names of sports, by code. */
export const SPORT_NAMES: ReadonlyMap<number, string> = new Map([
  [0x10, 'running'],
  [0x20, 'walking'],
  [0x40, 'swimming'],
  [0x80, 'cycling'],
  [0x100, 'treadmill_running'],
  [0x400, 'open_water_swimming'],
  [0x800, 'indoor_cycling'],
  [0x1000, 'elliptical'],
  [0x2000, 'jump_rope'],
  [0x4000, 'yoga'],
  [0x8000, 'soccer'],
  [0x10000, 'rowing'],
  [0x20000, 'cricket'],
  [0x40000, 'basketball'],
])
