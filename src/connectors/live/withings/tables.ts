/** The mapping of Withings' values. The readers in this folder use these tables, and the docs include them. */
import { STAGES } from '../../shared/summaries.ts'
import type { FieldRule } from '../field-table.ts'

/** A measure type that becomes a sample. */
export interface MeasureRule {
  readonly type: number
  /** The resource as named in REST paths. */
  readonly to: string
  readonly sourceType: string
  readonly rule: string
  /** The sample's `type`. */
  readonly marked?: string
}

/** Measure types that become samples. If several rules have the same resource, a group uses the first rule for which it has a measure. */
export const MEASURES: readonly MeasureRule[] = [
  { type: 1, to: 'body_weight', sourceType: 'scale', rule: 'kg' },
  { type: 6, to: 'body_fat', sourceType: 'scale', rule: '%' },
  {
    type: 11,
    to: 'heartrate',
    sourceType: 'unknown',
    rule: 'bpm; from a cuff or a scale, as the group or its model says',
  },
  { type: 54, to: 'blood_oxygen', sourceType: 'watch', rule: '%' },
  { type: 71, to: 'body_temperature', sourceType: 'unknown', rule: '°C' },
  { type: 12, to: 'body_temperature', sourceType: 'unknown', rule: '°C; if there is no 71' },
  {
    type: 73,
    to: 'body_temperature',
    sourceType: 'watch',
    rule: '°C of the skin; if there is no other',
    marked: 'skin',
  },
  { type: 123, to: 'vo2_max', sourceType: 'watch', rule: 'mL/kg/min' },
]

/** The two measure types that form a blood pressure reading. Both are required. */
export const SYSTOLIC = 10
export const DIASTOLIC = 9
export const HEIGHT = 4
export const WEIGHT = 1

export interface BodyRule {
  readonly type: number
  /** The body summary's field. */
  readonly to: string
  /** Whether the measure is in kg although the field is a percentage of the weight. */
  readonly isShare: boolean
}

export const BODY: readonly BodyRule[] = [
  { type: WEIGHT, to: 'weight', isShare: false },
  { type: 6, to: 'fat', isShare: false },
  { type: 5, to: 'lean_body_mass_kilogram', isShare: false },
  { type: 77, to: 'water_percentage', isShare: true },
  { type: 76, to: 'muscle_mass_percentage', isShare: true },
  { type: 88, to: 'bone_mass_percentage', isShare: true },
  { type: 170, to: 'visceral_fat_index', isShare: false },
]

/** How a group was measured (`attrib`). Groups with any other value were measured by a device. */
export const AMBIGUOUS_PERSON = 1
export const BY_HAND: ReadonlySet<number> = new Set([2, 4])

/** `getactivity` as the day's summary. */
export const ACTIVITY_FIELDS: readonly FieldRule[] = [
  { from: 'steps', to: 'steps' },
  { from: 'distance', to: 'distance', rule: 'm' },
  { from: 'distance', to: 'daily_movement', rule: 'm' },
  { from: 'elevation', to: 'floors_climbed' },
  { from: 'calories', to: 'calories_active', rule: 'kcal' },
  { from: 'totalcalories', to: 'calories_total', rule: 'kcal' },
  { from: 'soft', to: 'low', per: 60, rule: 's to min' },
  { from: 'moderate', to: 'medium', per: 60, rule: 's to min' },
  { from: 'intense', to: 'high', per: 60, rule: 's to min' },
]

export const ACTIVITY_HEART: readonly FieldRule[] = [
  { from: 'hr_average', to: 'avg_bpm', none: 0 },
  { from: 'hr_min', to: 'min_bpm', none: 0 },
  { from: 'hr_max', to: 'max_bpm', none: 0 },
]

/** `getintradayactivity` as samples. */
export const INTRADAY: readonly FieldRule[] = [
  { from: 'steps', to: 'steps' },
  { from: 'distance', to: 'distance', rule: 'm' },
  { from: 'elevation', to: 'floors_climbed' },
  { from: 'calories', to: 'calories_active', rule: 'kcal' },
  { from: 'heart_rate', to: 'heartrate', rule: 'bpm', none: 0 },
  { from: 'spo2_auto', to: 'blood_oxygen', rule: '%', none: 0 },
  { from: 'rmssd', to: 'hrv', rule: 'RMSSD in ms', none: 0 },
  { from: 'rr', to: 'respiratory_rate', rule: 'breaths a minute', none: 0 },
  { from: 'core_body_temperature', to: 'body_temperature', rule: '°C', none: 0 },
]

/** The rule for readings within a workout, which become its stream. */
export const WORKOUT_HEART: FieldRule = { from: 'heart_rate', to: 'heartrate', rule: 'within a workout', none: 0 }

