/** Converts a record's unit to its resource's unit. An unknown unit is never guessed. */

import { resourceNamed } from '../../../catalogue/resources.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { GLUCOSE_MG_DL } from '../../shared/glucose.ts'
import { type Conversion, convert } from './conversion.ts'
import * as table from './unit-tables.ts'

const STEPS = table.counted('steps|step')
const FLOORS = table.counted('floors|floor|flights|flight')
const EVENTS = table.counted('events|event')

/** Unit tables by resource. Unlisted resources support only their own unit. */
const TABLES: Readonly<Record<string, table.UnitTable>> = {
  steps: STEPS,
  distance: table.LENGTH_M,
  calories_active: table.ENERGY,
  calories_basal: table.ENERGY,
  floors_climbed: FLOORS,
  workout_duration: table.TIME_MIN,
  fall: table.counted('falls|fall'),
  wheelchair_push: table.counted('pushes|push'),
  stand_duration: table.TIME_MIN,
  stand_hour: table.counted('hours|hour|hr|h'),
  heartrate: table.HEART_RATE,
  hrv: table.VARIABILITY,
  respiratory_rate: table.BREATHS,
  blood_oxygen: table.PERCENT,
  blood_pressure: table.PRESSURE,
  glucose: table.millimoles(GLUCOSE_MG_DL),
  electrocardiogram_voltage: table.VOLTAGE,
  stress_level: table.SCORE,
  body_weight: table.MASS_KG,
  body_fat: table.PERCENT,
  cholesterol: table.MOLAR,
  vo2_max: table.VO2,
  body_temperature: table.CELSIUS,
  body_temperature_delta: table.DEGREES,
  basal_body_temperature: table.CELSIUS,
  body_mass_index: table.BODY_MASS_INDEX,
  uv_exposure: table.INDEX,
  lean_body_mass: table.MASS_KG,
  waist_circumference: table.LENGTH_CM,
  insulin_injection: table.INSULIN,
  afib_burden: table.PERCENT,
  heart_rate_alert: EVENTS,
  heart_rate_recovery_one_minute: { ...table.counted(), ...table.HEART_RATE },
  forced_expiratory_volume_1: table.VOLUME_L,
  forced_vital_capacity: table.VOLUME_L,
  peak_expiratory_flow_rate: table.FLOW,
  inhaler_usage: table.counted('puffs|puff|uses'),
  handwashing: EVENTS,
  sleep_apnea_alert: EVENTS,
  sleep_breathing_disturbance: table.counted('disturbances|events'),
  daylight_exposure: table.TIME_MIN,
  mindfulness_minutes: table.TIME_MIN,
  carbohydrates: table.MASS_G,
  caffeine: table.MASS_G,
  water: table.VOLUME_ML,
  workout_distance: table.LENGTH_M,
  workout_swimming_stroke: table.counted('strokes|stroke'),
}

/** Unit tables by cholesterol type, because milligrams can be converted to moles only if the substance is known. */
const CHOLESTEROL: ReadonlyMap<string, table.UnitTable> = new Map([
  ['total', table.millimoles(table.CHOLESTEROL_MG_DL)],
  ['ldl', table.millimoles(table.CHOLESTEROL_MG_DL)],
  ['hdl', table.millimoles(table.CHOLESTEROL_MG_DL)],
  ['triglycerides', table.millimoles(table.TRIGLYCERIDES_MG_DL)],
])

/** A table prepared for lookup: exact spellings, and lower-case spellings if they are unambiguous. */
interface Spellings {
  readonly exact: ReadonlyMap<string, Conversion>
  readonly folded: ReadonlyMap<string, Conversion>
}

/** Global, because it is derived from constant tables. */
const spellings = new Map<table.UnitTable, Spellings>()
const LONGEST_UNIT = 64
/** Plain characters for superscripts. */
const RAISED: Readonly<Record<string, string>> = { '^': '', '⁻': '-', '¹': '1', '²': '2', '³': '3' }

/**
 * Returns a function that converts a value in `unit` to the resource's unit, or null if the resource does not support the unit; the record
 * is then skipped. Accepts UCUM codes (annotations as in `{beats}/min` are ignored) and common spellings, in upper or lower case if that is
 * unambiguous. A converted value is rounded to 6 decimals; a value that needs no conversion stays unchanged. `type` is the resource's
 * discriminating type, which is needed to convert mg/dL of cholesterol.
 */
export function conversionFor(
  resource: string,
  unit: string,
  type: string | null = null,
): ((value: number) => number) | null {
  const known = resourceNamed(resource)
  if (known === undefined || unit.length > LONGEST_UNIT) return null
  if (unit === known.unit) return value => value
  const units = (resource === 'cholesterol' && type !== null ? CHOLESTEROL.get(type) : undefined) ?? TABLES[resource]
  const conversion =
    units &&
    find(
      getOrInsert(spellings, units, () => built(units)),
      unit,
    )
  return conversion ? value => convert(value, conversion) : null
}

/** Matches text that looks like a unit. Longer text, and text with spaces, may come from a column with other content. */
const UNIT_FORM = /^(?=.*\p{L})[\p{L}\p{N}%°[\]{}()/.*^⁻-]{1,12}$/u

/** Returns the reason for skipping a record whose unit `conversionFor` refuses. Contains the unit only if it looks like one. */
export function unsupportedUnit(unit: string | undefined): string {
  const name = unit?.trim() ?? ''
  return `has ${UNIT_FORM.test(name) ? `the unit ${name}, which` : 'a unit that'} its resource does not support`
}

function find({ exact, folded }: Spellings, unit: string): Conversion | undefined {
  const plain = normalized(unit)
  return exact.get(plain) ?? (plain.length > 1 ? folded.get(plain.toLowerCase()) : undefined)
}

/**
 * Normalizes a unit that has several spellings: `{beats}/min`, `beats per minute`, `µg`, `mmol<180.16>/L`, `min⁻¹`, `kg/m^2`, `º C`,
 * `lbs.`.
 */
function normalized(unit: string): string {
  const text = unit
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[µμ]/g, 'u')
    .replaceAll(/[º˚°] ?/g, '°')
    .replaceAll(/ ?[⋅∙•·] ?/g, '·')
    .replaceAll(/[\^⁻¹²³]/g, mark => RAISED[mark] ?? mark)
    .replace('％', '%')
    .replaceAll(/ ?\/ ?|[ _]per[ _]/gi, '/')
    .replaceAll(/<[^>]*>/g, '')
    .replace(/(?<=[a-z])\.$/i, '')
  const bare = text.replaceAll(/\{[^{}]*\}/g, '')
  // an annotation on its own names the things counted: `{steps}`
  return bare === '' ? text.replaceAll(/[{}]/g, '') : bare
}

function built(units: table.UnitTable): Spellings {
  const exact = new Map<string, Conversion>()
  const folded = new Map<string, Conversion | undefined>()
  for (const [spelling, given] of Object.entries(units)) {
    const conversion = typeof given === 'number' ? { factor: given, plus: 0 } : given
    exact.set(spelling, conversion)
    const small = spelling.toLowerCase()
    const other = folded.get(small)
    // `Cal` and `cal` are different units, so `CAL` could be either
    folded.set(small, folded.has(small) && other?.factor !== conversion.factor ? undefined : conversion)
  }
  return {
    exact,
    folded: new Map([...folded].filter((entry): entry is [string, Conversion] => entry[1] !== undefined)),
  }
}
