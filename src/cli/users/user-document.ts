/** Reads a JSON document about a person from a file or stdin. Flags override the document's fields. */
import { ServiceError } from '../../core/errors.ts'
import { isObject, tryParseJson } from '../runtime/json-text.ts'
import { readText } from '../runtime/standard-input.ts'

/** The fields of a person, in the service's form. */
export type PersonalFields = Readonly<Record<string, unknown>>

/**
 * Returns the object in FILE, or in stdin for `-`; an empty object if no file is given. Throws a ServiceError `usage` that never contains a
 * value.
 */
export async function readUserDocument(file: string | undefined): Promise<PersonalFields> {
  if (file === undefined) return {}
  const text = await readText(file)
  const where = file === '-' ? 'Stdin' : `The file ${file}`
  // Strip the byte order mark that some editors put in front of UTF-8.
  const found = tryParseJson(text.replace(/^\uFEFF/, ''))
  if (found === undefined) throw new ServiceError('usage', `${where} is not valid JSON.`)
  if (isObject(found)) return found
  throw new ServiceError('usage', `${where} must contain a JSON object.`)
}

/** Returns the document with the fields from flags. Fields of an address are replaced one by one; fields without a flag stay. */
export function mergeFields(document: PersonalFields, flags: PersonalFields): PersonalFields {
  const result: Record<string, unknown> = { ...document }
  for (const [name, value] of Object.entries(flags)) {
    if (value === undefined) continue
    const present = result[name]
    result[name] = isObject(value) && isObject(present) ? mergeFields(present, value) : value
  }
  return result
}
