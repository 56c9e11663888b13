/** Edge cases: equal times, equal values, and numbers that do not fit into any column. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyTable } from '../../../src/engine/aggregate/group/key-table.ts'
import { seed } from '../../kit/seed.ts'
import { activity, ask, series, sleep } from './memory-source.ts'

const of = <A>(func: string, arg: A) => ({ func, arg })

test('for nights with the same source and time, oldest and newest are both the one stored first', async () => {
  const nights = [1, 2, 3].map(score =>
    sleep('2024-12-01T06:00:00', { score, type: score === 2 ? 'nap' : 'long_sleep' }, { id: `${score}` }),
  )
  const select = [of('oldest', { sleep: 'score' }), of('newest', { sleep: 'score' })]
  expect(await ask({ summaries: nights }, { select })).toEqual({ oldest: [1], newest: [1] })
  const query = { select: [{ group_key: '*' as const }, ...select], group_by: [{ sleep: 'type' }] }
  expect(await ask({ summaries: nights }, query)).toEqual({
    'group_key.0': ['long_sleep', 'nap'],
    oldest: [1, 2],
    newest: [1, 2],
  })
})

test('equal values have a standard deviation of zero, however they are split', async () => {
  const day = (date: string) =>
    series(
      { resource: 'glucose' },
      ['00:00:00', '01:00:00', '03:00:00'].map(time => [`${date}T${time}`, 0.1] as const),
    )
  const select = [of('stddev', { timeseries: 'glucose', field: 'value' })]
  expect(await ask({ samples: [day('2024-12-01'), day('2024-12-02'), day('2024-12-05')] }, { select })).toEqual({
    stddev: [0],
  })
})

test('a number that does not fit an integer or a time is null, and so is an integer sum beyond 64 bits', async () => {
  const night = sleep('2024-12-01T06:00:00', { duration: 1e300, latency: 1e14, bedtime_start: '2024-12-01T00:00:00Z' })
  const select = [{ sleep: 'duration_second' }, { value_macro: 'asleep_at' }]
  expect(await ask({ summaries: [night] }, { select })).toEqual({ duration_second: [null], asleep_at: [null] })
  const many = (steps: number, days: number) =>
    Array.from({ length: days }, (_, i) => activity('2024-12-01', { steps }, { id: `${i}` }))
  const sum = [of('sum', { activity: 'steps' })]
  expect(await ask({ summaries: many(1.7e308, 2) }, { select: sum })).toEqual({ sum: [null] })
  expect(await ask({ summaries: many(Number.MAX_SAFE_INTEGER, 1025) }, { select: sum })).toEqual({ sum: [null] })
  expect(await ask({ summaries: many(-Number.MAX_SAFE_INTEGER, 1) }, { select: sum })).toEqual({
    sum: [-Number.MAX_SAFE_INTEGER],
  })
})

test('a group is identified by its key values only: null is one value, and so is zero', () => {
  const value = fc.constantFrom(Number.NaN, 0, -0, 1, -1, 0.5, 60_000, 120_000, 1.7e12, -Number.MAX_VALUE)
  const rows = fc.array(fc.tuple(value, value, value), { maxLength: 400 })
  fc.assert(
    fc.property(rows, keys => {
      const table = new KeyTable(3)
      const known = new Map<string, number>()
      for (const key of keys) {
        const name = key.map(each => `${each}`).join()
        if (!known.has(name)) known.set(name, known.size)
        const group = table.findGroup(key, 100)
        if ((known.get(name) as number) >= 100) {
          expect(group).toBe(-1)
          known.delete(name)
        } else {
          expect(group).toBe(known.get(name))
          expect(key.map((_, k) => `${table.value(k, group)}`).join()).toBe(name)
        }
      }
      expect(table.count).toBe(known.size)
    }),
    { seed, numRuns: 100 },
  )
})

test('a thousand groups of ten keys each are kept apart', () => {
  const table = new KeyTable(10)
  const keyOf = (i: number) => Array.from({ length: 10 }, (_, k) => (i >> k) & 1)
  for (let i = 0; i < 1024; i++) expect(table.findGroup(keyOf(i), 1_000_000)).toBe(i)
  for (let i = 0; i < 1024; i++) expect(table.findGroup(keyOf(i), 1024)).toBe(i)
})
