/**
 * The range that values of each resource must be in to be plausible, in the resource's unit. The ranges show mistakes of formats and units,
 * and judge nobody's health. See docs/interface/plausibility.md.
 */
import { formatCount } from '../core/text.ts'

/** A range that includes both ends. */
export interface Limits {
  readonly low: number
  readonly high: number
}

export interface ResourceLimits {
  /** The limits of samples of every kind that `kinds` does not list. */
  readonly usual: Limits
  /** Limits by kind. See docs/interface/kinds.md. */
  readonly kinds: Readonly<Record<string, Limits>>
  /** The range that is plausible for samples of every kind. */
  readonly strictest: Limits
}

/** A million in one sample is a mistake of the unit or the format. This limit is our own choice. */
const AMOUNT: ResourceLimits = between(0, 1_000_000)
const PERCENT: ResourceLimits = between(0, 100)
const MASS: ResourceLimits = between(0, 1_000)
/** Degrees Celsius. A temperature in degrees Fahrenheit, such as 98.6, is far above it. */
const CORE = { low: 10, high: 50 }

/**
 * By name in the REST path. Resources without a limit that holds for every device are missing: the voltage of an electrocardiogram, whose
 * offset depends on the electrodes, the signal units of immunoglobulins, and notes.
 */
export const LIMITS: Readonly<Record<string, ResourceLimits>> = {
  steps: AMOUNT,
  distance: AMOUNT,
  calories_active: AMOUNT,
  calories_basal: AMOUNT,
  floors_climbed: AMOUNT,
  workout_duration: AMOUNT,
  fall: AMOUNT,
  wheelchair_push: AMOUNT,
  stand_duration: AMOUNT,
  stand_hour: AMOUNT,
  heartrate: between(1, 300),
  // SDNN also contains slow changes, so it is often higher than RMSSD; its limit is our own choice
  hrv: between(1, 200, { sdnn: { low: 1, high: 400 } }),
  respiratory_rate: between(1, 200),
  blood_oxygen: PERCENT,
  // what a cuff can measure; applies to systolic and diastolic pressure
  blood_pressure: between(1, 300),
  glucose: between(0, 50),
  stress_level: PERCENT,
  body_weight: MASS,
  body_fat: PERCENT,
  // a value in mg/dL is usually above it
  cholesterol: between(0, 100),
  hypnogram: between(-1, 5),
  vo2_max: between(0, 100),
  // a sensor on the skin may lie on a table
  body_temperature: between(CORE.low, CORE.high, { skin: { low: 0, high: 100 } }),
  body_temperature_delta: between(-30, 30),
  basal_body_temperature: between(CORE.low, CORE.high),
  body_mass_index: between(0, 300),
  uv_exposure: between(0, 50),
  lean_body_mass: MASS,
  waist_circumference: between(0, 500),
  insulin_injection: between(0, 1_000),
  afib_burden: PERCENT,
  heart_rate_alert: AMOUNT,
  // the difference between two heart rates
  heart_rate_recovery_one_minute: between(-300, 300),
  forced_expiratory_volume_1: between(0, 20),
  forced_vital_capacity: between(0, 20),
  peak_expiratory_flow_rate: between(0, 2_000),
  inhaler_usage: AMOUNT,
  handwashing: AMOUNT,
  sleep_apnea_alert: AMOUNT,
  sleep_breathing_disturbance: AMOUNT,
  daylight_exposure: AMOUNT,
  mindfulness_minutes: AMOUNT,
  carbohydrates: between(0, 100_000),
  caffeine: between(0, 100),
  water: between(0, 100_000),
  workout_distance: AMOUNT,
  workout_swimming_stroke: AMOUNT,
}

function between(low: number, high: number, kinds: Readonly<Record<string, Limits>> = {}): ResourceLimits {
  const usual = { low, high }
  const all = [usual, ...Object.values(kinds)]
  const strictest = {
    low: Math.max(...all.map(each => each.low)),
    high: Math.min(...all.map(each => each.high)),
  }
  return { usual, kinds, strictest }
}

/** Returns a resource's limits, or undefined if any value is plausible. */
export function limitsOf(resource: string): ResourceLimits | undefined {
  return Object.hasOwn(LIMITS, resource) ? LIMITS[resource] : undefined
}

/** Returns the limits of samples of a kind. */
export function limitsOfKind({ usual, kinds }: ResourceLimits, kind: string): Limits {
  return Object.hasOwn(kinds, kind) ? (kinds[kind] as Limits) : usual
}

/** Returns whether a value is outside its limits. Null (NaN) is not. */
export function isOutside({ low, high }: Limits, value: number): boolean {
  return value < low || value > high
}

/** Units that do not belong into a sentence. */
const UNIT_TEXT: Readonly<Record<string, string>> = {
  count: '',
  index: '',
  stage: '',
  rmssd: ' ms',
  unit: ' units',
  '%': ' %',
}

/** Returns a resource's limits as text: `1 to 200 ms (sdnn: 1 to 400 ms)`. */
export function allLimitsText({ usual, kinds }: ResourceLimits, unit: string): string {
  const others = Object.entries(kinds).map(([kind, each]) => ` (${kind}: ${limitsText(each, unit)})`)
  return `${limitsText(usual, unit)}${others.join('')}`
}

/** Returns limits as text: `1 to 300 bpm`. */
export function limitsText({ low, high }: Limits, unit: string): string {
  return `${formatCount(low)} to ${formatCount(high)}${UNIT_TEXT[unit] ?? ` ${unit}`}`
}
