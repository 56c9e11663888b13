/** Asserts that a value which may be missing by its type is present. */

/**
 * Returns the value. Throws a bug, not a `ServiceError`, if it is missing: no input may lead to that. Not for inner loops over typed
 * arrays, where a cast costs nothing. `what` is the name of the thing and contains no stored value.
 */
export function present<T>(value: T, what: string): NonNullable<T> {
  if (value === undefined || value === null) throw new Error(`missing: ${what}`)
  return value
}
