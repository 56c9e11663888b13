/** Converts API names and units to English, for tables, charts and pages. This module imports nothing, because it also runs in browsers. */

/** English wording for parts of names for which spaces are not enough, by their form with spaces. Lists only names that people read. */
const SPELLED: Readonly<Record<string, string>> = {
  // resources
  heartrate: 'heart rate',
  hrv: 'HRV',
  'blood oxygen': 'blood oxygen (SpO2)',
  'vo2 max': 'VO2 max',
  'calories active': 'active calories',
  'calories basal': 'basal calories',
  electrocardiogram: 'ECG',
  'mindfulness minutes': 'mindfulness',
  afib: 'AFib',
  ige: 'IgE',
  igg: 'IgG',
  uv: 'UV',
  'stand hour': 'stand hours',
  'wheelchair push': 'wheelchair pushes',
  'workout swimming stroke': 'swimming strokes in workouts',
  'heart rate recovery one minute': 'one-minute heart rate recovery',
  'forced expiratory volume 1': 'forced expiratory volume (FEV1)',
  'forced vital capacity': 'forced vital capacity (FVC)',
  'body mass index': 'BMI',
  // types of samples, summaries and sources
  'lead 1': 'lead I',
  ldl: 'LDL',
  hdl: 'HDL',
  sdnn: 'SDNN',
  rmssd: 'RMSSD',
  rem: 'REM',
  'rapid acting': 'rapid-acting',
  'long acting': 'long-acting',
  cgm: 'CGM',
  ble: 'BLE',
  // nutrients
  'vitamin a': 'vitamin A',
  'vitamin b1': 'vitamin B1',
  'vitamin b6': 'vitamin B6',
  'vitamin b12': 'vitamin B12',
  'vitamin c': 'vitamin C',
  'vitamin d': 'vitamin D',
  'vitamin e': 'vitamin E',
  'vitamin k': 'vitamin K',
  omega3: 'omega-3',
  omega6: 'omega-6',
  // labs
  'at home': 'at-home',
  'on site': 'on-site',
  'walk in': 'walk-in',
  testkit: 'test kit',
  aoe: 'AOE',
  hipaa: 'HIPAA',
  // people
  mtf: '(MTF)',
  ftm: '(FTM)',
  dont: "don't",
  // errors
  api: 'API',
  mfa: 'MFA',
}

// longest first, so that a phrase comes before its words
const PARTS = Object.keys(SPELLED).sort((a, b) => b.length - a.length)
const PATTERN = new RegExp(`\\b(?:${PARTS.join('|')})\\b`, 'g')

/** Returns an API name for use in a sentence: `token_refresh_failed` becomes "token refresh failed". */
export function readableName(name: string): string {
  return name.replaceAll('_', ' ').replace(PATTERN, part => SPELLED[part] ?? part)
}

/** Returns an API name as a heading: `heartrate` becomes "Heart rate". */
export function formatTitle(name: string): string {
  const text = readableName(name)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Names of import formats whose identifier, written with capitals, is not their name. */
const IMPORTS: Readonly<Record<string, string>> = {
  whoop: 'WHOOP',
  open_mhealth: 'Open mHealth',
  libreview: 'LibreView',
  dexcom: 'Dexcom Clarity',
  svc_export: 'svc user export',
  svc_items: 'NDJSON of samples',
  fit: 'FIT',
  tcx: 'TCX',
  gpx: 'GPX',
  fhir: 'FHIR',
  csv: 'CSV',
  ndjson: 'NDJSON',
}

/** Returns the name of an import format: `apple_health` becomes "Apple Health". */
export function importName(format: string): string {
  return IMPORTS[format] ?? format.split('_').map(formatTitle).join(' ')
}

/** Units that people write differently; empty if the name already says what is counted. */
const UNITS: Readonly<Record<string, string>> = {
  count: '',
  index: '',
  stage: '',
  text: '',
  rmssd: 'ms',
  unit: 'units',
  ml: 'mL',
}

/** Returns an API unit as it is written after a number; empty if the number has no unit. */
export function unitText(unit: string): string {
  return UNITS[unit] ?? unit
}

const GROUP_KEY = /^group_key\.(\d+)$/

/**
 * Returns the heading of a result column: "week" for `group_key.0` if the query groups by week, and any other name unchanged. `query` is
 * the query as JSON. Without it, or if it has no such group, the name stays unchanged.
 */
export function resultHeading(name: string, query: unknown): string {
  const index = GROUP_KEY.exec(name)?.[1]
  if (index === undefined) return name
  const groups = fields(query)['group_by']
  return (Array.isArray(groups) ? groupText(fields(groups[Number(index)])) : null) ?? name
}

function groupText(group: Readonly<Record<string, unknown>>): string | null {
  const { date_trunc: period, date_part: part, version: _version, arg: _arg, ...named } = group
  if (typeof part === 'string') return readableName(part)
  if (period !== undefined) {
    const { unit, value = 1 } = fields(period)
    return typeof unit !== 'string' ? null : value === 1 ? unit : `${value} ${unit}s`
  }
  const { timeseries: resource, field, ...column } = named
  const text = field === undefined || field === 'value' ? (resource ?? Object.values(column)[0]) : field
  return typeof text === 'string' ? readableName(text) : null
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  // anything else has no fields
  return (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>
}
