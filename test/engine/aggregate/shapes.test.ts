/** The results of ten typical queries, computed by hand. See docs/interface/aggregates.md. */
import { expect, test } from 'vitest'
import { DAY_MS, formatDate } from '../../../src/core/time.ts'
import { activity, ask, ofCycle, series, sleep, summary, utc } from './memory-source.ts'

const BY_DAY = { date_trunc: { unit: 'day' as const, value: 1 }, arg: { index: 'sleep' } }
const KEYS = { group_key: '*' as const }
const SCORE = { value_macro: 'sleep_score' }

/** Eight-hour nights that end at 08:00: their middle is at 04:00. */
function nights(from: string, to: string) {
  const list = []
  for (let at = utc(from); at <= utc(to); at += DAY_MS) {
    const day = formatDate(at)
    const bed = { bedtime_start: `${day}T00:00:00+00:00`, bedtime_stop: `${day}T08:00:00+00:00` }
    list.push(sleep(`${day}T08:00:00`, { ...bed, type: 'long_sleep', efficiency: 90 }))
  }
  return list
}

test('shape 1: nights by day, with macros; several functions on several columns are named func.column', async () => {
  const summaries = [
    sleep('2025-02-17T06:00:00', {
      type: 'long_sleep',
      bedtime_start: '2025-02-16T22:00:00+00:00',
      bedtime_stop: '2025-02-17T06:00:00+00:00',
      // 40 x 27000/28800 + 20 + 15 + 15 / 2 + 0 = 80
      ...{ efficiency: 98.5, total: 27_000, deep: 5_400, rem: 2_700, latency: 3_600 },
    }),
    sleep('2025-02-17T14:00:00', {
      type: 'long_sleep',
      bedtime_start: '2025-02-17T10:00:00+00:00',
      bedtime_stop: '2025-02-17T14:00:00+00:00',
      // 40 / 2 + 20 / 2 + 15 / 2 + 15 / 2 + 10 / 2 = 50
      ...{ efficiency: 75, total: 14_400, deep: 2_700, rem: 2_700, latency: 2_400 },
    }),
    sleep('2025-02-17T18:00:00', { type: 'acknowledged_nap', efficiency: 40, total: 600 }),
  ]
  const result = await ask(
    { summaries },
    {
      select: [
        KEYS,
        { func: 'mean', arg: { sleep: 'efficiency' } },
        { func: 'mean', arg: { ...SCORE, version: 'automatic' } },
        { func: 'newest', arg: { value_macro: 'chronotype' } },
      ],
      group_by: [BY_DAY],
      where: "type = 'long_sleep'",
    },
    { anchor: '2025-02-17', past: { unit: 'day', value: 1 } },
  )
  expect(result).toEqual({
    'group_key.0': ['2025-02-17T00:00:00'],
    'mean.efficiency': [86.75],
    'mean.sleep_score': [65],
    'newest.chronotype': ['owl'],
  })
})

test('shape 2: three months up to 2024-12-13 are 92 daily rows, both ends included', async () => {
  const query = { select: [KEYS, { func: 'newest', arg: { value_macro: 'chronotype' } }], group_by: [BY_DAY] }
  const result = await ask({ summaries: nights('2024-09-10', '2024-12-15') }, query)
  expect(Object.keys(result)).toEqual(['group_key.0', 'newest'])
  expect(result['group_key.0']).toHaveLength(92)
  expect(result['group_key.0']?.[0]).toBe('2024-09-13T00:00:00')
  expect(result['group_key.0']?.at(-1)).toBe('2024-12-13T00:00:00')
  expect(new Set(result['newest'])).toEqual(new Set(['third']))
})

test('three months up to 2024-11-07 are 93 rows', async () => {
  const query = { select: [KEYS, { func: 'count', arg: null }], group_by: [BY_DAY] }
  const result = await ask({ summaries: nights('2024-08-01', '2024-11-20') }, query, { anchor: '2024-11-07' })
  expect(result['group_key.0']).toHaveLength(93)
  expect(result['count']).toEqual(new Array(93).fill(1))
})

