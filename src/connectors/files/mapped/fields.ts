/** Reads the fields of a JSON object that a mapping names, as the cells of a row. */
import { asObject, type JsonObject, member } from '../json/fields.ts'
import type { ColumnMapping } from './mapping.ts'
import type { CellReader } from './rows.ts'

/** Returns a reader of an object's fields; undefined when the value is not an object. */
export function fieldReader(value: unknown, { columns }: ColumnMapping): CellReader | undefined {
  const object = asObject(value)
  if (object === undefined) return undefined
  return target => {
    const name = columns[target]
    return name === undefined ? '' : textOf(fieldOf(object, name))
  }
}

/** Returns the field with exactly this name, otherwise the one at this path. */
function fieldOf(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  return name.split('.').reduce<unknown>((inside, key) => member(inside, key), object)
}

/** Returns the text of a value. Numbers keep every digit: String() gives the shortest text for the same number. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  const isTexts = Array.isArray(value) && value.every(each => typeof each === 'string')
  return isTexts ? value.join(',') : null
}
