/** Reads a JSON object's mapped fields as the cells of a row. */
import { type JsonObject, member } from '../../shared/json-fields.ts'
import type { ColumnMapping } from './mapping.ts'
import { mayNamePerson, type RowIdentity } from './people.ts'
import type { CellReader } from './rows.ts'

/** Returns a reader for an object's fields. */
export function fieldReader(object: JsonObject, { columns }: ColumnMapping): CellReader {
  return target => {
    const name = columns[target]
    return name === undefined ? '' : fieldText(object, name)
  }
}

/** Returns a field's text: '' if there is no such field, and null if it is not a text, a number or a list of texts. */
export function fieldText(object: JsonObject, name: string): string | null {
  return toText(fieldAt(object, name))
}

/** Fields by which a nested object can identify a person: an ID, or a reference as in FHIR. */
const INNER = ['id', 'reference'] as const

/** Returns the fields that could identify an object's owner (`user_id`, `user.id`), and their texts. Excludes mapped fields. */
export function peopleIn(object: JsonObject, mapped: ReadonlySet<string>): RowIdentity['people'] {
  return Object.keys(object).flatMap((key): RowIdentity['people'] => {
    if (mapped.has(key) || !mayNamePerson(key)) return []
    const inner = INNER.find(name => member(object[key], name) !== undefined)
    const [column, value] = inner === undefined ? [key, object[key]] : [`${key}.${inner}`, member(object[key], inner)]
    return mapped.has(column) ? [] : [[column, toText(value) ?? '']]
  })
}

/** Returns the field with exactly this name, otherwise the field at this path. */
function fieldAt(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  return name.split('.').reduce<unknown>((inside, key) => member(inside, key), object)
}

/** Returns a value's text. No digits of a number are lost, because String() returns the shortest text for the same number. */
function toText(value: unknown): string | null {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  const isTexts = Array.isArray(value) && value.every(each => typeof each === 'string')
  return isTexts ? value.join(',') : null
}
