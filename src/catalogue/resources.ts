/** The 51 timeseries resources: each with its path name, kind, unit and extra fields. See docs/interface/timeseries.md#timeseries-3. */
import type { TextColumn } from '../core/sample.ts'
import type { DeprecationName } from './deprecations.ts'

export interface TimeseriesResource {
  /** The name in the REST path. */
  readonly name: string
  /** The name in events and aggregate queries; for some resources, it differs from the name in the path. */
  readonly queryName: string
  /** `interval` if samples have a duration, `sample` if they are taken at one instant. */
  readonly kind: 'sample' | 'interval'
  readonly unit: string
  /** The value of one sample: a number, systolic and diastolic pressure, or a text. */
  readonly shape: 'value' | 'blood_pressure' | 'text'
  /** Whether the values are integers. Fractions are rounded. See docs/interface/timeseries.md#timeseries-2. */
  readonly isWhole?: boolean
  /** Values of `type`, if `type` is part of the sample's key; otherwise undefined. See docs/interface/timeseries.md#timeseries-4. */
  readonly discriminator?: readonly string[]
  /** Columns that appear as fields of each sample rather than as fields of its source. */
  readonly fields: readonly TextColumn[]
  readonly meaning: string
  /** The deprecation that announced the resource's removal. See docs/interface/versioning.md#versioning-3. */
  readonly deprecation?: DeprecationName
}

type Options = Partial<
  Pick<TimeseriesResource, 'queryName' | 'shape' | 'isWhole' | 'discriminator' | 'fields' | 'deprecation'>
>

function resource(
  name: string,
  kind: TimeseriesResource['kind'],
  unit: string,
  meaning: string,
  options: Options = {},
): TimeseriesResource {
  return { name, queryName: name, kind, unit, shape: 'value', fields: ['type'], meaning, ...options }
}

const TEMPERATURE: Options = { fields: ['type', 'sensor_location'] }
/** Documented discriminating types. These are open lists: any other text is also stored. */
const ALLERGENS = ['baha_grass', 'dairy'] as const

