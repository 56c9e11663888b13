/** The documents of summaries. A field without a value is absent; older versions wrote null instead, and applications may send null. */

/** Members of a meal whose field names come from the provider or the application. In these members, null is a value. */
const OPEN_MEMBERS: ReadonlySet<string> = new Set(['data', 'micros'])

/** Returns a document, or an object inside one, without the fields that lack a value. Lists stay unchanged. */
export function withoutNulls(document: object): Record<string, unknown> {
  const stated: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(document)) {
    if (value === null || value === undefined) continue
    const isOpen = typeof value !== 'object' || Array.isArray(value) || OPEN_MEMBERS.has(name)
    stated[name] = isOpen ? value : withoutNulls(value)
  }
  return stated
}
