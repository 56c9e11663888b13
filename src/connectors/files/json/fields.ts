/** Looking into parsed JSON of unknown shape: what is not what was asked for is undefined. */

export type JsonObject = Readonly<Record<string, unknown>>

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A number, or the number that a text spells as JSON would. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/.test(value) ? Number(value) : undefined
}

/** The member of an object, own ones only. */
export function member(value: unknown, key: string): unknown {
  const object = asObject(value)
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
}
