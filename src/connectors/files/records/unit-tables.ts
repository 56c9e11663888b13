/** Record units by measured quantity: UCUM codes and common spellings. */
import type { Conversion } from './conversion.ts'

/** Factors to the resource's unit, by spelling, or a `Conversion` if a factor is not enough. */
export type UnitTable = Readonly<Record<string, number | Conversion>>

/** Returns a table with the same factor for several spellings. */
function spelt(factor: number | Conversion, spellings: string): UnitTable {
  return Object.fromEntries(spellings.split('|').map(spelling => [spelling, factor]))
}

function scaled(table: UnitTable, by: number): UnitTable {
  return Object.fromEntries(Object.entries(table).map(([unit, factor]) => [unit, (factor as number) * by]))
}

const METRES: UnitTable = {
  ...spelt(1, 'm|meter|meters|metre|metres'),
  ...spelt(1000, 'km|kms|kilometer|kilometers|kilometre|kilometres'),
  ...spelt(0.01, 'cm|centimeter|centimeters|centimetre|centimetres'),
  ...spelt(0.001, 'mm|millimeter|millimeters|millimetre|millimetres'),
  ...spelt(1609.344, 'mi|mile|miles|[mi_i]'),
  ...spelt(0.9144, 'yd|yard|yards|[yd_i]'),
  ...spelt(0.3048, 'ft|foot|feet|[ft_i]'),
  ...spelt(0.0254, 'in|inch|inches|[in_i]'),
}

const KILOGRAMS: UnitTable = {
  ...spelt(1, 'kg|kgs|kilo|kilos|kilogram|kilograms'),
  ...spelt(1e-3, 'g|gm|gms|gram|grams|gramme|grammes'),
  ...spelt(1e-6, 'mg|milligram|milligrams'),
  ...spelt(1e-9, 'ug|mcg|microgram|micrograms'),
  ...spelt(0.453_592_37, 'lb|lbs|pound|pounds|[lb_av]'),
  ...spelt(0.028_349_523_125, 'oz|ounce|ounces|[oz_av]'),
  ...spelt(6.350_293_18, 'st|stone|stones|[stone_av]'),
}

/** Volumes. Fluid ounces, cups and pints differ between the US and Britain, so only spellings that include the country are accepted. */
const LITRES: UnitTable = {
  ...spelt(1, 'L|l|ltr|ltrs|liter|liters|litre|litres'),
  ...spelt(0.1, 'dL|dl|deciliter|decilitre'),
  ...spelt(0.01, 'cL|cl|centiliter|centilitre'),
  ...spelt(1e-3, 'mL|ml|mls|milliliter|milliliters|millilitre|millilitres|cc'),
  ...spelt(0.029_573_529_562_5, 'fl_oz_us|[foz_us]'),
  ...spelt(0.028_413_062_5, 'fl_oz_imp|[foz_br]'),
  ...spelt(0.236_588_236_5, 'cup_us|[cup_us]'),
  ...spelt(0.284_130_625, 'cup_imp'),
  ...spelt(0.473_176_473, 'pt_us|[pt_us]'),
  ...spelt(0.568_261_25, 'pt_imp|[pt_br]'),
}

const SECONDS: UnitTable = {
  ...spelt(1, 's|sec|secs|second|seconds'),
  ...spelt(60, 'min|mins|minute|minutes'),
  ...spelt(3600, 'h|hr|hrs|hour|hours'),
  ...spelt(86_400, 'd|day|days'),
  ...spelt(1e-3, 'ms|msec|millisecond|milliseconds'),
}

/** Energy. `Cal` is the large calorie, and `cal` is the small one. `calories` can mean either and is not accepted. */
export const ENERGY: UnitTable = {
  ...spelt(1, 'kcal|kcals|kilocalorie|kilocalories|Cal|[Cal]|kcal_th'),
  ...spelt(1e-3, 'cal|cal_th'),
  ...spelt(1 / 4.184, 'kJ|kilojoule|kilojoules'),
  ...spelt(1 / 4184, 'J|joule|joules'),
}

export const PER_MINUTE: UnitTable = {
  ...spelt(1, 'bpm|/min|1/min|min-1|count/min|count/minute|counts/min|counts/minute'),
  ...spelt(60, 'Hz|/s|1/s|s-1|count/s'),
}
export const HEART_RATE: UnitTable = { ...PER_MINUTE, ...spelt(1, 'beats/min|beats/minute|beat/min|b/min|beats') }
export const BREATHS: UnitTable = {
  ...PER_MINUTE,
  ...spelt(
    1,
    'breaths/min|breaths/minute|breath/min|brpm|br/min|breaths|rpm|resp/min|respirations/min|respirations/minute',
  ),
}

