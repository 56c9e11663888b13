/** What a user gets for the example shapes of interface-gaps 4.9 that this version answers, computed by hand. */
import { expect, test } from 'vitest'
import { DAY_MS } from '../../../src/core/time.ts'
import { activity, ask, series, sleep, utc } from './memory-source.ts'

const BY_DAY = { date_trunc: { unit: 'day' as const, value: 1 }, arg: { index: 'sleep' } }
const KEYS = { group_key: '*' as const }

function nights(from: string, to: string, hourUtc = 6) {
  const list = []
  for (let at = utc(from); at <= utc(to); at += DAY_MS) {
    const end = new Date(at + hourUtc * 3_600_000).toISOString().slice(0, 19)
    list.push(sleep(end, { type: 'long_sleep', efficiency: 90, score: 80 }))
  }
  return list
}

test('three months to 2024-12-13 are 92 daily rows, both ends included', async () => {
  const summaries = nights('2024-09-10', '2024-12-15')
  const result = await ask(
    { summaries },
    { select: [KEYS, { func: 'newest', arg: { sleep: 'state' } }], group_by: [BY_DAY] },
  )
  expect(result['group_key.0']).toHaveLength(92)
  expect(result['group_key.0']?.[0]).toBe('2024-09-13T00:00:00')
  expect(result['group_key.0']?.at(-1)).toBe('2024-12-13T00:00:00')
  expect(Object.keys(result)).toEqual(['group_key.0', 'newest'])
})

test('three months to 2024-11-07 are 93 rows', async () => {
  const summaries = nights('2024-08-01', '2024-11-20')
  const query = { select: [KEYS, { func: 'count', arg: { index: 'sleep' } }], group_by: [BY_DAY] }
  expect((await ask({ summaries }, query, { anchor: '2024-11-07' }))['group_key.0']).toHaveLength(93)
})

test('shape 1: several functions of several columns are named func.column', async () => {
  const summaries = [
    sleep('2025-02-17T06:00:00', { type: 'long_sleep', efficiency: 98.22, score: 76 }),
    sleep('2025-02-17T13:00:00', { type: 'acknowledged_nap', efficiency: 40, score: 10 }),
  ]
  const result = await ask(
    { summaries },
    {
      select: [
        KEYS,
        { func: 'mean', arg: { sleep: 'efficiency' } },
        { func: 'mean', arg: { sleep: 'score' } },
        { func: 'newest', arg: { sleep: 'type' } },
      ],
      group_by: [BY_DAY],
      where: "type = 'long_sleep'",
    },
    { anchor: '2025-02-17', past: { unit: 'day', value: 1 } },
  )
  expect(result).toEqual({
    'group_key.0': ['2025-02-17T00:00:00'],
    'mean.efficiency': [98.22],
    'mean.score': [76],
    'newest.type': ['long_sleep'],
  })
})

test('shape 3: month and weekday are small numbers, weekday 1 being Monday', async () => {
  // 2024-12-09 is a Monday, 2024-12-15 a Sunday, 2024-11-11 a Monday.
  const summaries = [
    sleep('2024-12-09T06:00:00', { efficiency: 80 }),
    sleep('2024-12-08T06:00:00', { efficiency: 60 }),
    sleep('2024-11-11T06:00:00', { efficiency: 70 }),
    sleep('2024-11-18T06:00:00', { efficiency: 90 }),
  ]
  const part = (date_part: string) => ({ date_part, arg: { index: 'sleep' } })
  const result = await ask(
    { summaries },
    { select: [KEYS, { func: 'mean', arg: { sleep: 'efficiency' } }], group_by: [part('month'), part('weekday')] },
  )
  expect(result).toEqual({ 'group_key.0': [11, 12, 12], 'group_key.1': [1, 1, 7], mean: [80, 80, 60] })
})

test('shape 4: a week of activity begins on Monday', async () => {
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

test('shape 6: several resources stand in one table, each with its own best source', async () => {
  const watch = { provider: 'garmin', sourceType: 'watch' }
  const samples = [
    series({ resource: 'heartrate', ...watch }, [
      ['2024-12-13T08:00:00', 60],
      ['2024-12-13T09:00:00', 80],
    ]),
    series({ resource: 'steps', provider: 'apple_health_kit', sourceType: 'phone' }, [['2024-12-13T08:00:00', 500]]),
    series({ resource: 'body_temperature', ...watch }, [['2024-12-12T08:00:00', 36.6]]),
  ]
  const value = (func: string, timeseries: string) => ({ func, arg: { timeseries, field: 'value' } })
  const result = await ask(
    { samples },
    {
      select: [KEYS, value('mean', 'heartrate'), value('sum', 'steps'), value('max', 'body_temperature')],
      group_by: [{ date_trunc: { unit: 'day' }, arg: { index: 'timeseries' } }],
    },
  )
  expect(result).toEqual({
    'group_key.0': ['2024-12-12T00:00:00', '2024-12-13T00:00:00'],
    'mean.heartrate': [null, 70],
    'sum.steps': [null, 500],
    'max.body_temperature': [36.6, null],
  })
})

test('shape 9: without functions the rows themselves come, in time order', async () => {
  const summaries = [
    activity('2024-12-12', { steps: 9000, wheelchair_use: true }),
    activity('2024-12-11', { steps: 4000 }),
    activity('2024-12-10', { steps: 12000 }),
  ]
  const result = await ask(
    { summaries },
    {
      select: [
        { activity: 'date' },
        { index: 'activity' },
        { activity: 'steps' },
        { activity: 'wheelchair_use' },
        { source: 'source_type' },
      ],
      where: 'steps >= 9000',
    },
  )
  expect(result).toEqual({
    date: ['2024-12-10', '2024-12-12'],
    index: ['2024-12-10T00:00:00', '2024-12-12T00:00:00'],
    steps: [12000, 9000],
    wheelchair_use: [null, true],
    source_type: ['ring', 'ring'],
  })
})

test('shape 10: one column under several functions is named by the function alone', async () => {
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
