/** The units that an export uses, and how each is converted to the unit of a resource. */
import type { Conversion } from '../records/conversion.ts'

export { type Conversion, convert } from '../records/conversion.ts'

/** Keyed by the unit as the export writes it. */
export type Units = ReadonlyMap<string, Conversion>

function units(factors: Readonly<Record<string, number | Conversion>>): Units {
  return new Map(
    Object.entries(factors).map(([unit, factor]) => [unit, typeof factor === 'number' ? { factor, plus: 0 } : factor]),
  )
}

const KILOGRAM = { kg: 1, g: 1e-3, mg: 1e-6, lb: 0.453_592_37, oz: 0.028_349_523_125, st: 6.350_293_18 }
const METRE = { m: 1, km: 1000, cm: 0.01, mm: 0.001, mi: 1609.344, yd: 0.9144, ft: 0.3048, in: 0.0254 }
const LITRE = {
  L: 1,
  l: 1,
  dL: 0.1,
  mL: 1e-3,
  ml: 1e-3,
  fl_oz_us: 0.029_573_529_562_5,
  fl_oz_imp: 0.028_413_062_5,
  cup_us: 0.236_588_236_5,
  cup_imp: 0.284_130_625,
  pt_us: 0.473_176_473,
  pt_imp: 0.568_261_25,
}
/** Glucose: mg/dL per mmol/L. */
const GLUCOSE_MG_DL = 18.0156

const scaled = (factors: Readonly<Record<string, number>>, by: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(factors).map(([unit, factor]) => [unit, factor * by]))

export const COUNT = units({ count: 1 })
export const METRES = units(METRE)
export const CENTIMETRES = units(scaled(METRE, 100))
export const KILOGRAMS = units(KILOGRAM)
export const GRAMS = units({ ...scaled(KILOGRAM, 1000), mcg: 1e-6 })
export const LITRES = units(LITRE)
export const MILLILITRES = units(scaled(LITRE, 1000))
/** `Cal` is the large calorie, `cal` the small one. */
export const KILOCALORIES = units({ kcal: 1, Cal: 1, cal: 1e-3, kJ: 1 / 4.184, J: 1 / 4184 })
export const MINUTES = units({ min: 1, s: 1 / 60, hr: 60, d: 1440, ms: 1 / 60_000 })
export const SECONDS = units({ s: 1, min: 60, hr: 3600, d: 86_400, ms: 1e-3 })
export const MILLISECONDS = units({ ms: 1, s: 1000 })
export const PER_MINUTE = units({ 'count/min': 1, 'count/s': 60, bpm: 1, Hz: 60 })
/** An export writes a fraction from 0 to 1 with the unit %. */
export const PERCENT = units({ '%': 100 })
export const CELSIUS = units({
  degC: 1,
  degF: { factor: 5 / 9, plus: -160 / 9 },
  K: { factor: 1, plus: -273.15 },
})
/** Amounts of substance include their molar mass, `mmol<180.15588>/L`; it is removed before the unit is looked up. */
export const MILLIMOLES = units({
  'mmol/L': 1,
  'mg/dL': 1 / GLUCOSE_MG_DL,
  'mg/L': 0.1 / GLUCOSE_MG_DL,
  'g/L': 100 / GLUCOSE_MG_DL,
})
export const MM_HG = units({ mmHg: 1, kPa: 7.500_616_827, Pa: 0.007_500_616_827, inHg: 25.4 })
export const ML_PER_MIN_KG = units({ 'mL/min·kg': 1, 'mL/(kg*min)': 1, 'mL/kg·min': 1, 'mL/kg/min': 1 })
export const LITRES_PER_MINUTE = units({ 'L/min': 1, 'mL/min': 1e-3, 'L/s': 60 })

/** Returns the conversion of a unit as the file writes it, or undefined. */
export function conversionOf(known: Units, unit: string): Conversion | undefined {
  return known.get(unit) ?? (unit.includes('<') ? known.get(unit.replace(/<[^>]*>/g, '')) : undefined)
}
