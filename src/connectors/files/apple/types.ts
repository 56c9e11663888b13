/** Maps record types in an export to resources. Contains data only. */
import type { TextColumn } from '../../../core/sample.ts'
import { CYCLE_RULES, type CycleRule } from './cycle-types.ts'
import { CARBOHYDRATES, ENERGY, NUTRIENTS } from './nutrients.ts'
import * as unit from './units.ts'

/**
 * How a record becomes a sample:
 * - `quantity`: its `value` in its `unit`, converted;
 * - `event`: the value is 1, meaning that the event happened;
 * - `duration`: the minutes from its start to its end;
 * - `category`: the value is 1, under the discriminating type in its `value`.
 */
interface RuleBase {
  readonly resource: string
  /** The discriminating type, which is part of the series key. */
  readonly type: string | null
  /** Columns that are the same for every record of the type. */
  readonly text: Readonly<Partial<Record<TextColumn, string>>> | undefined
}
export type SampleRule =
  | (RuleBase & { readonly reads: 'quantity'; readonly units: unit.Units })
  | (RuleBase & { readonly reads: 'event' })
  | (RuleBase & { readonly reads: 'duration' })
  | (RuleBase & { readonly reads: 'category'; readonly categories: ReadonlyMap<string, string> })

/**
 * How a record type is used: as samples, as a nutrient of a meal, as an entry of a menstrual cycle, as sleep, as a resting heart rate, or as
 * one half of a blood pressure reading.
 */
export type RecordRule =
  | SampleRule
  | { readonly reads: 'nutrient'; readonly units: unit.Units }
  | { readonly reads: 'cycle'; readonly cycle: CycleRule }
  | { readonly reads: 'sleep' }
  | { readonly reads: 'resting'; readonly units: unit.Units }
  | { readonly reads: 'pressure'; readonly part: 'systolic' | 'diastolic' }

const QUANTITY = 'HKQuantityTypeIdentifier'
const DIETARY = `${QUANTITY}Dietary`
const CATEGORY = 'HKCategoryTypeIdentifier'

type Text = RuleBase['text']

function quantity(name: string, resource: string, units: unit.Units, text?: Text): [string, RecordRule] {
  return [QUANTITY + name, { reads: 'quantity', resource, type: null, text, units }]
}

function event(name: string, resource: string, type: string | null = null): [string, RecordRule] {
  return [CATEGORY + name, { reads: 'event', resource, type, text: undefined }]
}

/** The nutrients that are only stored in meals. */
const MEAL_RULES = NUTRIENTS.flatMap(([name, path]): [string, RecordRule][] =>
  name === CARBOHYDRATES
    ? []
    : [[`${DIETARY}${name}`, { reads: 'nutrient', units: path === ENERGY ? unit.KILOCALORIES : unit.GRAMS }]],
)

/** Indexes in `NUTRIENTS`, by record type. */
export const NUTRIENT_OF: ReadonlyMap<string, number> = new Map(NUTRIENTS.map(([name], i) => [`${DIETARY}${name}`, i]))

