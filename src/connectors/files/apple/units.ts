/** The units in exports, and their conversion to the resources' units. */
import { GLUCOSE_MG_DL } from '../../shared/glucose.ts'
import type { Conversion } from '../records/conversion.ts'
import * as table from '../records/unit-tables.ts'

export { type Conversion, convert } from '../records/conversion.ts'

/** Conversions by the unit as written in the export. */
export type Units = ReadonlyMap<string, Conversion>

/** Returns a table's units that exports use. */
function units(known: table.UnitTable, spellings: string): Units {
  return new Map(spellings.split(' ').map(unit => [unit, conversion(known[unit] as number | Conversion)]))
}

function conversion(factor: number | Conversion): Conversion {
  return typeof factor === 'number' ? { factor, plus: 0 } : factor
}

const MASSES = 'kg g mg lb oz st'
const LENGTHS = 'm km cm mm mi yd ft in'
const VOLUMES = 'L l dL mL ml fl_oz_us fl_oz_imp cup_us cup_imp pt_us pt_imp'

export const COUNT = units(table.counted(), 'count')
export const METRES = units(table.LENGTH_M, LENGTHS)
export const CENTIMETRES = units(table.LENGTH_CM, LENGTHS)
export const KILOGRAMS = units(table.MASS_KG, MASSES)
export const GRAMS = units(table.MASS_G, `${MASSES} mcg`)
export const LITRES = units(table.VOLUME_L, VOLUMES)
export const MILLILITRES = units(table.VOLUME_ML, VOLUMES)
export const KILOCALORIES = units(table.ENERGY, 'kcal Cal cal kJ J')
export const MINUTES = units(table.TIME_MIN, 'min s hr d ms')
export const SECONDS = units(table.TIME_S, 's min hr d ms')
export const MILLISECONDS = units(table.VARIABILITY, 'ms s')
export const PER_MINUTE = units(table.PER_MINUTE, 'count/min count/s bpm Hz')
/** Percentages, which exports write as fractions from 0 to 1 with the unit %. */
export const PERCENT: Units = new Map([['%', conversion(100)]])
export const CELSIUS = units(table.CELSIUS, 'degC degF K')
/** Amounts of substance include their molar mass, `mmol<180.15588>/L`; the molar mass is removed before the unit is looked up. */
export const MILLIMOLES = units(table.millimoles(GLUCOSE_MG_DL), 'mmol/L mg/dL mg/L g/L')
export const MM_HG: Units = new Map([...units(table.PRESSURE, 'mmHg kPa Pa'), ['inHg', conversion(25.4)]])
export const ML_PER_MIN_KG = units(table.VO2, 'mL/min·kg mL/(kg*min) mL/kg·min mL/kg/min')
export const LITRES_PER_MINUTE = units(table.FLOW, 'L/min mL/min L/s')

/** Returns the conversion for a unit as written in the file, or undefined. */
export function findConversion(known: Units, unit: string): Conversion | undefined {
  return known.get(unit) ?? (unit.includes('<') ? known.get(unit.replace(/<[^>]*>/g, '')) : undefined)
}
