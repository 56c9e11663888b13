/** Maps Health Auto Export metrics to resources. Contains data only. */
import type { TextColumn } from '../../../core/sample.ts'

/**
 * How a reading becomes a sample: `quantity` uses its `qty`, `average` uses its `Avg`, and `pressure` uses both values or one half. `sleep`
 * and `resting` become a summary or a part of one.
 */
export type MetricRule =
  | {
      readonly reads: 'quantity' | 'average'
      readonly resource: string
      readonly type: string | null
      readonly text: Readonly<Partial<Record<TextColumn, string>>>
    }
  | { readonly reads: 'pressure'; readonly half: 'systolic' | 'diastolic' | null }
  | { readonly reads: 'resting' }
  | { readonly reads: 'sleep' }

type Text = Readonly<Partial<Record<TextColumn, string>>>

function quantity(resource: string, text: Text = {}, type: string | null = null): MetricRule {
  return { reads: 'quantity', resource, type, text }
}

/** Rules by the `name` of the metric. */
export const METRIC_RULES: ReadonlyMap<string, MetricRule> = new Map<string, MetricRule>([
  ['step_count', quantity('steps')],
  ['walking_running_distance', quantity('distance')],
  ['cycling_distance', quantity('distance')],
  ['swimming_distance', quantity('distance')],
  ['wheelchair_distance', quantity('distance', { sport: 'wheelchair_push' })],
  ['active_energy', quantity('calories_active')],
  ['basal_energy_burned', quantity('calories_basal')],
  ['flights_climbed', quantity('floors_climbed')],
  ['push_count', quantity('wheelchair_push')],
  ['number_of_times_fallen', quantity('fall')],
  ['apple_stand_time', quantity('stand_duration')],
  ['apple_stand_hour', quantity('stand_hour', {}, 'stood')],
  ['time_in_daylight', quantity('daylight_exposure')],
  ['uv_exposure', quantity('uv_exposure')],
  ['mindful_minutes', quantity('mindfulness_minutes')],
  ['inhaler_usage', quantity('inhaler_usage')],
  ['heart_rate', { reads: 'average', resource: 'heartrate', type: null, text: {} }],
  ['resting_heart_rate', { reads: 'resting' }],
  // the resource is measured as RMSSD; SDNN is another statistic of the same beats, so each sample contains the name of its statistic
  ['heart_rate_variability', quantity('hrv', { type: 'sdnn' })],
  ['cardio_recovery', quantity('heart_rate_recovery_one_minute')],
  ['atrial_fibrillation_burden', quantity('afib_burden')],
  ['respiratory_rate', quantity('respiratory_rate')],
  ['blood_oxygen_saturation', quantity('blood_oxygen')],
  ['vo2_max', quantity('vo2_max')],
  ['blood_glucose', quantity('glucose')],
  ['blood_pressure', { reads: 'pressure', half: null }],
  ['blood_pressure_systolic', { reads: 'pressure', half: 'systolic' }],
  ['blood_pressure_diastolic', { reads: 'pressure', half: 'diastolic' }],
  ['body_temperature', quantity('body_temperature')],
  ['apple_sleeping_wrist_temperature', quantity('body_temperature', { sensor_location: 'wrist' })],
  ['basal_body_temperature', quantity('basal_body_temperature')],
  ['weight_body_mass', quantity('body_weight')],
  ['weight_&_body_mass', quantity('body_weight')],
  ['body_mass_index', quantity('body_mass_index')],
  ['body_fat_percentage', quantity('body_fat')],
  ['lean_body_mass', quantity('lean_body_mass')],
  ['waist_circumference', quantity('waist_circumference')],
  ['forced_expiratory_volume_1', quantity('forced_expiratory_volume_1')],
  ['forced_vital_capacity', quantity('forced_vital_capacity')],
  ['peak_expiratory_flow_rate', quantity('peak_expiratory_flow_rate')],
  ['dietary_water', quantity('water')],
  ['dietary_caffeine', quantity('caffeine')],
  ['carbohydrates', quantity('carbohydrates')],
  ['sleep_analysis', { reads: 'sleep' }],
])

/** Workout names, without the location, that are not sport names (`Outdoor`, `Indoor`, `Pool`). */
export const WORKOUT_WORDS: ReadonlyMap<string, string> = new Map([
  ['cycle', 'cycling'],
  ['hiit', 'high_intensity_interval_training'],
  ['stair stepper', 'stair_climbing'],
  ['rower', 'rowing'],
])
