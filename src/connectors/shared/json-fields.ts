/** Reads parsed JSON of unknown shape. Values whose type differs from the requested one are undefined. */

export type JsonObject = Readonly<Record<string, unknown>>

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the objects in a list, and omits everything else in it. */
export function objectsIn(list: unknown): readonly JsonObject[] {
  return asList(list)
    .map(asObject)
    .filter(each => each !== undefined)
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Returns a number, or the number in a text, written as in JSON. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/.test(value) ? Number(value) : undefined
}

/** Returns an object's member, if it is the object's own. */
export function member(value: unknown, key: string): unknown {
  const object = asObject(value)
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
}
