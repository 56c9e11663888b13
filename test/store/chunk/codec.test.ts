/** The chunk codec: packed samples are unpacked bit by bit, in as few bytes as their values need. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SampleBatchBuilder, type SampleColumns, textAt } from '../../../src/core/sample.ts'
import { decodeChunk, encodeChunk } from '../../../src/store/chunk/codec.ts'
import { CHUNK_VERSION } from '../../../src/store/chunk/layout.ts'
import { ChunkView } from '../../../src/store/chunk/view.ts'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'

const SERIES = { resource: 'heartrate', type: null, provider: 'whoop', sourceType: 'watch' }
const START = Date.UTC(2026, 0, 1)

interface Row {
  readonly start: number
  readonly end: number
  readonly value: number
  readonly second: number | undefined
  readonly offset: number | null
  readonly app: string | null
  readonly tags: string | null
}

function pack(rows: readonly Row[]): SampleColumns {
  const builder = new SampleBatchBuilder(SERIES)
  for (const { app, tags, second, ...row } of rows) {
    builder.push({ ...row, ...(second === undefined ? {} : { second }), text: { app_id: app, tags } })
  }
  return builder.take()
}

function unpack(columns: SampleColumns): Row[] {
  return Array.from({ length: columns.n }, (_, i) => {
    const start = columns.start[i] as number
    const offset = columns.offset?.[i]
    return {
      start,
      end: columns.end ? (columns.end[i] as number) : start,
      value: columns.value[i] as number,
      second: columns.second ? (columns.second[i] as number) : undefined,
      offset: offset === undefined || offset === -0x8000_0000 ? null : offset,
      app: textAt(columns.text.get('app_id'), i),
      tags: textAt(columns.text.get('tags'), i),
    }
  })
}

const number = fc.oneof(
  fc.integer({ min: -300, max: 300 }),
  fc.integer(),
  fc.integer({ min: -99_999, max: 99_999 }).map(n => n / 10),
  fc.integer({ min: -99_999, max: 99_999 }).map(n => n / 1000),
  fc.double(),
  fc.constantFrom(-0, 0, 0.1 + 0.2, 5e-324, 2 ** 31, -(2 ** 31), 2 ** 53),
)

/** Rows of any values, times, ends, offsets and texts. */
const anyRows = fc
  .tuple(
    fc.array(
      fc.record({
        gap: fc.oneof(fc.constant(1000), fc.integer({ min: 1, max: 10 ** 7 }), fc.integer({ min: 1, max: 10 ** 10 })),
        length: fc.constantFrom(0, 60_000, 10 ** 10),
        value: number,
        second: number,
        offset: fc.constantFrom(null, 0, 19_800),
        app: fc.constantFrom(null, 'a', 'ä\u0000"'),
        tags: fc.constantFrom(null, '["food"]'),
      }),
      { maxLength: 80 },
    ),
    fc.boolean(),
  )
  .map(([parts, hasSecond]): Row[] => {
    let start = START
    return parts.map(({ gap, length, second, ...rest }) => {
      start += gap
      return { ...rest, start, end: start + length, second: hasSecond ? second : undefined }
    })
  })

describe('a chunk', () => {
  it('preserves every bit of any values, times, ends, offsets and texts', () => {
    fc.assert(
      fc.property(anyRows, given => {
        const back = unpack(decodeChunk(encodeChunk(pack(given))))
        expect(back.length).toBe(given.length)
        // toEqual treats -0 as 0: the bits decide
        for (let i = 0; i < given.length; i++) {
          expect(Object.is(back[i]?.value, given[i]?.value)).toBe(true)
          expect(Object.is(back[i]?.second, given[i]?.second)).toBe(true)
          expect(back[i]).toEqual(given[i])
        }
      }),
      { numRuns: times(100), seed },
    )
  })

  it('unpacks any range of rows to the same samples as the whole, and finds rows by their start', () => {
    fc.assert(
      fc.property(anyRows, fc.nat(), fc.nat(), (given, one, other) => {
        const view = new ChunkView(encodeChunk(pack(given)))
        const [from, to] = [one % (given.length + 1), other % (given.length + 1)].sort((a, b) => a - b) as [
          number,
          number,
        ]
        const part = unpack(view.rows(from, to))
        expect(part).toEqual(given.slice(from, to))
        for (const [i, { value }] of part.entries()) expect(Object.is(value, given[from + i]?.value)).toBe(true)
        for (const [row, { start }] of given.entries()) {
          expect(view.startAt(row)).toBe(start)
          expect(view.rowAtOrAfter(start)).toBe(row)
          expect(view.rowAtOrAfter(start + 1)).toBe(row + 1)
        }
      }),
      { numRuns: times(100), seed },
    )
  })

  const minute = (i: number): number => START + i * 60_000
  const bytesASample = (make: (i: number) => { start: number; value: number }): number => {
    const n = 1440
    const rows = Array.from({ length: n }, (_, i) => ({
      ...make(i),
      end: make(i).start,
      second: undefined,
      offset: 3600,
      app: null,
      tags: null,
    }))
    return encodeChunk(pack(rows)).byteLength / n
  }

  it('takes about a byte per sample for integer heart rates at a regular step, and no more than the values need', () => {
    expect(bytesASample(i => ({ start: minute(i), value: 45 + (i % 150) }))).toBeLessThan(1.5)
    expect(bytesASample(i => ({ start: minute(i), value: 70 + (i % 500) / 10 }))).toBeLessThan(2.5)
    expect(bytesASample(i => ({ start: minute(i) + (i % 7) * 13, value: 45 + (i % 150) }))).toBeLessThan(7)
    expect(bytesASample(i => ({ start: minute(i) + (i % 7) * 13, value: Math.PI * i }))).toBeLessThan(13)
  })

  it('with another version, or without one, is refused', () => {
    const blob = encodeChunk(pack([]))
    expect(blob[0]).toBe(CHUNK_VERSION)
    const later = blob.slice()
    later[0] = 200
    expect(() => decodeChunk(later)).toThrow('version 200')
    expect(() => decodeChunk(new Uint8Array(3))).toThrow('not a sample chunk')
  })
})