/** Rules of record types, keyed by the identifier in the `type` attribute. */
export const RECORD_RULES: ReadonlyMap<string, RecordRule> = new Map<string, RecordRule>([
  quantity('StepCount', 'steps', unit.COUNT),
  quantity('HeartRate', 'heartrate', unit.PER_MINUTE),
  quantity('DistanceWalkingRunning', 'distance', unit.METRES),
  quantity('DistanceCycling', 'distance', unit.METRES),
  quantity('DistanceSwimming', 'distance', unit.METRES),
  quantity('DistanceWheelchair', 'distance', unit.METRES, { sport: 'wheelchair_push' }),
  quantity('ActiveEnergyBurned', 'calories_active', unit.KILOCALORIES),
  quantity('BasalEnergyBurned', 'calories_basal', unit.KILOCALORIES),
  quantity('FlightsClimbed', 'floors_climbed', unit.COUNT),
  quantity('PushCount', 'wheelchair_push', unit.COUNT),
  quantity('NumberOfTimesFallen', 'fall', unit.COUNT),
  quantity('AppleStandTime', 'stand_duration', unit.MINUTES),
  quantity('TimeInDaylight', 'daylight_exposure', unit.MINUTES),
  quantity('UVExposure', 'uv_exposure', unit.COUNT),
  quantity('InhalerUsage', 'inhaler_usage', unit.COUNT),

  quantity('BodyMass', 'body_weight', unit.KILOGRAMS),
  quantity('BodyFatPercentage', 'body_fat', unit.PERCENT),
  quantity('BodyMassIndex', 'body_mass_index', unit.COUNT),
  quantity('LeanBodyMass', 'lean_body_mass', unit.KILOGRAMS),
  quantity('WaistCircumference', 'waist_circumference', unit.CENTIMETRES),
  quantity('BodyTemperature', 'body_temperature', unit.CELSIUS),
  quantity('AppleSleepingWristTemperature', 'body_temperature', unit.CELSIUS, { sensor_location: 'wrist' }),
  quantity('BasalBodyTemperature', 'basal_body_temperature', unit.CELSIUS),

  quantity('OxygenSaturation', 'blood_oxygen', unit.PERCENT),
  quantity('RespiratoryRate', 'respiratory_rate', unit.PER_MINUTE),
  // the resource is measured as RMSSD; SDNN is another statistic of the same beats, so each sample contains the name of its statistic
  quantity('HeartRateVariabilitySDNN', 'hrv', unit.MILLISECONDS, { type: 'sdnn' }),
  quantity('VO2Max', 'vo2_max', unit.ML_PER_MIN_KG),
  quantity('HeartRateRecoveryOneMinute', 'heart_rate_recovery_one_minute', unit.PER_MINUTE),
  quantity('AtrialFibrillationBurden', 'afib_burden', unit.PERCENT),
  quantity('BloodGlucose', 'glucose', unit.MILLIMOLES),
  quantity('ForcedExpiratoryVolume1', 'forced_expiratory_volume_1', unit.LITRES),
  quantity('ForcedVitalCapacity', 'forced_vital_capacity', unit.LITRES),
  quantity('PeakExpiratoryFlowRate', 'peak_expiratory_flow_rate', unit.LITRES_PER_MINUTE),

  quantity('DietaryWater', 'water', unit.MILLILITRES),
  quantity('DietaryCaffeine', 'caffeine', unit.GRAMS),
  quantity(`Dietary${CARBOHYDRATES}`, 'carbohydrates', unit.GRAMS),
  ...MEAL_RULES,

  ...[...CYCLE_RULES].map(([type, cycle]): [string, RecordRule] => [type, { reads: 'cycle', cycle }]),

  event('HandwashingEvent', 'handwashing'),
  event('SleepApneaEvent', 'sleep_apnea_alert'),
  event('LowHeartRateEvent', 'heart_rate_alert', 'low_heart_rate'),
  event('HighHeartRateEvent', 'heart_rate_alert', 'high_heart_rate'),
  event('IrregularHeartRhythmEvent', 'heart_rate_alert', 'irregular_rhythm'),
  [`${CATEGORY}MindfulSession`, { reads: 'duration', resource: 'mindfulness_minutes', type: null, text: undefined }],
  [
    `${CATEGORY}AppleStandHour`,
    {
      reads: 'category',
      resource: 'stand_hour',
      type: null,
      text: undefined,
      categories: new Map([
        ['HKCategoryValueAppleStandHourStood', 'stood'],
        ['HKCategoryValueAppleStandHourIdle', 'idle'],
      ]),
    },
  ],

  [`${QUANTITY}BloodPressureSystolic`, { reads: 'pressure', part: 'systolic' }],
  [`${QUANTITY}BloodPressureDiastolic`, { reads: 'pressure', part: 'diastolic' }],
  [`${CATEGORY}SleepAnalysis`, { reads: 'sleep' }],
  [`${QUANTITY}RestingHeartRate`, { reads: 'resting', units: unit.PER_MINUTE }],
])
