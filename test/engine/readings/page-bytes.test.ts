/** A page that is written as bytes equals JSON.stringify of its groups, to the last byte. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RESOURCE_NAMES, resourceNamed, type TimeseriesResource } from '../../../src/catalogue/resources.ts'
import { SampleBatchBuilder, type SampleInput, type SeriesKey, type TextColumn } from '../../../src/core/sample.ts'
import { JsonBytes } from '../../../src/engine/readings/json-bytes.ts'
import { pageBytes } from '../../../src/engine/readings/page-bytes.ts'
import { groupSamples } from '../../../src/engine/readings/sample-groups.ts'
import type { SeriesSlice } from '../../../src/store/sample.ts'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'

const YEAR_1 = Date.parse('0001-01-01T00:00:00Z')
const YEAR_9999 = Date.parse('9999-12-31T23:59:59.999Z')

/** A few words only, so that some rows share them and some differ. */
const word = fc.oneof(
  fc.constantFrom(null, 'a', 'b', '', 'Zoë "x"\\\n\u2028', '\ud800', '😀', '\u0000'),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const number = fc.oneof(
  fc.double(),
  fc.integer({ min: -3_000_000, max: 3_000_000 }).map(whole => whole / 1000),
  fc.integer({ min: -100_000, max: 100_000 }).map(whole => whole / 10),
  fc.integer(),
  fc.constantFrom(
    0,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e21,
    1e-7,
    5e-324,
    0.1 + 0.2,
    2_147_483.647,
    2_147_483.648,
  ),
)
const start = fc.oneof(
  fc.integer({ min: YEAR_1, max: YEAR_9999 }),
  fc.integer({ min: -5, max: 400 }).map(minute => minute * 60_000),
  fc.integer({ min: -2_000, max: 2_000 }),
)
const WORDS: readonly TextColumn[] = ['app_id', 'device_id', 'sport', 'type', 'intensity', 'sensor_location', 'content']
const sample: fc.Arbitrary<SampleInput> = fc
  .record({
    start,
    end: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200_000_000 })),
    value: number,
    second: fc.option(number, { nil: undefined }),
    offset: fc.constantFrom(null, 0, 3_600, -12_600),
    text: fc
      .tuple(
        fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 3 }),
        fc.array(word, { minLength: 3, maxLength: 3 }),
      )
      .map(([names, words]) => Object.fromEntries(names.map((name, i) => [name, words[i] ?? null]))),
    tags: fc.option(fc.array(fc.string(), { maxLength: 2 }), { nil: null }),
  })
  .map(({ tags, second, ...rest }) => ({
    ...rest,
    ...(second === undefined ? {} : { second }),
    end: rest.start + rest.end,
    text: tags ? { ...rest.text, tags: JSON.stringify(tags) } : rest.text,
  }))

interface Page {
  readonly resource: TimeseriesResource
  readonly slices: readonly SeriesSlice[]
  readonly next: string | null
}

const page: fc.Arbitrary<Page> = fc
  .record({
    resource: fc.constantFrom(...RESOURCE_NAMES),
    slices: fc.array(
      fc.record({
        type: fc.constantFrom(null, 'manual', 'a"b'),
        provider: fc.constantFrom('oura', 'fitbit', 'apple_health_kit', '7', '__proto__'),
        sourceType: fc.constantFrom('watch', 'ring', 'unknown'),
        samples: fc.array(sample, { maxLength: 12 }),
      }),
      { maxLength: 4 },
    ),
    next: fc.option(fc.string(), { nil: null }),
  })
  .map(({ resource, slices, next }) => ({
    resource: resourceNamed(resource) as TimeseriesResource,
    next,
    slices: slices
      .filter(slice => slice.samples.length > 0 && slice.provider !== '__proto__')
      .map(({ samples, ...key }) => buildSlice({ resource, ...key }, samples)),
  }))

function buildSlice(series: SeriesKey, samples: readonly SampleInput[]): SeriesSlice {
  const builder = new SampleBatchBuilder(series)
  for (const each of samples.toSorted((a, b) => a.start - b.start)) builder.push(each)
  return { series, columns: builder.take() }
}

const expected = ({ resource, slices, next }: Page): string =>
  JSON.stringify({ groups: groupSamples(resource, slices), next_cursor: next, next })

describe('a page of samples as bytes', () => {
  it(`is the JSON of its groups, or null if they need sorting (seed ${seed})`, () => {
    let written = 0
    const count = times(150)
    fc.assert(
      fc.property(page, each => {
        const bytes = pageBytes(each.resource, each.slices, each.next)
        if (bytes === null) return
        written++
        expect(Buffer.from(bytes, 'latin1').toString('utf8')).toBe(expected(each))
      }),
      { seed, numRuns: count },
    )
    expect(written).toBeGreaterThan(count / 4)
  })

  it('grows for many rows', () => {
    const series: SeriesKey = { resource: 'heartrate', type: null, provider: 'oura', sourceType: 'ring' }
    const samples = Array.from({ length: 20_000 }, (_, i) => ({
      start: i * 977,
      end: i * 977 + 86_400_000,
      value: i / 7,
    }))
    const each = {
      resource: resourceNamed('heartrate') as TimeseriesResource,
      slices: [buildSlice(series, samples)],
      next: null,
    }
    const bytes = pageBytes(each.resource, each.slices, each.next) as string
    expect(Buffer.from(bytes, 'latin1').toString('utf8') === expected(each)).toBe(true)
  })

  it('is null if one group has several series', () => {
    const of = (type: string): SeriesSlice =>
      buildSlice({ resource: 'insulin_injection', type, provider: 'oura', sourceType: 'ring' }, [
        { start: 0, value: 1 },
      ])
    expect(pageBytes(resourceNamed('insulin_injection') as TimeseriesResource, [of('a'), of('b')], null)).toBeNull()
  })
})

describe('a number as bytes', () => {
  it(`is the number as JSON (seed ${seed})`, () => {
    fc.assert(
      fc.property(number, value => {
        const bytes = new JsonBytes(8)
        bytes.number(value)
        expect(bytes.taken()).toBe(JSON.stringify(value))
      }),
      { seed, numRuns: times(2_000) },
    )
  })
})