test('shape 3: month and weekday are small numbers, with 1 for Monday', async () => {
  // 2024-12-09 is a Monday, 2024-12-08 a Sunday, 2024-11-11 a Monday. Scores: 40 x total / 28800, weights 40 of 40 + 20.
  const night = (day: string, efficiency: number, total: number) =>
    sleep(`${day}T06:00:00`, { efficiency, total: total * 3_600 })
  const summaries = [
    night('2024-12-09', 75, 8), // (40 + 10) / 60 = 83.3
    night('2024-12-08', 60, 6), // 30 / 60 = 50
    night('2024-11-11', 90, 4), // (20 + 20) / 60 = 66.7
    night('2024-11-18', 90, 8), // 100
  ]
  const part = (date_part: string) => ({ date_part, arg: { index: 'sleep' } })
  const result = await ask(
    { summaries },
    {
      select: [KEYS, { func: 'mean', arg: { sleep: 'efficiency' } }, { func: 'mean', arg: SCORE }],
      group_by: [part('month'), part('weekday')],
    },
    { past: { unit: 'month', value: 6 } },
  )
  expect(result).toEqual({
    'group_key.0': [11, 12, 12],
    'group_key.1': [1, 1, 7],
    'mean.efficiency': [90, 75, 60],
    'mean.sleep_score': [83.5, 83, 50],
  })
})

test('shape 4: a week of activity starts on Monday', async () => {
  const summaries = [
    activity('2024-12-08', { calories_total: 2000, steps: 100, low: 10, medium: 5, high: 1 }), // a Sunday
    activity('2024-12-09', { calories_total: 2100, steps: 300, low: 20, heart_rate: { resting_bpm: 50 } }),
    activity('2024-12-13', { calories_total: 2500, steps: 200, heart_rate: { resting_bpm: 53 } }),
  ]
  const column = (func: string, name: string) => ({ func, arg: { activity: name } })
  const result = await ask(
    { summaries },
    {
      select: [
        KEYS,
        column('mean', 'heart_rate_resting'),
        column('max', 'calories_total'),
        column('min', 'steps'),
        column('mean', 'duration_active_second'),
      ],
      group_by: [{ date_trunc: { unit: 'week' }, arg: { index: 'activity' } }],
    },
  )
  expect(result).toEqual({
    'group_key.0': ['2024-12-02T00:00:00', '2024-12-09T00:00:00'],
    'mean.heart_rate_resting': [null, 51.5],
    'max.calories_total': [2000, 2500],
    'min.steps': [100, 200],
    'mean.duration_active_second': [960, 1200],
  })
})

test('shape 5: the first glucose of each day and source', async () => {
  const samples = [
    series({ resource: 'glucose', provider: 'dexcom', sourceType: 'automatic' }, [
      ['2024-12-12T23:00:00', 5],
      ['2024-12-13T01:00:00', 5.5],
      ['2024-12-13T02:00:00', 7],
    ]),
    series({ resource: 'glucose', provider: 'abbott_libreview', sourceType: 'manual_scan' }, [
      ['2024-12-13T00:30:00', 6],
    ]),
  ]
  const result = await ask(
    { samples },
    {
      select: [KEYS, { func: 'oldest', arg: { timeseries: 'glucose', field: 'value' } }],
      group_by: [
        { date_trunc: { unit: 'day' }, arg: { index: 'timeseries' } },
        { source: 'source_provider' },
        { source: 'source_type' },
      ],
    },
  )
  expect(result).toEqual({
    'group_key.0': ['2024-12-12T00:00:00', '2024-12-13T00:00:00', '2024-12-13T00:00:00'],
    'group_key.1': ['dexcom', 'abbott_libreview', 'dexcom'],
    'group_key.2': ['automatic', 'manual_scan', 'automatic'],
    oldest: [5, 6, 5.5],
  })
})