/** `getsummary` as a night's summary. */
export const SLEEP_FIELDS: readonly FieldRule[] = [
  { from: 'total_timeinbed', to: 'duration', rule: 's' },
  { from: 'total_sleep_time', to: 'total', rule: 's', none: 0 },
  { from: 'asleepduration', to: 'total', rule: 's; of nights from other apps, which have no total_sleep_time' },
  { from: 'wakeupduration', to: 'awake', rule: 's' },
  { from: 'lightsleepduration', to: 'light', rule: 's' },
  { from: 'remsleepduration', to: 'rem', rule: 's' },
  { from: 'deepsleepduration', to: 'deep', rule: 's' },
  { from: 'sleep_latency', to: 'latency', rule: 's' },
  { from: 'sleep_efficiency', to: 'efficiency', times: 100, rule: '%' },
  { from: 'hr_average', to: 'hr_average', rule: 'bpm', none: 0 },
  { from: 'hr_min', to: 'hr_lowest', rule: 'bpm', none: 0 },
  { from: 'rr_average', to: 'respiratory_rate', rule: 'breaths a minute', none: 0 },
  { from: 'sleep_score', to: 'score' },
]

/** A night's readings, each one as a map by time. */
export const SLEEP_SERIES: readonly FieldRule[] = [
  { from: 'hr', to: 'heartrate', rule: 'bpm', none: 0 },
  { from: 'rr', to: 'respiratory_rate', rule: 'breaths a minute', none: 0 },
  { from: 'rmssd', to: 'hrv', rule: 'RMSSD in ms', none: 0 },
]

/**
 * Intensity of breathing disturbances, starting at 0. Withings calls values below 30 low, values from 60 high, and values in between
 * medium.
 */
export const BREATHING: FieldRule = {
  from: 'breathing_disturbances_intensity',
  to: 'sleep_breathing_disturbance',
  rule: 'the intensity, over the night; type not_elevated below 30, otherwise elevated',
}
export const LOW_BREATHING_BELOW = 30

/** Sleep stages by a segment's `state`. Any other state is unknown. */
export const STATES: Readonly<Record<string, { readonly stage: number; readonly name: string }>> = {
  '0': { stage: STAGES.awake, name: 'awake' },
  '1': { stage: STAGES.light, name: 'light' },
  '2': { stage: STAGES.deep, name: 'deep' },
  '3': { stage: STAGES.rem, name: 'rem' },
  '4': { stage: STAGES.manual, name: 'manual' },
  '5': { stage: STAGES.missing, name: 'missing' },
  '15': { stage: STAGES.awake, name: 'awake, out of bed' },
}

/** An electrocardiogram's finding. */
interface Rhythm {
  readonly classification: 'sinus_rhythm' | 'atrial_fibrillation' | 'inconclusive'
  readonly inconclusive_cause?: 'high_heart_rate' | 'low_heart_rate' | 'poor_reading'
}

const POOR: Rhythm = { classification: 'inconclusive', inconclusive_cause: 'poor_reading' }
const INCONCLUSIVE: Rhythm = { classification: 'inconclusive' }

/** Findings by an electrocardiogram's `afib`. */
export const RHYTHMS: Readonly<Record<number, Rhythm>> = {
  // negative, also at a normal or high heart rate
  ...each([0, 9, 10], { classification: 'sinus_rhythm' }),
  // positive, also at a normal or high heart rate
  ...each([1, 11, 12], { classification: 'atrial_fibrillation' }),
  // also "other" and "no diagnosis"
  ...each([2, 4, 8, 13], INCONCLUSIVE),
  // no signal, or noise
  ...each([3, 5], POOR),
  6: { classification: 'inconclusive', inconclusive_cause: 'low_heart_rate' },
  7: { classification: 'inconclusive', inconclusive_cause: 'high_heart_rate' },
}

function each(findings: readonly number[], rhythm: Rhythm): Readonly<Record<number, Rhythm>> {
  return Object.fromEntries(findings.map(finding => [finding, rhythm]))
}

/** Names of models that record electrocardiograms. */
export const ECG_MODELS: Readonly<Record<number, string>> = {
  10: 'Body Scan',
  44: 'BPM Core',
  71: 'BeamO',
  91: 'Move ECG',
  92: 'Move ECG',
  93: 'ScanWatch',
  94: 'ScanWatch 2',
  95: 'ScanWatch Light',
}

export const WORKOUT_FIELDS: readonly FieldRule[] = [
  { from: 'calories', to: 'calories', rule: 'kcal' },
  { from: 'steps', to: 'steps' },
  { from: 'hr_average', to: 'average_hr', rule: 'bpm', none: 0 },
  { from: 'hr_max', to: 'max_hr', rule: 'bpm', none: 0 },
]

export const WORKOUT_SAMPLES: readonly FieldRule[] = [
  { from: 'strokes', to: 'workout_swimming_stroke', rule: 'over the workout', none: 0 },
]

/** Number of pool lengths, and the length of each in metres. Their product is a swim's distance, because a swim has no distance field. */
export const LENGTHS = { count: 'pool_laps', metres: 'pool_length' } as const
