/** The documents of summaries. A field without a value is absent; older versions wrote null instead, and applications may send it. */

/** The members of a meal whose field names are chosen by the provider or the application; null is a value in them. */
const OPEN_MEMBERS: ReadonlySet<string> = new Set(['data', 'micros'])

/** Returns a document, or an object inside one, without the fields that have no value. Lists stay unchanged. */
export function withoutNulls(document: object): Record<string, unknown> {
  const stated: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(document)) {
    if (value === null || value === undefined) continue
    const isOpen = typeof value !== 'object' || Array.isArray(value) || OPEN_MEMBERS.has(name)
    stated[name] = isOpen ? value : withoutNulls(value)
  }
  return stated
}
