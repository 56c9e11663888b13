/** Compares two documents field by field. */

export interface FieldChange {
  /** Path of the field, such as `heartrate.avg`. */
  readonly field: string
  readonly old: string | number | boolean | null
  readonly new: string | number | boolean | null
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns the fields that differ, in the order of the documents. Null stands for a document that is not there, and for a field that has no
 * value. A list counts as one value, and is shown as JSON.
 */
export function differences(before: Fields | null, after: Fields | null): FieldChange[] {
  const old = new Map(leavesOf(before ?? {}, ''))
  const now = new Map(leavesOf(after ?? {}, ''))
  return [...new Set([...now.keys(), ...old.keys()])].flatMap(field => {
    const [was, is] = [old.get(field) ?? null, now.get(field) ?? null]
    return Object.is(was, is) ? [] : [{ field, old: was, new: is }]
  })
}

function* leavesOf(fields: Fields, path: string): Generator<[string, FieldChange['old']]> {
  for (const [name, value] of Object.entries(fields)) {
    const field = path === '' ? name : `${path}.${name}`
    if (value === null || value === undefined) continue
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') yield [field, value]
    else if (Array.isArray(value)) yield [field, JSON.stringify(value)]
    else yield* leavesOf(value as Fields, field) // an object, because it comes from JSON
  }
}
