/** Results within their size limit: complete JSON, truncated between records, with nothing lost or shown twice. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutResult } from '../../../src/cli/mcp/cut-result.ts'
import type { ToolResult } from '../../../src/cli/mcp/tool.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'

interface Part {
  readonly page?: {
    readonly skipped_records: number
    readonly records: number
    readonly left_records: number
    readonly next: { readonly skip_records?: number; readonly next_cursor?: string } | null
  }
  readonly result: Readonly<Record<string, unknown>>
}

/** Reads a result to its end, part by part. */
function cutParts(response: ToolResult, maxBytes: number): Part[] {
  const parts: Part[] = []
  let skip: number | undefined = 0
  while (skip !== undefined) {
    const text = cutResult(response, { skip, maxBytes, canContinue: true })
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
    const part = JSON.parse(text) as Part
    parts.push(part)
    const { next } = part.page ?? { next: null }
    if (next?.skip_records !== undefined && next.next_cursor === undefined) {
      // it must make progress every time
      expect(next.skip_records).toBeGreaterThan(skip)
      skip = next.skip_records
    } else skip = undefined
  }
  return parts
}

const usual = (body: unknown): ToolResult => ({ body, lists: undefined, next: null })
const record = fc.record({ id: fc.nat(), text: fc.string({ unit: 'grapheme', maxLength: 60 }) })

describe('a result', () => {
  test('that fits is shown unchanged, without a page', () => {
    expect(cutResult(usual({ users: [1, 2] }), { skip: 0, maxBytes: 100, canContinue: true })).toBe(
      '{"result":{"users":[1,2]}}',
    )
  })

  test('refers to the service’s next page when all of its own records are shown', () => {
    const response = { body: { data: [1] }, lists: undefined, next: { next_cursor: 'abc' } }
    const page = (skip: number) =>
      (JSON.parse(cutResult(response, { skip, maxBytes: 200, canContinue: true })) as Part).page
    expect(page(0)?.next).toEqual({ next_cursor: 'abc' })
    // the number of records to skip refers to the earlier page
    expect(page(1)?.next).toEqual({ next_cursor: 'abc', skip_records: 0 })
  })

  test('is truncated between records of any size, and the parts add up to the whole', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 80 }), fc.integer({ min: 700, max: 3_000 }), (users, maxBytes) => {
        const parts = cutParts(usual({ users, total: users.length }), maxBytes)
        expect(parts.flatMap(({ result }) => result['users'])).toEqual(users)
        for (const { result } of parts) expect(result['total']).toBe(users.length)
      }),
      { seed, numRuns: times(100) },
    )
  })

  test('that is a list is also truncated', () => {
    const list = Array.from({ length: 300 }, (_, n) => ({ n }))
    const parts = cutParts(usual(list), 500)
    expect(parts.length).toBeGreaterThan(5)
    expect(parts.flatMap(({ result }) => result)).toEqual(list)
  })

  test('with samples in groups is truncated inside a group', () => {
    const samples = (count: number) => Array.from({ length: count }, (_, value) => ({ value }))
    const groups = { oura: [{ source: 'ring', data: samples(50) }], whoop: [{ source: 'band', data: samples(70) }] }
    const parts = cutParts({ body: { groups, next: null }, lists: ['groups.*.*.data'], next: null }, 600)
    const of = (slug: 'oura' | 'whoop') =>
      parts.flatMap(({ result }) => (result['groups'] as typeof groups)[slug].flatMap(({ data }) => data))
    expect(of('oura')).toEqual(samples(50))
    expect(of('whoop')).toEqual(samples(70))
    // the response may be shared with others
    expect(groups.whoop[0]?.data).toHaveLength(70)
  })

  test('of columns keeps them equally long', () => {
    const column = (times: number) => Array.from({ length: 200 }, (_, n) => n * times)
    const body = { results: [{ table: { day: column(1), mean: column(3) } }, { table: { sum: column(7) } }] }
    const parts = cutParts({ body, lists: ['results.*.table.='], next: null }, 600)
    const tables = parts.map(({ result }) => (result as typeof body).results.map(({ table }) => table))
    for (const [first] of tables) expect(first?.day?.length).toBe(first?.mean?.length)
    expect(tables.flatMap(([first]) => first?.mean)).toEqual(column(3))
    expect(tables.flatMap(([, second]) => second?.sum)).toEqual(column(7))
  })

  test('that cannot be truncated is refused with a remedy', () => {
    const body = { payload: 'x'.repeat(3_000) }
    const refusal = () => cutResult(usual(body), { skip: 0, maxBytes: 2_000, canContinue: true })
    expect(refusal).toThrow(ServiceError)
    expect(refusal).toThrow(/its record 1 does not fit into the limit of 2000 bytes/)
    expect(() => cutResult(usual({ list: [body] }), { skip: 0, maxBytes: 2_000, canContinue: true })).toThrow(
      ServiceError,
    )
  })

  test('of a change says how much is left, but does not suggest repeating the change', () => {
    const body = { people: Array.from({ length: 300 }, (_, n) => n) }
    const { page } = JSON.parse(cutResult(usual(body), { skip: 0, maxBytes: 500, canContinue: false })) as Part
    expect(page).toMatchObject({ next: null })
    expect(page?.left_records).toBeGreaterThan(0)
  })
})
