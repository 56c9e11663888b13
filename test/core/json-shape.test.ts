/** What a text in JSON makes of itself, counted before it is parsed. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonShape, MOST_JSON_DEPTH, parsedBytes } from '../../src/core/json-shape.ts'

const shapeOf = (text: string) => jsonShape(Buffer.from(text))

interface Counted {
  nested: number
  values: number
  names: number
  depth: number
}

/** The same by walking what was parsed; an empty object or list has one value too many in both. */
function walk(value: unknown, depth: number, into: Counted): void {
  if (typeof value !== 'object' || value === null) return
  const children = Object.values(value)
  into.nested++
  into.values += Math.max(1, children.length)
  into.depth = Math.max(into.depth, depth)
  if (!Array.isArray(value)) into.names = Math.max(into.names, children.length)
  for (const child of children) walk(child, depth + 1, into)
}

describe('the shape of a text in JSON', () => {
  const seed = Number(process.env['FC_SEED'] ?? Date.now() % 1_000_000)
  it(`is that of its value, whatever stands in its texts (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const counted: Counted = { nested: 0, values: 0, names: 0, depth: 0 }
        const text = JSON.stringify(value, null, indent)
        walk(JSON.parse(text), 1, counted)
        expect(shapeOf(text)).toEqual(counted)
      }),
      { seed, numRuns: 500 },
    )
  })

  it('is not fooled by quotes and brackets inside of texts', () => {
    expect(shapeOf(String.raw`{"a\"[[{,:":"\\","b":"[,]"}`)).toEqual({ nested: 1, values: 2, names: 2, depth: 1 })
  })

  it('ends early in what is too deep, and says something of what is no JSON', () => {
    expect(shapeOf('['.repeat(100_000)).depth).toBe(MOST_JSON_DEPTH + 1)
    expect(shapeOf(']]]]}}}"')).toMatchObject({ nested: 0, depth: 0 })
    expect(shapeOf('')).toEqual({ nested: 0, values: 0, names: 0, depth: 0 })
  })

  it('weighs what takes most as much as it takes', () => {
    const text = `[${'{},'.repeat(1000)}{}]`
    // 56 bytes an object and 8 a place in the list
    expect(parsedBytes(text.length, shapeOf(text))).toBeGreaterThanOrEqual(1001 * 64)
  })
})