test('shape 6: a metabolic day of several resources, by day and source', async () => {
  const watch = { provider: 'garmin', sourceType: 'watch' }
  const samples = [
    series({ resource: 'glucose', provider: 'dexcom', sourceType: 'automatic' }, [
      ['2024-12-13T08:00:00', 5],
      ['2024-12-13T09:00:00', 7],
    ]),
    series({ resource: 'heartrate', ...watch }, [
      ['2024-12-13T08:00:00', 60],
      ['2024-12-13T09:00:00', 80],
    ]),
    series({ resource: 'steps', provider: 'apple_health_kit', sourceType: 'phone' }, [['2024-12-13T08:00:00', 500]]),
    series({ resource: 'steps', ...watch }, [['2024-12-13T08:00:00', 400]]),
    series({ resource: 'hrv', ...watch }, [['2024-12-13T04:00:00', 55]]),
    series({ resource: 'calories_active', ...watch }, [['2024-12-13T08:00:00', 12.5]]),
    series({ resource: 'body_temperature', ...watch }, [
      ['2024-12-12T08:00:00', 36.5],
      ['2024-12-12T20:00:00', 37],
    ]),
  ]
  const value = (func: string, timeseries: string) => ({ func, arg: { timeseries, field: 'value' } })
  const query = {
    select: [
      KEYS,
      value('mean', 'glucose'),
      value('mean', 'heartrate'),
      value('sum', 'steps'),
      value('mean', 'hrv'),
      value('sum', 'calories_active'),
      value('mean', 'body_temperature'),
      value('min', 'body_temperature'),
      value('max', 'body_temperature'),
    ],
    group_by: [
      { date_trunc: { unit: 'day' as const }, arg: { index: 'timeseries' } },
      { source: 'source_provider' },
      { source: 'source_type' },
    ],
  }
  expect(await ask({ samples }, query)).toEqual({
    'group_key.0': ['2024-12-12T00:00:00', '2024-12-13T00:00:00', '2024-12-13T00:00:00', '2024-12-13T00:00:00'],
    'group_key.1': ['garmin', 'apple_health_kit', 'dexcom', 'garmin'],
    'group_key.2': ['watch', 'phone', 'automatic', 'watch'],
    'mean.glucose': [null, null, 6, null],
    'mean.heartrate': [null, null, null, 70],
    'sum.steps': [null, 500, null, 400],
    'mean.hrv': [null, null, null, 55],
    'sum.calories_active': [null, null, null, 12.5],
    'mean.body_temperature': [36.75, null, null, null],
    'min.body_temperature': [36.5, null, null, null],
    'max.body_temperature': [37, null, null, null],
  })
  // by day only, each resource has its own best source
  const byDay = await ask({ samples }, { ...query, group_by: query.group_by.slice(0, 1) })
  expect(byDay['group_key.0']).toHaveLength(2)
  expect(byDay['sum.steps']).toEqual([null, 400])
  expect(byDay['mean.glucose']).toEqual([null, 6])
})

test('shape 7: the weight of each day, carried forward up to 14 days', async () => {
  const weigh = (day: string, weight: number) => summary('body', `${day}T07:00:00`, { weight })
  const summaries = [weigh('2024-11-01', 80), weigh('2024-11-03', 79), weigh('2024-11-25', 78)]
  const query = {
    select: [KEYS, { func: 'mean', arg: { body: 'weight_kilogram' } }],
    group_by: [{ date_trunc: { unit: 'day' as const, value: 1 }, arg: { index: 'body' } }],
    align: { carry: { mode: 'carry_forward' as const, max_age: { unit: 'day' as const, value: 14 } } },
  }
  const result = await ask({ summaries }, query)
  // 1 November to 9 December, 14 days after the last weight
  expect(result['group_key.0']?.[0]).toBe('2024-11-01T00:00:00')
  expect(result['group_key.0']?.at(-1)).toBe('2024-12-09T00:00:00')
  const days = (n: number, weight: number | null) => new Array<number | null>(n).fill(weight)
  // the 3rd to the 17th; then nothing until the 24th; the 25th to the end
  expect(result['mean']).toEqual([...days(2, 80), ...days(15, 79), ...days(7, null), ...days(15, 78)])
})

