/** Maps Open mHealth schemas to resources. Contains data only. */
import type { TextColumn } from '../../../core/sample.ts'

export interface OpenMhealthRule {
  readonly resource: string
  /** Member of the body with `{value, unit}` or a plain number. */
  readonly measure: string
  /** Unit of a plain number. */
  readonly bareUnit?: string
  /** Column that is filled from the body's `measurement_location` or `sensor_location`. */
  readonly location?: TextColumn
}

/** Rules by the name in `schema_id`, in any namespace and version. `blood-pressure` and `physical-activity` are handled separately. */
export const OPEN_MHEALTH_RULES: ReadonlyMap<string, OpenMhealthRule> = new Map<string, OpenMhealthRule>([
  ['heart-rate', { resource: 'heartrate', measure: 'heart_rate' }],
  ['step-count', { resource: 'steps', measure: 'step_count', bareUnit: 'steps' }],
  ['blood-glucose', { resource: 'glucose', measure: 'blood_glucose' }],
  ['body-weight', { resource: 'body_weight', measure: 'body_weight' }],
  ['body-mass-index', { resource: 'body_mass_index', measure: 'body_mass_index' }],
  ['body-fat-percentage', { resource: 'body_fat', measure: 'body_fat_percentage' }],
  ['body-temperature', { resource: 'body_temperature', measure: 'body_temperature', location: 'sensor_location' }],
  ['oxygen-saturation', { resource: 'blood_oxygen', measure: 'oxygen_saturation' }],
  ['respiratory-rate', { resource: 'respiratory_rate', measure: 'respiratory_rate' }],
  ['calories-burned', { resource: 'calories_active', measure: 'kcal_burned' }],
  ['waist-circumference', { resource: 'waist_circumference', measure: 'waist_circumference' }],
])

/** Maps the schemas' names for body parts to the resource's `sensor_location` values. */
export const SENSOR_LOCATIONS: ReadonlyMap<string, string> = new Map([
  ['axillary', 'armpit'],
  ['finger', 'finger'],
  ['forehead', 'forehead'],
  ['oral', 'mouth'],
  ['rectal', 'rectum'],
  ['temporal artery', 'temporal_artery'],
  ['toe', 'toe'],
  ['tympanic', 'eardrum'],
  ['wrist', 'wrist'],
])