export const RESOURCES: readonly TimeseriesResource[] = [
  resource('steps', 'interval', 'count', 'Steps taken'),
  resource('distance', 'interval', 'm', 'Distance covered'),
  resource('calories_active', 'interval', 'kcal', 'Energy burnt by activity'),
  resource('calories_basal', 'interval', 'kcal', 'Energy burnt at rest'),
  resource('floors_climbed', 'interval', 'count', 'Floors climbed'),
  resource('workout_duration', 'interval', 'min', 'Time spent in workouts', { fields: ['type', 'intensity'] }),
  resource('fall', 'interval', 'count', 'Falls detected'),
  resource('wheelchair_push', 'interval', 'count', 'Wheelchair pushes'),
  resource('stand_duration', 'interval', 'min', 'Time spent standing'),
  resource('stand_hour', 'interval', 'count', 'Hours with or without standing', { discriminator: ['stood', 'idle'] }),
  resource('heartrate', 'sample', 'bpm', 'Heart rate'),
  resource('hrv', 'sample', 'rmssd', 'Heart rate variability, milliseconds'),
  resource('respiratory_rate', 'sample', 'bpm', 'Breaths per minute'),
  resource('blood_oxygen', 'sample', '%', 'Blood oxygen saturation'),
  resource('blood_pressure', 'sample', 'mmHg', 'Systolic and diastolic blood pressure', { shape: 'blood_pressure' }),
  resource('glucose', 'sample', 'mmol/L', 'Blood glucose'),
  resource('electrocardiogram_voltage', 'sample', 'mV', 'Voltage of an electrocardiogram lead', {
    discriminator: ['lead_1'],
  }),
  resource('stress_level', 'sample', '%', 'Stress level, 0 to 100'),
  resource('body_weight', 'sample', 'kg', 'Body weight', { queryName: 'weight' }),
  resource('body_fat', 'sample', '%', 'Body fat percentage', { queryName: 'fat' }),
  resource('cholesterol', 'sample', 'mmol/L', 'Cholesterol', {
    discriminator: ['ldl', 'hdl', 'total', 'triglycerides'],
  }),
  resource('ige', 'sample', 'FSU', 'Immunoglobulin E by allergen', { discriminator: ALLERGENS }),
  resource('igg', 'sample', 'FSU', 'Immunoglobulin G by allergen', { discriminator: ALLERGENS }),
  resource('hypnogram', 'interval', 'stage', 'Sleep stages: -1 missing, 1 deep, 2 light, 3 rem, 4 awake, 5 manual', {
    deprecation: 'hypnogram_timeseries',
  }),
  resource('vo2_max', 'interval', 'mL/kg/min', 'Maximal oxygen uptake'),
  resource('body_temperature', 'interval', '°C', 'Body temperature', TEMPERATURE),
  resource(
    'body_temperature_delta',
    'interval',
    '°C',
    "Body temperature relative to the person's baseline",
    TEMPERATURE,
  ),
  resource('basal_body_temperature', 'interval', '°C', 'Basal body temperature', TEMPERATURE),
  resource('body_mass_index', 'interval', 'index', 'Body mass index'),
  resource('uv_exposure', 'interval', 'index', 'Ultraviolet index'),
  resource('lean_body_mass', 'interval', 'kg', 'Lean body mass'),
  resource('waist_circumference', 'interval', 'cm', 'Waist circumference'),
  resource('insulin_injection', 'interval', 'unit', 'Insulin injected', {
    discriminator: ['rapid_acting', 'long_acting'],
    fields: ['type', 'delivery_mode', 'delivery_form', 'bolus_purpose'],
  }),
  resource('afib_burden', 'interval', '%', 'Share of time in atrial fibrillation'),
  resource('heart_rate_alert', 'interval', 'count', 'Heart rate alerts; the value is always 1', {
    isWhole: true,
    discriminator: ['low_heart_rate', 'high_heart_rate', 'irregular_rhythm'],
  }),
  resource('heart_rate_recovery_one_minute', 'interval', 'count', 'Drop in heart rate one minute after exercise'),
  resource('forced_expiratory_volume_1', 'interval', 'L', 'Volume exhaled in the first second'),
  resource('forced_vital_capacity', 'interval', 'L', 'Forced vital capacity'),
  resource('peak_expiratory_flow_rate', 'interval', 'L/min', 'Peak expiratory flow'),
  resource('inhaler_usage', 'interval', 'count', 'Inhaler uses'),
  resource('handwashing', 'interval', 'count', 'Hand washes'),
  resource('sleep_apnea_alert', 'interval', 'count', 'Sleep apnea alerts'),
  resource('sleep_breathing_disturbance', 'interval', 'count', 'Breathing disturbances during sleep', {
    discriminator: ['elevated', 'not_elevated'],
  }),
  resource('daylight_exposure', 'interval', 'min', 'Time in daylight'),
  resource('mindfulness_minutes', 'interval', 'min', 'Mindfulness sessions'),
  resource('carbohydrates', 'interval', 'g', 'Carbohydrates eaten'),
  resource('caffeine', 'interval', 'g', 'Caffeine consumed'),
  resource('water', 'interval', 'ml', 'Water drunk'),
  resource('workout_distance', 'interval', 'm', 'Distance within a workout'),
  resource('workout_swimming_stroke', 'interval', 'count', 'Swimming strokes within a workout'),
  resource('note', 'interval', 'text', 'A note that the person wrote', {
    shape: 'text',
    discriminator: [],
    fields: ['type', 'tags'],
  }),
]

export const RESOURCE_NAMES: readonly string[] = RESOURCES.map(each => each.name)

const byName = new Map(RESOURCES.map(each => [each.name, each]))
const byQueryName = new Map(RESOURCES.map(each => [each.queryName, each]))

/** Returns the types that a resource's samples must choose from, or undefined if the type may be omitted. */
export function neededTypes(resource: TimeseriesResource): readonly string[] | undefined {
  const types = resource.discriminator ?? []
  // a breathing disturbance may lack a type
  return types.length > 0 && resource.name !== 'sleep_breathing_disturbance' ? types : undefined
}

/** Units of amounts, which add up over time. All other units describe levels. */
const AMOUNT_UNITS: ReadonlySet<string> = new Set(['count', 'm', 'kcal', 'min', 'g', 'ml', 'unit'])

/** A difference of two heart rates, which does not add up although its unit is a count. */
const NEVER_ADDED = 'heart_rate_recovery_one_minute'

/** Returns whether a resource's values add up over time. Charts draw such values as bars from zero. */
export function isAmount({ name, kind, unit }: TimeseriesResource): boolean {
  return kind === 'interval' && AMOUNT_UNITS.has(unit) && name !== NEVER_ADDED
}

/** Returns whether a sample's value can be split over time. Steps can be split; an alert cannot. */
export function isDivisible(resource: TimeseriesResource): boolean {
  return isAmount(resource) && resource.isWhole !== true
}

/** Returns the resource with this name in the REST path (`body_weight`). */
export function resourceNamed(name: string): TimeseriesResource | undefined {
  return byName.get(name)
}

/** Returns the resource with this name in events and aggregate queries (`weight`). The name in the path is also accepted. */
export function resourceQueried(name: string): TimeseriesResource | undefined {
  return byQueryName.get(name) ?? byName.get(name)
}