test('shape 8: cycles, with aggregates over their lists', async () => {
  const summaries = [
    summary('menstrual_cycle', '2024-10-05', {
      period_start: '2024-10-05',
      period_end: '2024-10-08',
      cycle_end: '2024-11-01',
      menstrual_flow: [
        { date: '2024-10-05', flow: 'medium' },
        { date: '2024-10-06', flow: 'heavy' },
        { date: '2024-10-07', flow: 'light' },
        { date: '2024-10-08', flow: 'none' },
      ],
      basal_body_temperature: [
        { date: '2024-10-05', value: 36.5 },
        { date: '2024-10-06', value: 36.25 },
      ],
    }),
    summary('menstrual_cycle', '2024-11-02', { period_start: '2024-11-02', menstrual_flow: [] }),
  ]
  const result = await ask(
    { summaries },
    {
      select: [
        KEYS,
        { func: 'newest', arg: { menstrual_cycle: 'period_end' } },
        { func: 'newest', arg: { menstrual_cycle: 'cycle_end' } },
        { func: 'mean', arg: ofCycle('basal_body_temperature', 'mean', 'value') },
        { func: 'mean', arg: ofCycle('menstrual_flow', 'count', null, "flow != 'none'") },
      ],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'menstrual_cycle' } }],
    },
  )
  expect(result).toEqual({
    'group_key.0': ['2024-10-05T00:00:00', '2024-11-02T00:00:00'],
    'newest.period_end': ['2024-10-08', null],
    'newest.cycle_end': ['2024-11-01', null],
    'mean.mean.basal_body_temperature.value': [36.375, null],
    'mean.count.menstrual_flow': [3, 0],
  })
})

test('shape 9: without functions, the rows themselves are returned in time order', async () => {
  const summaries = [
    activity('2024-12-12', { low: 60, medium: 60, high: 30 }), // load 420: 21 x (1 - e^-1.4) = 15.8
    activity('2024-12-11', { low: 30 }), // load 30: 2.0
    activity('2024-12-10', { high: 120 }), // load 720: 19.1
    activity('2024-12-09', { steps: 5 }), // no durations: null
  ]
  const result = await ask(
    { summaries },
    {
      select: ['date', 'strain_score', 'strain_zone'].map(name => ({ derived_readiness: name })),
      where: 'strain_score >= 14',
    },
  )
  expect(result).toEqual({
    date: ['2024-12-10', '2024-12-12'],
    strain_score: [19, 16],
    strain_zone: ['Very High', 'High'],
  })
})

test('shape 10: one column with several functions is named by the function only', async () => {
  const samples = [
    series({ resource: 'heartrate' }, [
      ['2024-12-13T08:00:00', 61],
      ['2024-12-13T09:00:00', 64],
      ['2024-12-13T10:00:00', 70],
    ]),
  ]
  const of = (func: string) => ({ func, arg: { timeseries: 'heartrate', field: 'value' } })
  const functions = ['min', 'max', 'mean', 'sum', 'count', 'median', 'stddev', 'oldest', 'newest']
  expect(await ask({ samples }, { select: functions.map(of) })).toEqual({
    min: [61],
    max: [70],
    mean: [65],
    sum: [195],
    count: [3],
    median: [64],
    stddev: [Math.sqrt((16 + 1 + 25) / 2)],
    oldest: [61],
    newest: [70],
  })
})
