/** Generated samples: sparse ones with gaps, ties and replaced values, and dense ones like a sensor's. */
import fc from 'fast-check'
import { DAY } from '../calendar.ts'
import type { PlainSample } from '../data.ts'
import { resourceNamed } from '../resources.ts'
import { arbitraryTexts, offset, type PlainSource, VALUES, valueStyle } from './pools.ts'

const TICKS = [60_000, 900_000, 3_600_000, DAY / 4]

/** Samples of several resources from several sources around a day. */
export function samples(
  base: number,
  resources: readonly string[],
  sources: readonly PlainSource[],
): fc.Arbitrary<readonly PlainSample[]> {
  const one = fc.constantFrom(...resources).chain(name => series(base, name, sources))
  const regular = fc.constantFrom(...resources).chain(name => dense(base, name, sources))
  return fc
    .tuple(
      fc.array(one, { minLength: 1, maxLength: 5 }),
      fc.option(fc.array(regular, { minLength: 1, maxLength: 2 }), { freq: 3 }),
    )
    .map(([sparse, thick]) => [...sparse, ...(thick ?? [])].flat())
}

const TYPES = ['ldl', 'hdl', 'rapid_acting']

function seriesKey(name: string, sources: readonly PlainSource[]) {
  const { path, typed } = resourceNamed(name)
  return fc.record({
    resource: fc.constant(path),
    from: fc.constantFrom(...sources),
    type: typed ? fc.constantFrom(...TYPES) : fc.constant(null),
  })
}

function series(base: number, name: string, sources: readonly PlainSource[]): fc.Arbitrary<readonly PlainSample[]> {
  const { interval, shape } = resourceNamed(name)
  return fc
    .record({
      key: seriesKey(name, sources),
      style: valueStyle,
      tick: fc.constantFrom(...TICKS),
      /** One offset for the whole series, or undefined if the person travels. */
      home: fc.option(offset, { nil: undefined, freq: 2 }),
    })
    .chain(({ key: { resource, from, type }, style, tick, home }) => {
      const value = shape === 'text' ? fc.constant(0) : VALUES[style]
      const sample = fc.record({
        at: fc.integer({ min: -120, max: 120 }),
        jitter: fc.constantFrom(0, 0, 0, 0, 1, 30_250),
        minutes: fc.constantFrom(0, 1, 15, 0.25),
        value,
        second: fc.option(VALUES.whole),
        offsetSec: home === undefined ? offset : fc.constant(home),
        text: arbitraryTexts(name),
      })
      const one = sample.map(
        (each): PlainSample => ({
          ...{ resource, ...from, type },
          startMs: base + each.at * tick + each.jitter,
          endMs: base + each.at * tick + each.jitter + (interval ? each.minutes * 60_000 : 0),
          value: each.value,
          second: shape === 'blood_pressure' ? (each.second ?? 80) : null,
          offsetSec: each.offsetSec,
          text: each.text,
        }),
      )
      return fc.array(one, { maxLength: 40 })
    })
}

/** A series like a sensor's: regular times, small integers or tenths, one offset, at most one text. */
function dense(base: number, name: string, sources: readonly PlainSource[]): fc.Arbitrary<readonly PlainSample[]> {
  const { interval, shape } = resourceNamed(name)
  return fc
    .record({
      key: seriesKey(name, sources),
      n: fc.integer({ min: 2, max: 900 }),
      first: fc.integer({ min: -5 * 1440, max: 1440 }),
      step: fc.constantFrom(60_000, 300_000, 900_000, 86_400_000),
      scale: fc.constantFrom(1, 10, 1000, 3),
      spread: fc.constantFrom(1, 40, 251, 60_000),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
      offsetSec: offset,
      app: fc.option(fc.constant('com.example.a')),
    })
    .map(({ key: { resource, from, type }, n, first, step, scale, spread, seed, offsetSec, app }) =>
      Array.from({ length: n }, (_, i): PlainSample => {
        const startMs = base + first * 60_000 + i * step
        const noise = (seed * 7919 + i * i * 31 + i * 17) % spread
        return {
          ...{ resource, ...from, type, startMs, offsetSec },
          endMs: startMs + (interval ? step : 0),
          value: shape === 'text' ? 0 : (40 + noise) / scale,
          second: shape === 'blood_pressure' ? 60 + (noise % 30) : null,
          text: {
            ...(app === null ? {} : { app_id: app }),
            ...(shape === 'text' ? { content: `note ${noise % 3}` } : {}),
          },
        }
      }),
    )
}
