/** The codec of workout streams: packed streams are unpacked bit by bit, with their gaps. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STREAM_COLUMNS, type StreamColumn, type StreamPoints } from '../../../src/core/stream.ts'
import { decodeStream, encodeStream } from '../../../src/store/chunk/stream-codec.ts'
import { seed } from '../../kit/seed.ts'

const START = Date.UTC(2026, 0, 1)
const value = fc.oneof(
  fc.integer({ min: 0, max: 220 }),
  fc.integer({ min: -1_800_000, max: 1_800_000 }).map(n => n / 1e4),
  fc.double({ noNaN: true }),
  fc.constant(Number.NaN),
)

const points = fc
  .tuple(
    fc.array(fc.constantFrom(0, 1000, 1500, 10 ** 10), { maxLength: 40 }),
    fc.dictionary(fc.constantFrom(...STREAM_COLUMNS), fc.array(value, { minLength: 40, maxLength: 40 })),
  )
  .map(([gaps, columns]): StreamPoints => {
    let time = START
    return {
      n: gaps.length,
      time: Float64Array.from(gaps, gap => {
        time += gap
        return time
      }),
      columns: new Map(
        Object.entries(columns).map(([name, values]) => [
          name as StreamColumn,
          Float64Array.from(values.slice(0, gaps.length)),
        ]),
      ),
    }
  })

describe('a packed stream', () => {
  it('preserves every bit of every column, and omits columns without a value', () => {
    fc.assert(
      fc.property(points, given => {
        const back = decodeStream(encodeStream(given))
        expect(back.n).toBe(given.n)
        expect([...back.time]).toEqual([...given.time])
        const named = [...given.columns].filter(([, column]) => column.some(each => !Number.isNaN(each)))
        expect([...back.columns.keys()].sort()).toEqual(named.map(([name]) => name).sort())
        for (const [name, column] of named) {
          const own = back.columns.get(name) as Float64Array
          expect(
            column.every((each, i) => Object.is(own[i], each)),
            name,
          ).toBe(true)
        }
      }),
      { numRuns: 150, seed },
    )
  })

  it('takes one byte per heart rate at a regular step', () => {
    const n = 3600
    const time = Float64Array.from({ length: n }, (_, i) => START + i * 1000)
    const heartrate = Float64Array.from({ length: n }, (_, i) => 90 + (i % 80))
    expect(encodeStream({ n, time, columns: new Map([['heartrate', heartrate]]) }).byteLength / n).toBeLessThan(1.1)
  })

  it('with another version, or without one, is refused', () => {
    const blob = encodeStream({ n: 0, time: new Float64Array(0), columns: new Map() })
    const later = blob.slice()
    later[0] = 200
    expect(() => decodeStream(later)).toThrow('version 200')
    expect(() => decodeStream(new Uint8Array(3))).toThrow('not a workout stream')
  })
})
