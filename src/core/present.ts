/** Asserts that a value is not null or undefined, although its type allows it. */

/**
 * Returns the value. If it is missing, throws a plain Error instead of a `ServiceError`, because no input may cause that. Do not use it in
 * inner loops over typed arrays, where a cast costs nothing. `what` describes the value, and must not contain stored data.
 */
export function present<T>(value: T, what: string): NonNullable<T> {
  if (value === undefined || value === null) throw new Error(`missing: ${what}`)
  return value
}
