/**
 * Text that survives storing and reading unchanged. A lone surrogate has no UTF-8 encoding: each one becomes the same replacement
 * character, so two different names could become equal.
 */

/** Messages about text with a lone surrogate, as a value and as a field name. */
export const LONE_SURROGATE = 'must be valid Unicode text, without lone surrogates'
export const LONE_SURROGATE_NAME = 'must not have a field whose name contains a lone surrogate'
/** Type of these issues in a 422 body. */
export const LONE_SURROGATE_TYPE = 'string_unicode'

export interface LoneSurrogate {
  /** Path to the text, or to the object with the field name. */
  readonly path: readonly (string | number)[]
  readonly msg: string
}

interface ValuePosition {
  readonly value: object
  readonly key: string | number
  readonly above: ValuePosition | null
}

/**
 * Returns the position of the first lone surrogate in a JSON value, or null. Does not recurse, because a body's depth is limited only by
 * its length.
 */
export function findLoneSurrogate(value: unknown): LoneSurrogate | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : { path: [], msg: LONE_SURROGATE }
  if (typeof value !== 'object' || value === null) return null
  if (!Array.isArray(value) && isFlatAndWhole(value)) return null
  const waiting: ValuePosition[] = [{ value, key: '', above: null }]
  for (let position = waiting.pop(); position !== undefined; position = waiting.pop()) {
    const { value: holder } = position
    const found = Array.isArray(holder) ? inList(holder, position, waiting) : inFields(holder, position, waiting)
    if (found !== null) return found
  }
  return null
}

/** Fast path, which handles nearly every item of a push without allocating memory. */
function isFlatAndWhole(fields: object): boolean {
  for (const name in fields) {
    const item: unknown = fields[name as keyof typeof fields]
    if (typeof item === 'string' ? !item.isWellFormed() : typeof item === 'object' && item !== null) return false
    if (!name.isWellFormed()) return false
  }
  return true
}

function inList(list: readonly unknown[], position: ValuePosition, waiting: ValuePosition[]): LoneSurrogate | null {
  for (let i = 0; i < list.length; i++) {
    const item = list[i]
    if (typeof item === 'string') {
      if (!item.isWellFormed()) return { path: [...pathTo(position), i], msg: LONE_SURROGATE }
    } else if (typeof item === 'object' && item !== null) waiting.push({ value: item, key: i, above: position })
  }
  return null
}

function inFields(fields: object, position: ValuePosition, waiting: ValuePosition[]): LoneSurrogate | null {
  for (const name of Object.keys(fields)) {
    // the path does not include the name itself
    if (!name.isWellFormed()) return { path: pathTo(position), msg: LONE_SURROGATE_NAME }
    const item: unknown = fields[name as keyof typeof fields]
    if (typeof item === 'string') {
      if (!item.isWellFormed()) return { path: [...pathTo(position), name], msg: LONE_SURROGATE }
    } else if (typeof item === 'object' && item !== null) waiting.push({ value: item, key: name, above: position })
  }
  return null
}

/** Replaces each lone surrogate with the replacement character. Returns the same object if it contains none. */
export function withWholeText<T>(value: T): T {
  if (findLoneSurrogate(value) === null) return value
  // repairing does not change the value's type
  return repaired(value) as T
}

/** Repairs the text in an importer's documents, which are never deeply nested. */
function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(repaired)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name.toWellFormed(), repaired(item)]))
}

/** Maximum length of a reported path; nothing in the contract is deeper. */
const MOST_NAMED = 32

function pathTo(position: ValuePosition): (string | number)[] {
  const path: (string | number)[] = []
  for (let at = position; at.above !== null; at = at.above) path.push(at.key)
  return path.reverse().slice(0, MOST_NAMED)
}
