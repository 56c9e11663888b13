/** Reads the mapped fields of a JSON object as the cells of a row. */
import { type JsonObject, member } from '../json/fields.ts'
import type { ColumnMapping } from './mapping.ts'
import { mayNamePerson, type RowIdentity } from './people.ts'
import type { CellReader } from './rows.ts'

/** Returns a reader of an object's fields. */
export function fieldReader(object: JsonObject, { columns }: ColumnMapping): CellReader {
  return target => {
    const name = columns[target]
    return name === undefined ? '' : fieldText(object, name)
  }
}

/** Returns the text of a field; '' if there is none, null if it is not a text, a number or a list of texts. */
export function fieldText(object: JsonObject, name: string): string | null {
  return toText(fieldAt(object, name))
}

/** Fields of a person's inner object that can identify them: an id, or a reference as in FHIR. */
const INNER = ['id', 'reference'] as const

/** Returns the fields that could identify an object's owner, and their texts: `user_id`, or `user.id`. Mapped fields are excluded. */
export function peopleIn(object: JsonObject, mapped: ReadonlySet<string>): RowIdentity['people'] {
  return Object.keys(object).flatMap((key): RowIdentity['people'] => {
    if (mapped.has(key) || !mayNamePerson(key)) return []
    const inner = INNER.find(name => member(object[key], name) !== undefined)
    const [column, value] = inner === undefined ? [key, object[key]] : [`${key}.${inner}`, member(object[key], inner)]
    return mapped.has(column) ? [] : [[column, toText(value) ?? '']]
  })
}

/** Returns the field with exactly this name, otherwise the one at this path. */
function fieldAt(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  return name.split('.').reduce<unknown>((inside, key) => member(inside, key), object)
}

/** Returns the text of a value. Numbers keep all digits, because String() returns the shortest text for the same number. */
function toText(value: unknown): string | null {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  const isTexts = Array.isArray(value) && value.every(each => typeof each === 'string')
  return isTexts ? value.join(',') : null
}
