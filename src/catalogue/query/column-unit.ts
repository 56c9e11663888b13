/** Finds the unit of a column's values. */
import type { QueryColumn } from './column.ts'

/** Units at the end of names. */
const BY_NAME: readonly (readonly [ending: string, unit: string])[] = [
  ['_second', 's'],
  ['_meter', 'm'],
  ['_kilogram', 'kg'],
  ['_centimeter', 'cm'],
  ['_percentage', '%'],
]
/** Units that follow a comma in a column's meaning. */
const IN_MEANING = ['bpm', 'ms', '%', '°C', 'kcal', 'm/s', 'W', 'g', 'mg', 'µg', 'ml', 'kg', 'kJ', 'm', 's']

/** Returns the unit of a numeric column, or null if it has none, such as a score. */
export function columnUnit({ name, type, meaning }: Pick<QueryColumn, 'name' | 'type' | 'meaning'>): string | null {
  if (type !== 'float' && type !== 'int') return null
  const byName = BY_NAME.find(([ending]) => name.endsWith(ending))
  if (byName) return byName[1]
  if (meaning.startsWith('Seconds')) return 's'
  if (meaning === 'Breaths per minute') return '/min'
  const parts = meaning.split(', ').slice(1)
  return parts.find(part => IN_MEANING.includes(part)) ?? null
}
