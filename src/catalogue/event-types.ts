/** The names of the webhook events: three for each resource, and the others (interface-gaps 6). */

/** The resources that have daily and historical events, under their names in events (`weight`, not `body_weight`). */
export const EVENT_RESOURCES: readonly string[] = [
  'activity',
  'afib_burden',
  'basal_body_temperature',
  'blood_oxygen',
  'blood_pressure',
  'body',
  'body_mass_index',
  'body_temperature',
  'body_temperature_delta',
  'caffeine',
  'calories_active',
  'calories_basal',
  'carbohydrates',
  'cholesterol',
  'daylight_exposure',
  'distance',
  'electrocardiogram',
  'electrocardiogram_voltage',
  'fall',
  'fat',
  'floors_climbed',
  'forced_expiratory_volume_1',
  'forced_vital_capacity',
  'glucose',
  'handwashing',
  'heart_rate_alert',
  'heart_rate_recovery_one_minute',
  'heartrate',
  'hrv',
  'ige',
  'igg',
  'inhaler_usage',
  'insulin_injection',
  'lean_body_mass',
  'meal',
  'menstrual_cycle',
  'mindfulness_minutes',
  'note',
  'peak_expiratory_flow_rate',
  'profile',
  'respiratory_rate',
  'sleep',
  'sleep_apnea_alert',
  'sleep_breathing_disturbance',
  'sleep_cycle',
  'stand_duration',
  'stand_hour',
  'steps',
  'stress_level',
  'uv_exposure',
  'vo2_max',
  'waist_circumference',
  'water',
  'weight',
  'wheelchair_push',
  'workout_distance',
  'workout_duration',
  'workout_stream',
  'workout_swimming_stroke',
  'workouts',
]

/** Events that do not follow the pattern of a resource. */
export const OTHER_EVENT_TYPES: readonly string[] = [
  'provider.connection.created',
  'provider.connection.error',
  'provider.device.created',
  'provider.device.updated',
  'labtest.order.created',
  'labtest.order.updated',
  'labtest.appointment.created',
  'labtest.appointment.updated',
  'labtest.result.critical',
  'labtest.match_review.created',
  'labtest.match_review.updated',
  'lab_report.parsing_job.created',
  'lab_report.parsing_job.updated',
  'continuous_query.result_table.changed',
]

/** `daily.data.steps.created`: samples or summaries that are new. */
export function dailyCreated(resource: string): string {
  return `daily.data.${resource}.created`
}

/** `daily.data.steps.updated`: samples or summaries that replace earlier ones. */
export function dailyUpdated(resource: string): string {
  return `daily.data.${resource}.updated`
}

/** `historical.data.steps.created`: the historical pull of this resource is complete. */
export function historicalCreated(resource: string): string {
  return `historical.data.${resource}.created`
}

/** All event types, resource by resource, then the others. */
export function allEventTypes(): readonly string[] {
  return [
    ...EVENT_RESOURCES.flatMap(each => [dailyCreated(each), dailyUpdated(each), historicalCreated(each)]),
    ...OTHER_EVENT_TYPES,
  ]
}

/** Whether an event of this type exists. */
export function isEventType(type: string): boolean {
  return allEventTypes().includes(type)
}
