/** Reads values of unknown JSON, and sets those of a request body by form field path. */

export type Body = Record<string, unknown>

/** Sets the value at a path such as `address.zip`, and creates missing objects on the path. */
export function setAtPath(body: Body, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  let at = body
  for (const name of names) {
    at[name] ??= {}
    at = at[name] as Body // form paths lead only through objects
  }
  at[last] = value
}

/** Returns the text at a path; an empty text if there is none. */
export function textAtPath(body: unknown, path: string): string {
  let at = body
  for (const name of path.split('.')) at = fieldsOf(at)[name]
  return typeof at === 'string' ? at : ''
}

/** Returns the fields of an object or a list. Any other value has none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>> // as checked
}

/** Returns the values with null instead of empty texts. */
export function emptyToNull<V extends Readonly<Record<string, unknown>>>(
  values: V,
): { readonly [K in keyof V]: V[K] | null } {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === '' ? null : value])) as V // the same names
}

/** Returns the values without empty texts. */
export function withoutEmpty<V extends Readonly<Record<string, unknown>>>(values: V): Partial<V> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as Partial<V> // some of the same
}
