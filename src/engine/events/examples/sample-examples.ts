/** Builds example samples of every resource, for the bodies of events. */
import type { TimeseriesResource } from '../../../catalogue/resources.ts'
import { type SampleBatch, SampleBatchBuilder, type SampleInput } from '../../../core/sample.ts'
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../core/time.ts'

/** Two consecutive values for each resource, by its path name. */
const VALUES: Readonly<Record<string, readonly [number, number]>> = {
  steps: [412, 388],
  distance: [301.5, 287.2],
  calories_active: [18.4, 16.9],
  calories_basal: [72.1, 71.8],
  floors_climbed: [2, 1],
  workout_duration: [15, 15],
  fall: [1, 1],
  wheelchair_push: [54, 61],
  stand_duration: [7, 9],
  stand_hour: [1, 1],
  heartrate: [62, 64],
  hrv: [48.5, 51.2],
  respiratory_rate: [14.2, 14.6],
  blood_oxygen: [97, 98],
  blood_pressure: [118, 121],
  glucose: [5.4, 5.7],
  electrocardiogram_voltage: [0.021, 0.034],
  stress_level: [31, 28],
  body_weight: [71.4, 71.3],
  body_fat: [21.5, 21.4],
  cholesterol: [2.6, 2.7],
  ige: [0.35, 0.4],
  igg: [4.1, 4.3],
  hypnogram: [2, 1],
  vo2_max: [44.1, 44.3],
  body_temperature: [36.6, 36.7],
  body_temperature_delta: [0.1, -0.2],
  basal_body_temperature: [36.4, 36.5],
  body_mass_index: [22.8, 22.8],
  uv_exposure: [3, 4],
  lean_body_mass: [56.1, 56.2],
  waist_circumference: [81, 80.5],
  insulin_injection: [4, 6],
  afib_burden: [0.4, 0.2],
  heart_rate_alert: [1, 1],
  heart_rate_recovery_one_minute: [28, 31],
  forced_expiratory_volume_1: [3.4, 3.5],
  forced_vital_capacity: [4.4, 4.5],
  peak_expiratory_flow_rate: [510, 505],
  inhaler_usage: [1, 2],
  handwashing: [1, 1],
  sleep_apnea_alert: [1, 1],
  sleep_breathing_disturbance: [2.1, 1.8],
  daylight_exposure: [12, 20],
  mindfulness_minutes: [10, 5],
  carbohydrates: [45, 62],
  caffeine: [0.095, 0.06],
  water: [250, 330],
  workout_distance: [402.1, 398.7],
  workout_swimming_stroke: [18, 17],
  note: [0, 0],
}

const WORKOUT = { sport: 'swimming', workout_id: 'c0ffee00-0000-4000-8000-000000000001' }

/** Returns two samples of one source, the newer one an hour before `at`. */
export function sampleExample(resource: TimeseriesResource, at: EpochMs): SampleBatch {
  const type = resource.discriminator?.[0] ?? null
  const builder = new SampleBatchBuilder({
    resource: resource.name,
    type,
    provider: 'apple_health_kit',
    sourceType: 'watch',
  })
  const last = at - (at % HOUR_MS) - HOUR_MS
  const values = VALUES[resource.name] ?? [1, 2]
  values.forEach((value, i) => {
    const start = last + (i - 1) * 15 * MINUTE_MS
    const input: SampleInput = {
      start,
      end: resource.kind === 'interval' ? start + 15 * MINUTE_MS : start,
      value,
      offset: 3_600,
      text: textOf(resource),
      ...(resource.shape === 'blood_pressure' ? { second: 76 + i } : {}),
    }
    builder.push(input)
  })
  return builder.take()
}

function textOf({ name, fields, shape }: TimeseriesResource): SampleInput['text'] {
  const text: Record<string, string> = { app_id: 'com.apple.health' }
  if (name.startsWith('workout_') && name !== 'workout_duration') Object.assign(text, WORKOUT)
  if (fields.includes('intensity')) text['intensity'] = 'medium'
  if (fields.includes('sensor_location')) text['sensor_location'] = 'wrist'
  if (fields.includes('delivery_mode')) {
    Object.assign(text, { delivery_mode: 'bolus', delivery_form: 'standard', bolus_purpose: 'meal' })
  }
  if (fields.includes('tags')) text['tags'] = '["food"]'
  if (shape === 'text') text['content'] = 'Felt well after breakfast'
  return text
}
