/** Finds a LibreView export's columns: by name in English, or by position in any other language. */
import { conversionFor } from '../records/units.ts'

/** English column names in column order, which is the same in every language. */
const ENGLISH = [
  [null, /^device$/],
  ['serial', /^serial number$/],
  ['time', /^device timestamp$/],
  ['type', /^record type$/],
  ['historic', /^historic glucose\b/],
  ['scan', /^scan glucose\b/],
  ['rapidWords', /^non-numeric rapid-acting insulin/],
  ['rapid', /^rapid-acting insulin/],
  ['foodWords', /^non-numeric food/],
  ['carbs', /^carbohydrates \(grams\)/],
  ['servings', /^carbohydrates \(servings\)/],
  ['longWords', /^non-numeric long-acting insulin/],
  ['long', /^long-acting insulin/],
  ['notes', /^notes$/],
  ['strip', /^strip glucose\b/],
  [null, /^ketone\b/],
  ['meal', /^meal insulin/],
  ['correction', /^correction insulin/],
  ['change', /^user change insulin/],
] as const

/** Position of each column; -1 if the header lacks it. */
type ColumnIndexes = Record<NonNullable<(typeof ENGLISH)[number][0]>, number>

export interface LibreColumns extends Readonly<ColumnIndexes> {
  /** Conversion for the values of all glucose columns. */
  readonly toMmol: (value: number) => number
}

const HISTORIC_COLUMN = 4
const SCAN_COLUMN = 5
const STRIP_COLUMN = 14
/** Matches the unit at the end of the column name: `Glukosewert-Verlauf mg/dL`. */
const UNIT = /(mg\/dL|mmol\/L)\)?$/i

/** Returns a header's columns, or undefined if the cells are not a header. */
export function libreColumns(cells: readonly string[]): LibreColumns | undefined {
  const names = cells.map(cell => cell.trim())
  return byName(names) ?? byPosition(names)
}

function byName(names: readonly string[]): LibreColumns | undefined {
  const small = names.map(name => name.toLowerCase())
  const indexes = ENGLISH.flatMap(([key, pattern]) => (key ? [[key, small.findIndex(name => pattern.test(name))]] : []))
  const columns = Object.fromEntries(indexes) as ColumnIndexes
  if (columns.time === -1 || columns.type === -1 || columns.historic === -1) return undefined
  return withUnit(columns, names)
}

/** Finds the columns by position: two adjacent glucose columns in the expected positions, which occur in no other table. */
function byPosition(names: readonly string[]): LibreColumns | undefined {
  const isGlucose = (index: number): boolean => UNIT.test(names[index] ?? '')
  if (!isGlucose(HISTORIC_COLUMN) || !isGlucose(SCAN_COLUMN)) return undefined
  if (names.length > STRIP_COLUMN && !isGlucose(STRIP_COLUMN)) return undefined
  const indexes = ENGLISH.flatMap(([key], index) => (key ? [[key, index < names.length ? index : -1]] : []))
  return withUnit(Object.fromEntries(indexes) as ColumnIndexes, names)
}

function withUnit(columns: ColumnIndexes, names: readonly string[]): LibreColumns | undefined {
  const unit = UNIT.exec(names[columns.historic] ?? '')?.[1]
  const toMmol = unit === undefined ? null : conversionFor('glucose', unit)
  return toMmol === null ? undefined : { ...columns, toMmol }
}
