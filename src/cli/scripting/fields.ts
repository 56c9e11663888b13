/** `--fields`: keeps the named members of each record. */
import { didYouMean, ServiceError } from '../../core/errors.ts'
import { isObject } from '../runtime/json-text.ts'

/** The names from the root of a record to a member: `user_id`, or `source` and `type`. */
export type FieldPath = readonly string[]

/** Maximum depth of the members that an error lists. */
const LISTED_DEPTH = 2
/** Maximum number of records to search for member names, because records in a list have the same members. */
const SEARCHED_RECORDS = 1000
const MOST_LISTED = 40

/** Splits `a,b.c`. Throws ServiceError `usage` for an empty name. */
export function parseFields(given: string): readonly FieldPath[] {
  const names = given.split(',').map(name => name.trim())
  if (names.some(name => name.split('.').includes(''))) {
    throw new ServiceError('usage', '--fields needs names joined by commas, such as user_id,source.type.')
  }
  return names.map(name => name.split('.'))
}

/**
 * Returns the named members of a record, in the order of the paths. A missing member is null. In a list, every item is reduced to these
 * members.
 */
export function selectMembers(value: unknown, paths: readonly FieldPath[]): unknown {
  if (paths.some(path => path.length === 0)) return value ?? null
  if (Array.isArray(value)) return value.map(each => selectMembers(each, paths))
  if (!isObject(value)) return null
  const byKey = new Map<string, FieldPath[]>()
  for (const path of paths) {
    const length = keyLength(value, path)
    const key = path.slice(0, length).join('.')
    byKey.set(key, [...(byKey.get(key) ?? []), path.slice(length)])
  }
  return Object.fromEntries(
    [...byKey].map(([key, rests]) => [key, selectMembers(Object.hasOwn(value, key) ? value[key] : null, rests)]),
  )
}

/**
 * Throws ServiceError `usage` for a path that none of the records has; the error lists the nearest members and all existing members.
 * `isDocumented` returns whether a record may have the member although none of these records does. If there are no records, every path is
 * accepted.
 */
export async function checkFields(
  paths: readonly FieldPath[],
  records: readonly unknown[],
  isDocumented: (path: FieldPath) => Promise<boolean>,
): Promise<void> {
  const searched = records.slice(0, SEARCHED_RECORDS)
  for (const path of paths) {
    if (records.length === 0 || searched.some(record => leadsTo(record, path)) || (await isDocumented(path))) continue
    const name = path.join('.')
    const known = [...new Set(searched.flatMap(record => namesIn(record, LISTED_DEPTH)))]
    const listed = known.length <= MOST_LISTED ? known : known.filter(each => !each.includes('.'))
    throw new ServiceError('usage', `There is no field "${name}".${didYouMean(name, known)}`, {
      suggestions: [`Fields: ${listed.slice(0, MOST_LISTED).join(', ')}.`],
    })
  }
}

/** Returns the number of path parts that form a member name of the object, because a name may contain dots, as in `sum.steps`. */
function keyLength(value: Readonly<Record<string, unknown>>, path: FieldPath): number {
  for (let length = path.length; length > 1; length--) {
    if (Object.hasOwn(value, path.slice(0, length).join('.'))) return length
  }
  return 1
}

function leadsTo(value: unknown, path: FieldPath): boolean {
  if (path.length === 0) return true
  if (Array.isArray(value)) return value.some(each => leadsTo(each, path))
  if (!isObject(value)) return false
  const length = keyLength(value, path)
  const key = path.slice(0, length).join('.')
  return Object.hasOwn(value, key) && leadsTo(value[key], path.slice(length))
}

function namesIn(value: unknown, depth: number): string[] {
  if (Array.isArray(value)) return value.flatMap(each => namesIn(each, depth))
  if (!isObject(value) || depth === 0) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    key,
    ...namesIn(inner, depth - 1).map(name => `${key}.${name}`),
  ])
}
