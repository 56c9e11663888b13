/** Groups of metrics for which a team or a user orders sources in merges. See docs/interface/merging.md#merging-18. */
import { RESOURCES } from './resources.ts'

/** The resources in each group. `sleep` and `workouts` also contain the table of that name. */
const RESOURCES_IN = {
  sleep: ['hypnogram', 'sleep_apnea_alert', 'sleep_breathing_disturbance'],
  workouts: ['workout_duration', 'workout_distance', 'workout_swimming_stroke', 'heart_rate_recovery_one_minute'],
  steps: ['steps', 'distance', 'floors_climbed', 'wheelchair_push', 'stand_duration', 'stand_hour', 'fall'],
  energy: ['calories_active', 'calories_basal'],
  heartrate: ['heartrate', 'hrv', 'heart_rate_alert', 'afib_burden', 'electrocardiogram_voltage', 'vo2_max'],
  breathing: [
    ...['respiratory_rate', 'blood_oxygen', 'forced_expiratory_volume_1', 'forced_vital_capacity'],
    ...['peak_expiratory_flow_rate', 'inhaler_usage'],
  ],
  body: ['body_weight', 'body_fat', 'body_mass_index', 'lean_body_mass', 'waist_circumference'],
  temperature: ['body_temperature', 'body_temperature_delta', 'basal_body_temperature'],
  blood: ['glucose', 'blood_pressure', 'cholesterol', 'ige', 'igg', 'insulin_injection'],
  nutrition: ['carbohydrates', 'caffeine', 'water'],
  /** All other resources. */
  other: ['stress_level', 'uv_exposure', 'daylight_exposure', 'handwashing', 'mindfulness_minutes', 'note'],
} as const

export type MetricGroup = keyof typeof RESOURCES_IN
export const METRIC_GROUPS = Object.keys(RESOURCES_IN) as readonly MetricGroup[]

const GROUP_OF = new Map(METRIC_GROUPS.flatMap(group => RESOURCES_IN[group].map(name => [name as string, group])))
const GROUP_OF_TABLE: Readonly<Record<string, MetricGroup>> = { sleep: 'sleep', workout: 'workouts' }

/** Returns the group of a resource, by its name in the REST path. */
export function groupOfResource(resource: string): MetricGroup {
  return GROUP_OF.get(resource) ?? 'other'
}

/** Returns the group of a summary table, or undefined if it is not merged. */
export function groupOfTable(table: string): MetricGroup | undefined {
  return GROUP_OF_TABLE[table]
}

/** Returns the resources in a group, by their names in the REST path. */
export function resourcesIn(group: MetricGroup): readonly string[] {
  return RESOURCES.flatMap(({ name }) => (groupOfResource(name) === group ? [name] : []))
}
