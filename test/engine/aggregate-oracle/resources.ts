/** The timeseries resources in the oracle's data, and the fields of each. See docs/interface/aggregates.md. */
import type { Kind, PlainSample } from './data.ts'

export interface Resource {
  /** The name in a query. */
  readonly name: string
  /** The name in the REST path. */
  readonly path: string
  /** Whether a sample has a duration. */
  readonly interval: boolean
  readonly shape: 'value' | 'blood_pressure' | 'text'
  /** Whether `type` is part of a sample's key. */
  readonly typed: boolean
  /** Text fields in addition to `type`. */
  readonly texts: readonly string[]
}

const resource = (name: string, interval: boolean, more: Partial<Resource> = {}): Resource => ({
  name,
  path: name,
  interval,
  shape: 'value',
  typed: false,
  texts: [],
  ...more,
})

export const RESOURCES: readonly Resource[] = [
  resource('heartrate', false),
  resource('steps', true),
  resource('glucose', false),
  resource('hrv', false),
  resource('blood_pressure', false, { shape: 'blood_pressure' }),
  resource('weight', false, { path: 'body_weight' }),
  resource('cholesterol', false, { typed: true }),
  resource('body_temperature', true, { texts: ['sensor_location'] }),
  resource('workout_duration', true, { texts: ['intensity'] }),
  resource('insulin_injection', true, { typed: true, texts: ['delivery_mode', 'delivery_form', 'bolus_purpose'] }),
  resource('note', true, { shape: 'text', typed: true }),
]

/** The source columns and the text field in which a sample keeps each; null: part of its series. */
export const SOURCE_FIELDS: Readonly<Record<string, string | null>> = {
  source_provider: null,
  source_type: null,
  source_app_id: 'app_id',
  source_workout_id: 'workout_id',
  source_sport: 'sport',
}

export function resourceNamed(name: string): Resource {
  const found = RESOURCES.find(each => each.name === name || each.path === name)
  if (!found) throw new Error(`the oracle knows no resource ${name}`)
  return found
}

/** The kind of a sample by its texts, for resources that have kinds. See docs/interface/kinds.md#kinds-1. */
export const KIND_OF: Readonly<Record<string, (text: Readonly<Record<string, string>>) => string>> = {
  hrv: text => (text['type'] === 'sdnn' ? 'sdnn' : 'rmssd'),
  heartrate: text => (text['type'] === 'resting' ? 'resting' : 'point'),
  body_temperature: text => {
    const isSkin = text['type'] === 'skin' || ['wrist', 'finger'].includes(text['sensor_location'] ?? '')
    return isSkin ? 'skin' : 'core'
  },
}

/** Returns what tells the samples of one source at one time apart: app, device, and the kind that the sample itself shows. */
export function originOf({ resource, text }: PlainSample): readonly [app: string, device: string, kind: string] {
  const kind = KIND_OF[resource]?.(text) ?? ''
  return [text['app_id'] ?? '', text['device_id'] ?? '', kind === KIND_OF[resource]?.({}) ? '' : kind]
}

/** The plausible values of each resource, by kind if they differ. See docs/interface/plausibility.md. */
const LIMITS: Readonly<Record<string, (kind: string) => readonly [low: number, high: number]>> = {
  heartrate: () => [1, 300],
  steps: () => [0, 1_000_000],
  glucose: () => [0, 50],
  hrv: kind => [1, kind === 'sdnn' ? 400 : 200],
  blood_pressure: () => [1, 300],
  body_weight: () => [0, 1000],
  cholesterol: () => [0, 100],
  body_temperature: kind => (kind === 'skin' ? [0, 100] : [10, 50]),
  workout_duration: () => [0, 1_000_000],
  insulin_injection: () => [0, 1000],
}

/** Returns whether one of a sample's values is outside its limits, or undefined if its resource has none. */
export function isImplausible({ resource, value, second, text }: PlainSample): boolean | undefined {
  const range = LIMITS[resource]?.(KIND_OF[resource]?.(text) ?? '')
  return range && [value, second].some(each => each !== null && (each < range[0] || each > range[1]))
}

/** Returns the scalar fields of a resource. */
export function resourceFields(resource: Resource): Readonly<Record<string, Kind>> {
  const own: Record<string, Kind> = {}
  if (resource.shape === 'value') own['value'] = 'float'
  if (resource.shape === 'value' && resource.interval) own['duration'] = 'float'
  if (resource.shape === 'blood_pressure') [own['systolic'], own['diastolic']] = ['float', 'float']
  if (resource.shape === 'text') own['content'] = 'text'
  for (const name of ['type', ...resource.texts, ...Object.keys(SOURCE_FIELDS)]) own[name] = 'text'
  if (resource.path in KIND_OF) own['kind'] = 'text'
  if (resource.path in LIMITS) own['implausible'] = 'bool'
  own['timezone_offset'] = 'int'
  return own
}

/** Returns the name of a column: the name of the resource for its value, otherwise resource and field. */
export function columnName(resource: Resource, field: string): string {
  return field === 'value' ? resource.name : `${resource.name}.${field}`
}
