/** The value macros: nights computed by hand, and properties that hold for all nights. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../src/core/time.ts'
import { chronotype, type NightFigures, sleepScore } from '../../../src/engine/aggregate/scan/macros.ts'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'
import { ask, sleep, summary } from './memory-source.ts'

const NOTHING: NightFigures = {
  asleep: Number.NaN,
  efficiency: Number.NaN,
  deep: Number.NaN,
  rem: Number.NaN,
  latency: Number.NaN,
}
const macro = (value_macro: string) => ({ value_macro })

describe('sleep_score', () => {
  test.each([
    ['a perfect night', { asleep: 28_800, efficiency: 90, deep: 5_400, rem: 5_400, latency: 1_200 }, 100],
    ['more of everything is not better', { asleep: 40_000, efficiency: 99, deep: 9_000, rem: 9_000, latency: 0 }, 100],
    ['nothing but time in bed', { asleep: 0, efficiency: 20, deep: 0, rem: 0, latency: 9_000 }, 0],
    // 40 x 0.75 + 20 x 0.5 + 15 x 0.8 + 15 x 0.4 + 10 x 0.25
    ['a middling night', { asleep: 21_600, efficiency: 75, deep: 4_320, rem: 2_160, latency: 3_000 }, 61],
    // (40 x 0.75 + 20 x 0.5) / 60
    ['parts without an input leave their weight to the others', { asleep: 21_600, efficiency: 75 }, 67],
    ['the time asleep alone', { asleep: 25_200 }, 88], // 87.5 is rounded up
    ['no time asleep', { efficiency: 95, deep: 5_400, rem: 5_400, latency: 100 }, Number.NaN],
  ])('%s', (_, figures, score) => {
    expect(sleepScore({ ...NOTHING, ...figures })).toBe(score)
  })

  test('is monotone in each input, and always within 0 to 100', () => {
    const seconds = fc.integer({ min: 0, max: 50_000 })
    const orNull = (arbitrary: fc.Arbitrary<number>) => fc.option(arbitrary, { nil: Number.NaN, freq: 4 })
    const night = fc.record({
      asleep: seconds,
      efficiency: orNull(fc.integer({ min: 0, max: 100 })),
      deep: orNull(seconds),
      rem: orNull(seconds),
      latency: orNull(seconds),
    })
    const figure = fc.constantFrom<keyof NightFigures>('asleep', 'efficiency', 'deep', 'rem', 'latency')
    fc.assert(
      fc.property(night, figure, fc.integer({ min: 1, max: 10_000 }), (figures, name, more) => {
        const [before, after] = [sleepScore(figures), sleepScore({ ...figures, [name]: figures[name] + more })]
        expect(before).toBeGreaterThanOrEqual(0)
        expect(before).toBeLessThanOrEqual(100)
        if (Number.isNaN(figures[name])) return
        if (name === 'latency') expect(after).toBeLessThanOrEqual(before)
        else expect(after).toBeGreaterThanOrEqual(before)
      }),
      { seed, numRuns: times(200) },
    )
  })
})

describe('chronotype', () => {
  const night = (middleHour: number, hours = 8) => {
    const middle = Date.UTC(2024, 11, 13) + middleHour * HOUR_MS
    return chronotype(middle - (hours / 2) * HOUR_MS, middle + (hours / 2) * HOUR_MS)
  }
  const SECOND = 1 / 3600

  test.each([
    [17 - SECOND, 'owl'],
    [17, 'lark'],
    [23.5, 'lark'],
    [0, 'lark'],
    [3.5, 'lark'],
    [3.5 + SECOND, 'third'],
    [6, 'third'],
    [6 + SECOND, 'owl'],
    [12, 'owl'],
  ])('classifies a night centered on hour %f as that of a %s', (hour, type) => {
    expect(night(hour)).toBe(type)
  })

  test('follows the wall clock at the person’s location', async () => {
    const bed = { bedtime_start: '2024-12-12T22:00:00+00:00', bedtime_stop: '2024-12-13T06:00:00+00:00' }
    const at = (hours: number) =>
      ask(
        { summaries: [sleep('2024-12-13T06:00:00', bed, { offset: hours * 3600 })] },
        { select: [macro('chronotype')] },
      )
    expect(await at(0)).toEqual({ chronotype: ['lark'] }) // 02:00
    expect(await at(3)).toEqual({ chronotype: ['third'] }) // 05:00
    expect(await at(5)).toEqual({ chronotype: ['owl'] }) // 07:00
  })

  test('uses a separate offset for each end of a night with a clock change', async () => {
    const bed = { bedtime_start: '2024-10-05T15:00:00+00:00', bedtime_stop: '2024-10-05T16:00:00+00:00', latency: 4916 }
    const data = {
      summaries: [sleep('2024-10-05T16:00:00', bed, { offset: null, date: '2024-10-06' })],
      timeZone: 'Australia/Lord_Howe',
    }
    const select = [{ sleep: 'session_start' }, { sleep: 'session_end' }, macro('asleep_at')]
    expect(await ask(data, { select }, { anchor: '2024-10-06' })).toEqual({
      session_start: ['2024-10-06T01:30:00'],
      session_end: ['2024-10-06T03:00:00'],
      asleep_at: ['2024-10-06T02:51:56'],
    })
  })

  test('changes from third to owl as nights get later, on any date', () => {
    const order = ['lark', 'third', 'owl']
    const hour = fc.double({ min: 0, max: 16.9, noNaN: true })
    const days = fc.integer({ min: -20_000, max: 20_000 })
    fc.assert(
      fc.property(hour, hour, days, (a, b, day) => {
        const type = (at: number) => chronotype(day * DAY_MS + at * HOUR_MS, day * DAY_MS + at * HOUR_MS) as string
        expect(order.indexOf(type(Math.min(a, b)))).toBeLessThanOrEqual(order.indexOf(type(Math.max(a, b))))
      }),
      { seed, numRuns: times(120) },
    )
  })
})

describe('the hypnogram of a night', () => {
  const bed = { bedtime_start: '2024-12-12T22:00:00+00:00', bedtime_stop: '2024-12-13T06:00:00+00:00', latency: 600 }
  const night = sleep('2024-12-13T06:00:00', bed, { offset: 3600 })
  /** Returns a cycle with consecutive stages, each with its minutes. */
  const cycle = (
    stages: readonly (readonly [stage: number, minutes: number])[],
    more: Record<string, unknown> = {},
  ) => {
    let minute = 0
    const segments = stages.map(([stage, minutes]) => {
      minute += minutes
      return { stage, from: minute - minutes, to: minute }
    })
    return summary('sleep_cycle', '2024-12-13T06:00:00', {
      sleep_id: night.id,
      session_start: bed.bedtime_start,
      stage_type: segments.map(each => each.stage),
      stage_start_offset_second: segments.map(each => each.from * 60),
      stage_end_offset_second: segments.map(each => each.to * 60),
      ...more,
    })
  }
  const STAGES = [
    [4, 10],
    [2, 50],
    [1, 60],
    [4, 5],
    [3, 25],
    [5, 10],
    [4, 10],
    [-1, 30],
    [4, 40],
    [2, 200],
    [4, 40],
  ] as const
  const MACROS = ['asleep_at', 'awake_at', 'awakenings'].map(macro)
  const runQuery = (...cycles: ReturnType<typeof cycle>[]) => ask({ summaries: [night, ...cycles] }, { select: MACROS })

  test('shows when and how often the person woke up: only after sleep, not after missing data', async () => {
    expect(await runQuery(cycle(STAGES))).toEqual({
      asleep_at: ['2024-12-12T23:10:00'], // 23:00 local time, and ten minutes
      awake_at: ['2024-12-13T06:20:00'], // 440 minutes after 23:00
      awakenings: [3],
    })
  })

  test('is also found by the start of the session, but only from the same source', async () => {
    const found = { awake_at: ['2024-12-13T06:20:00'], awakenings: [3] }
    const none = { awake_at: [null], awakenings: [null] }
    expect(await runQuery(cycle(STAGES, { sleep_id: 'another' }))).toMatchObject(found)
    expect(await runQuery(cycle(STAGES, { sleep_id: undefined, session_start: bed.bedtime_stop }))).toMatchObject(none)
    expect(await runQuery({ ...cycle(STAGES), provider: 'garmin' })).toMatchObject(none)
    expect(await runQuery({ ...cycle(STAGES), sourceType: 'watch' })).toMatchObject(none)
    expect(await runQuery()).toMatchObject(none)
  })

  test('may be unordered, and may contain only time awake', async () => {
    const turned = cycle(STAGES)
    const { document } = turned
    const reversed = Object.fromEntries(
      Object.entries(document).map(([name, list]) => [name, Array.isArray(list) ? list.toReversed() : list]),
    )
    expect(await runQuery({ ...turned, document: reversed })).toMatchObject({ awakenings: [3] })
    expect(await runQuery(cycle([[4, 480]]))).toMatchObject({ awake_at: [null], awakenings: [0] })
    expect(await runQuery(cycle([]))).toMatchObject({ awake_at: [null], awakenings: [null] })
  })

  test('is read only for the macros that need it', async () => {
    const read: string[] = []
    const summaries = [night, cycle(STAGES)]
    const spied = {
      summaries: new Proxy(summaries, {
        get(list, name) {
          if (name !== 'filter') return Reflect.get(list, name)
          return (test: (each: (typeof summaries)[number]) => boolean) => {
            const found = list.filter(test)
            read.push(...found.map(each => each.kind))
            return found
          }
        },
      }),
    }
    await ask(spied, { select: [macro('asleep_at'), macro('sleep_score'), macro('chronotype')] })
    expect(read).toEqual(['sleep'])
    await ask(spied, { select: [{ func: 'max', arg: macro('awakenings') }] })
    expect(read).toEqual(['sleep', 'sleep', 'sleep_cycle'])
  })
})

test('macros can be group keys and arguments of functions', async () => {
  const bed = (start: string, stop: string, total: number) =>
    sleep(`2024-12-13T${stop}`, {
      bedtime_start: `2024-12-13T${start}+00:00`,
      bedtime_stop: `2024-12-13T${stop}+00:00`,
      total,
    })
  const summaries = [
    bed('00:00:00', '06:00:00', 14_400),
    bed('01:00:00', '06:30:00', 28_800),
    bed('09:00:00', '13:00:00', 7_200),
    sleep('2024-12-13T20:00:00', { total: 3_600 }),
  ]
  const query = {
    select: [
      macro('chronotype'),
      { func: 'max', arg: macro('sleep_score') },
      { func: 'count', arg: macro('sleep_score') },
      { func: 'count', arg: null },
    ],
    group_by: [macro('chronotype')],
  }
  expect(await ask({ summaries }, query)).toEqual({
    chronotype: ['lark', 'owl', 'third', null],
    'max.sleep_score': [50, 25, 100, 13],
    'count.sleep_score': [1, 1, 1, 1],
    'count.index': [1, 1, 1, 1],
  })
})
