/** Parses JSON from external sources. */

/** Returns the parsed text; undefined if it is not JSON. The parser's error is not used, because it would quote the text. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
