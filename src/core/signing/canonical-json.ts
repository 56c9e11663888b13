/** Writes JSON in one way only, so that it can be signed: RFC 8785, the JSON Canonicalization Scheme. */

/**
 * Returns the canonical JSON of a value that JSON can represent: members in the order of their UTF-16 code units, no spaces, and numbers as
 * JavaScript writes them. Members that are undefined are left out. Throws TypeError for numbers that are not finite.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, of]) => of !== undefined)
    members.sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${members.map(([name, of]) => `${JSON.stringify(name)}:${canonicalJson(of)}`).join(',')}}`
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('JSON has no such number')
  return JSON.stringify(value)
}
