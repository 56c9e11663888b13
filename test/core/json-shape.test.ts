/** How much memory a JSON text takes once parsed, estimated before parsing. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonShape, MOST_JSON_DEPTH, parsedBytes } from '../../src/core/json-shape.ts'
import { seed } from '../kit/seed.ts'

const shapeOf = (text: string) => jsonShape(Buffer.from(text))

interface Counted {
  nested: number
  values: number
  names: number
  depth: number
}

/** Counts the same by walking the parsed value; an empty object or list counts one value too many in both. */
function traverse(value: unknown, depth: number, into: Counted): void {
  if (typeof value !== 'object' || value === null) return
  const children = Object.values(value)
  into.nested++
  into.values += Math.max(1, children.length)
  into.depth = Math.max(into.depth, depth)
  if (!Array.isArray(value)) into.names = Math.max(into.names, children.length)
  for (const child of children) traverse(child, depth + 1, into)
}

describe('the shape of a JSON text', () => {
  it(`matches its value, whatever its strings contain (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const counted: Counted = { nested: 0, values: 0, names: 0, depth: 0 }
        const text = JSON.stringify(value, null, indent)
        traverse(JSON.parse(text), 1, counted)
        expect(shapeOf(text)).toEqual(counted)
      }),
      { seed, numRuns: 500 },
    )
  })

  it('is not misled by quotes and brackets inside strings', () => {
    expect(shapeOf(String.raw`{"a\"[[{,:":"\\","b":"[,]"}`)).toEqual({ nested: 1, values: 2, names: 2, depth: 1 })
  })

  it('stops early in text that is nested too deeply, and also gives a result for invalid JSON', () => {
    expect(shapeOf('['.repeat(100_000)).depth).toBe(MOST_JSON_DEPTH + 1)
    expect(shapeOf(']]]]}}}"')).toMatchObject({ nested: 0, depth: 0 })
    expect(shapeOf('')).toEqual({ nested: 0, values: 0, names: 0, depth: 0 })
  })

  it('counts at least as much memory as the worst content needs', () => {
    const text = `[${'{},'.repeat(1000)}{}]`
    // 56 bytes for each object and 8 for each list position
    expect(parsedBytes(text.length, shapeOf(text))).toBeGreaterThanOrEqual(1001 * 64)
  })
})