/** Proportions: either a percentage or, with the unit one, a number from 0 to 1. */
export const PERCENT: UnitTable = {
  ...spelt(1, '%|percent|per cent|percentage|pct'),
  ...spelt(100, '1|fraction|ratio'),
}

const IN_CELSIUS = 'Cel|degC|°C|℃|C|c|celsius|deg C|degree C|degrees C|degree celsius|degrees celsius'
const IN_FAHRENHEIT = '[degF]|degF|°F|℉|F|f|fahrenheit|deg F|degree F|degrees F|degree fahrenheit|degrees fahrenheit'
export const CELSIUS: UnitTable = {
  ...spelt(1, IN_CELSIUS),
  ...spelt({ factor: 5 / 9, plus: -160 / 9 }, IN_FAHRENHEIT),
  ...spelt({ factor: 1, plus: -273.15 }, 'K|kelvin'),
}
/** Temperature differences, which are converted without an offset. */
export const DEGREES: UnitTable = { ...spelt(1, `${IN_CELSIUS}|K|kelvin`), ...spelt(5 / 9, IN_FAHRENHEIT) }

export const PRESSURE: UnitTable = {
  ...spelt(1, 'mmHg|mm[Hg]|mm Hg|mm/Hg|mm-Hg|torr'),
  ...spelt(7.500_616_827, 'kPa'),
  ...spelt(0.007_500_616_827, 'Pa'),
}

/** Returns a table for amounts of substance in blood; `molarMass` is mg/dL per mmol/L. */
export function millimoles(molarMass: number): UnitTable {
  return {
    ...MOLAR,
    ...spelt(1 / molarMass, 'mg/dL|mg/dl|mg·dL-1|mg%|mg/100mL|mg/100 mL|milligrams/deciliter|milligrams/decilitre'),
    ...spelt(0.1 / molarMass, 'mg/L|mg/l|ug/mL'),
    ...spelt(100 / molarMass, 'g/L|g/l'),
  }
}
export const MOLAR: UnitTable = spelt(1, 'mmol/L|mmol/l|mmol·L-1|mM|millimoles/liter|millimoles/litre')
export const CHOLESTEROL_MG_DL = 38.67
export const TRIGLYCERIDES_MG_DL = 88.57

/** Spellings of a product of two units in the denominator: `mL/(kg·min)`, `mL/kg/min`, `mL kg-1 min-1`. */
const VO2_SPELLINGS = [
  ['kg', 'min'],
  ['min', 'kg'],
].flatMap(([a, b]) => [
  `mL/${a}/${b}`,
  ...['·', '*', '.', ' '].flatMap(dot => [`mL/(${a}${dot}${b})`, `mL/${a}${dot}${b}`, `mL${dot}${a}-1${dot}${b}-1`]),
])
export const VO2: UnitTable = spelt(1, [...VO2_SPELLINGS, 'mL/kg/minute'].join('|'))
export const FLOW: UnitTable = {
  ...spelt(1, 'L/min|l/min|L·min-1|lpm|liters/min|litres/min|liters/minute|litres/minute'),
  ...spelt(60, 'L/s|l/s'),
  ...spelt(1e-3, 'mL/min|ml/min'),
}
export const VOLTAGE: UnitTable = { ...spelt(1, 'mV'), ...spelt(1e-3, 'uV'), ...spelt(1000, 'V') }
export const INDEX: UnitTable = spelt(1, 'index|1|count|UV index|UVI')
export const BODY_MASS_INDEX: UnitTable = {
  ...spelt(1, 'index|1|count'),
  ...spelt(1, 'kg/m2|kg.m-2|kg·m-2|kg/sqm|BMI'),
}
export const INSULIN: UnitTable = spelt(1, 'unit|units|U|u|IU|I.U|IE|[iU]|[IU]')
export const SCORE: UnitTable = spelt(1, '%|score|points')
export const VARIABILITY: UnitTable = { ...scaled(SECONDS, 1000), rmssd: 1 }

/** Returns a table for counts, with words for the things counted. */
export function counted(words = ''): UnitTable {
  return spelt(1, `count|counts|1|#|times${words === '' ? '' : `|${words}`}`)
}

export const LENGTH_M = METRES
export const LENGTH_CM = scaled(METRES, 100)
export const MASS_KG = KILOGRAMS
export const MASS_G = scaled(KILOGRAMS, 1000)
export const VOLUME_L = LITRES
export const VOLUME_ML = scaled(LITRES, 1000)
export const TIME_MIN = scaled(SECONDS, 1 / 60)
export const TIME_S = SECONDS
