/** The names of webhook events: three for each resource, and others. See docs/interface/events.md#events-2. */
import type { IsoDate } from '../core/time.ts'
import { DEPRECATIONS, isServed } from './deprecations.ts'

/** Resources with daily and historical events, by their names in events (`weight`, not `body_weight`). */
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

/** The type of events about removed data. See docs/interface/events.md#events-15. */
export const DATA_DELETED = 'user.data.deleted'

/** Why data was removed: by its provider, by undoing an import, by a request, or by reading raw data again. */
export const DELETION_REASONS = ['provider', 'import_undone', 'request', 'remapped'] as const
export type DeletionReason = (typeof DELETION_REASONS)[number]

/** Events that do not follow a resource's naming pattern. */
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
  'message.attempt.exhausted',
  DATA_DELETED,
]

/** A timeseries that was withdrawn together with its events. Their names follow an older pattern. See docs/interface/events.md#events-8. */
const WITHDRAWN_RESOURCE = 'hypnogram'
export const WITHDRAWN_EVENT_TYPES: readonly string[] = [
  'daily.timeseries.hypnogram.created',
  'daily.timeseries.hypnogram.updated',
  'historical.timeseries.hypnogram.created',
]

/** Returns the event type for new samples or summaries: `daily.data.steps.created`. */
export function dailyCreated(resource: string): string {
  return `daily.${eventPart(resource)}.${resource}.created`
}

/** Returns the event type for samples or summaries that replace earlier ones: `daily.data.steps.updated`. */
export function dailyUpdated(resource: string): string {
  return `daily.${eventPart(resource)}.${resource}.updated`
}

/** Returns the event type for a complete historical pull of a resource: `historical.data.steps.created`. */
export function historicalCreated(resource: string): string {
  return `historical.${eventPart(resource)}.${resource}.created`
}

function eventPart(resource: string): string {
  return resource === WITHDRAWN_RESOURCE ? 'timeseries' : 'data'
}

/** Returns the resource and the kind of change that a daily or historical event type stands for; undefined for any other type. */
export function resourceEvent(
  type: string,
): { readonly resource: string; readonly change: 'created' | 'updated' | 'historical' } | undefined {
  const [, when, resource, change] =
    /^(daily|historical)\.(?:data|timeseries)\.([a-z0-9_]+)\.(created|updated)$/.exec(type) ?? []
  if (when === undefined || resource === undefined) return undefined
  return { resource, change: when === 'historical' ? 'historical' : change === 'updated' ? 'updated' : 'created' }
}

/** Returns all event types except the withdrawn ones: grouped by resource, followed by the others. */
export function allEventTypes(): readonly string[] {
  return [
    ...EVENT_RESOURCES.flatMap(each => [dailyCreated(each), dailyUpdated(each), historicalCreated(each)]),
    ...OTHER_EVENT_TYPES,
  ]
}

/** Returns the event types at a compatibility date. Before the hypnogram's removal, they include its three events. */
export function eventTypesAt(date: IsoDate): readonly string[] {
  return isServed(DEPRECATIONS.hypnogram_timeseries, date)
    ? [...allEventTypes(), ...WITHDRAWN_EVENT_TYPES]
    : allEventTypes()
}

/** Returns whether events of this type are sent at a compatibility date. */
export function isSentAt(type: string, date: () => IsoDate): boolean {
  return !WITHDRAWN_EVENT_TYPES.includes(type) || isServed(DEPRECATIONS.hypnogram_timeseries, date())
}

/** Returns whether this event type exists. Withdrawn types do not count. */
export function isEventType(type: string): boolean {
  return allEventTypes().includes(type)
}

/** The characters that a pattern may contain: characters of event types, and `*`. */
export const EVENT_PATTERN = /^[a-z0-9_.*]{1,128}$/

/** Returns whether a type matches a pattern. `*` matches any number of characters, including dots. */
export function matchesType(pattern: string, type: string): boolean {
  const parts = pattern.split('*')
  const [first = '', ...others] = parts
  const last = others.at(-1)
  if (last === undefined) return type === pattern
  if (type.length < first.length + last.length || !type.startsWith(first) || !type.endsWith(last)) return false
  let at = first.length
  const end = type.length - last.length
  for (const part of parts.slice(1, -1)) {
    const found = type.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

/** Returns whether a pattern can match any event type, withdrawn ones included. */
export function matchesSomeType(pattern: string): boolean {
  return [...allEventTypes(), ...WITHDRAWN_EVENT_TYPES].some(type => matchesType(pattern, type))
}
