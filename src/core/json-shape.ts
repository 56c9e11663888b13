/**
 * Estimates how much memory JSON text takes once parsed, without parsing it. Reads by index are unchecked (`as number`), because the loops
 * are hot and stay in range.
 */

export interface JsonShape {
  /** Number of objects and lists. */
  readonly nested: number
  /** Number of values, including objects and lists. Each empty object or list is counted as one value too many. */
  readonly values: number
  /** Largest number of names in one object. */
  readonly names: number
  readonly depth: number
}

/** Maximum depth of JSON text, far above any depth in the contract. It also bounds the memory used for counting. */
export const MOST_JSON_DEPTH = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 1
const COLON = 2
const OPEN = 3
const CLOSE = 4
const TEXT = 5
/** The structure that each byte begins or ends outside of strings. Nearly all bytes have 0, which means none. */
const KINDS = new Uint8Array(256)
KINDS[0x2c] = COMMA
KINDS[0x3a] = COLON
KINDS[0x5b] = OPEN
KINDS[0x7b] = OPEN
KINDS[0x5d] = CLOSE
KINDS[0x7d] = CLOSE
KINDS[QUOTE] = TEXT

/**
 * Returns the shape of JSON or NDJSON in UTF-8, in one pass that allocates nothing per value. For text that is not JSON, the counts are
 * meaningless, and text deeper than `MOST_JSON_DEPTH` ends the count early.
 */
export function jsonShape(bytes: Uint8Array): JsonShape {
  const namesAt = new Uint32Array(MOST_JSON_DEPTH + 1)
  let nested = 0
  let values = 0
  let names = 0
  let level = 0
  let depth = 0
  const { length } = bytes
  for (let i = 0; i < length; i++) {
    const kind = KINDS[bytes[i] as number]
    if (kind === 0) continue
    if (kind === TEXT) {
      for (i++; i < length; i++) {
        const byte = bytes[i]
        if (byte === QUOTE) break
        if (byte === BACKSLASH) i++
      }
    } else if (kind === COMMA) values++
    else if (kind === COLON) namesAt[level] = (namesAt[level] as number) + 1
    else if (kind === OPEN) {
      nested++
      values++
      level++
      if (level > depth) depth = level
      if (level > MOST_JSON_DEPTH) return { nested, values, names, depth }
      namesAt[level] = 0
    } else {
      names = Math.max(names, namesAt[level] as number)
      if (level > 0) level--
    }
  }
  return { nested, values, names: Math.max(names, namesAt[level] as number), depth }
}

/**
 * Returns the maximum number of heap bytes that `JSON.parse` takes for text of this shape, including the text, if objects have up to a few
 * thousand names. Measured with V8 12 (Node 20 to 24): 64 bytes for `{}`, 40 for `[]`, 24 for a number with a fraction, and 24 plus its
 * length for a string. Ordinary samples take a third of the result.
 */
export function parsedBytes(lengthBytes: number, { nested, values }: JsonShape): number {
  return 2 * lengthBytes + 40 * nested + 24 * values
}
