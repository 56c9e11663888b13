/** The columns of the tables: where each value comes from, types, groups by columns, and edge cases of functions. */
import { tableFromIPC } from 'apache-arrow'
import { describe, expect, test } from 'vitest'
import { VALUE_MACROS } from '../../../src/catalogue/query/macros.ts'
import { LISTED_TABLES, type ListedColumn, listedColumns, QUERY_TABLES } from '../../../src/catalogue/query-columns.ts'
import { toArrow } from '../../../src/table/arrow.ts'
import { activity, ask, series, sleep, table } from './memory-source.ts'

test('sleep columns are the fields of the summary under their query names', async () => {
  const document = {
    type: 'long_sleep',
    state: 'confirmed',
    duration: 28800,
    total: 27000,
    awake: 1800,
    light: 15000,
    rem: 6000,
    deep: 6000,
    latency: 300,
    hr_lowest: 44,
    hr_average: 51.5,
    hr_dip: 12.5,
    hr_resting: 50,
    efficiency: 93.75,
    average_hrv: 61,
    temperature_delta: -0.2,
    respiratory_rate: 14.25,
    score: 88,
    recovery_readiness_score: 77,
  }
  const columns = {
    type: 'long_sleep',
    state: 'confirmed',
    duration_second: 28800,
    stage_asleep_second: 27000,
    stage_awake_second: 1800,
    stage_light_second: 15000,
    stage_rem_second: 6000,
    stage_deep_second: 6000,
    stage_unknown_second: null,
    latency_second: 300,
    heart_rate_minimum: 44,
    heart_rate_mean: 52,
    heart_rate_dip: 12.5,
    heart_rate_resting: 50,
    efficiency: 93.75,
    efficiency_recomputed: 93.75,
    hrv_mean_rmssd: 61,
    skin_temperature_delta: -0.2,
    respiratory_rate: 14.25,
    score: 88,
    recovery_readiness_score: 77,
    source_provider: 'oura',
    source_type: 'ring',
    source_app_id: null,
    source_device_id: 'd1',
  }
  const summaries = [sleep('2024-12-13T06:00:00', document, { deviceId: 'd1' })]
  const result = await ask({ summaries }, { select: Object.keys(columns).map(name => ({ sleep: name })) })
  expect(result).toEqual(Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, [value]])))
})

test.each([
  [{ duration: 28_800, total: 24_480 }, 85],
  // providers that do not report a duration have 0
  [{ duration: 28_800, total: 0 }, null],
  [{ duration: 0, total: 0 }, null],
  [{ duration: 28_800 }, null],
  [{ duration: 28_800, total: 28_860 }, null],
])('efficiency is recomputed from %j', async (document, efficiency) => {
  const summaries = [sleep('2024-12-13T06:00:00', { ...document, efficiency: 99 })]
  expect(await ask({ summaries }, { select: [{ sleep: 'efficiency_recomputed' }] })).toEqual({
    efficiency_recomputed: [efficiency],
  })
})

test('activity columns convert minutes to seconds and read nested heart rates', async () => {
  const summaries = [
    activity('2024-12-13', {
      low: 61.5,
      high: 2,
      distance: 5000.5,
      floors_climbed: 7,
      timezone_offset: 3600,
      time_zone: 'Europe/Berlin',
      heart_rate: { avg_bpm: 70, min_bpm: 45, max_bpm: 160, avg_walking_bpm: null },
    }),
  ]
  const columns = {
    intensity_low_second: 3690,
    intensity_medium_second: null,
    intensity_high_second: 120,
    duration_active_second: 3810,
    distance_meter: 5000.5,
    floors_climbed: 7,
    heart_rate_mean: 70,
    heart_rate_minimum: 45,
    heart_rate_maximum: 160,
    heart_rate_resting: null,
    heart_rate_mean_walking: null,
    time_zone: 'Europe/Berlin',
    time_zone_offset: 3600,
    date: '2024-12-13',
  }
  const result = await ask({ summaries }, { select: Object.keys(columns).map(name => ({ activity: name })) })
  expect(result).toEqual(Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, [value]])))
})

test('sample fields are value, duration, offset, type and sources, and null for other resources', async () => {
  const samples = [
    series({ resource: 'workout_duration', provider: 'garmin', sourceType: 'watch' }, [
      [
        '2024-12-13T08:00:00',
        5,
        {
          end: Date.UTC(2024, 11, 13, 8, 5),
          offset: 3600,
          text: { intensity: 'high', sport: 'running', workout_id: 'w1' },
        },
      ],
    ]),
    series({ resource: 'cholesterol', type: 'ldl', sourceType: 'lab' }, [['2024-12-13T07:00:00', 3.1]]),
  ]
  const field = (timeseries: string, name: string) => ({ timeseries, field: name })
  const result = await ask(
    { samples },
    {
      select: [
        field('workout_duration', 'value'),
        field('workout_duration', 'duration'),
        field('workout_duration', 'intensity'),
        field('workout_duration', 'timezone_offset'),
        field('workout_duration', 'source_sport'),
        field('cholesterol', 'value'),
        field('cholesterol', 'type'),
        { source: 'source_provider' },
        { source: 'source_workout_id' },
        { index: 'timeseries' },
      ],
    },
  )
  expect(result).toEqual({
    workout_duration: [null, 5],
    'workout_duration.duration': [null, 300],
    'workout_duration.intensity': [null, 'high'],
    'workout_duration.timezone_offset': [null, 3600],
    'workout_duration.source_sport': [null, 'running'],
    cholesterol: [3.1, null],
    'cholesterol.type': ['ldl', null],
    source_provider: ['oura', 'garmin'],
    source_workout_id: [null, 'w1'],
    index: ['2024-12-13T07:00:00', '2024-12-13T09:00:00'],
  })
})

test('weight and fat accept both their query names and their path names, and are labeled with the former', async () => {
  const samples = [series({ resource: 'body_weight' }, [['2024-12-13', 70]])]
  const select = [
    { timeseries: 'body_weight', field: 'value' },
    { timeseries: 'fat', field: 'value' },
  ]
  expect(await ask({ samples }, { select })).toEqual({ weight: [70], fat: [null] })
})

test('groups by columns are sorted, with texts by code unit and null last', async () => {
  const summaries = [
    sleep('2024-12-10T06:00:00', { type: 'short_sleep', score: 3 }),
    sleep('2024-12-11T06:00:00', { score: 5 }),
    sleep('2024-12-12T06:00:00', { type: 'long_sleep', score: 7 }),
    sleep('2024-12-13T06:00:00', { type: 'long_sleep', score: 8 }),
  ]
  const query = {
    select: [{ sleep: 'type' }, { func: 'sum', arg: { sleep: 'score' } }, { group_key: 0 }],
    group_by: [{ sleep: 'type' }],
  }
  expect(await ask({ summaries }, query)).toEqual({
    type: ['long_sleep', 'short_sleep', null],
    sum: [15, 3, 5],
    'group_key.0': ['long_sleep', 'short_sleep', null],
  })
})

describe('functions', () => {
  const values = (name: string, list: number[]) =>
    series(
      { resource: name },
      list.map((value, i) => [`2024-12-13T00:00:${String(i).padStart(2, '0')}`, value] as const),
    )
  const of = (func: string, timeseries = 'steps') => ({ func, arg: { timeseries, field: 'value' } })

  test('use compensated sums', async () => {
    const samples = [values('steps', [1, 1e100, 1, -1e100])]
    expect(await ask({ samples }, { select: [of('sum'), of('mean')] })).toEqual({ sum: [2], mean: [0.5] })
  })

  test('without values return 0 for count and null for the rest; a group needs a row', async () => {
    const functions = ['min', 'max', 'mean', 'sum', 'median', 'stddev', 'oldest', 'newest', 'count']
    const nothing = Object.fromEntries(functions.map(func => [func, [func === 'count' ? 0 : null]]))
    expect(await ask({}, { select: functions.map(func => of(func)) })).toEqual(nothing)
    const by = [{ date_trunc: { unit: 'day' as const }, arg: { index: 'timeseries' } }]
    expect(await ask({}, { select: [of('count')], group_by: by })).toEqual({ count: [] })
  })

  test('return null for the standard deviation of one value, and the mean of both for the median of two', async () => {
    expect(await ask({ samples: [values('steps', [4])] }, { select: [of('stddev')] })).toEqual({ stddev: [null] })
    expect(await ask({ samples: [values('steps', [4, 9])] }, { select: [of('median')] })).toEqual({ median: [6.5] })
  })

  test('ignore nulls in oldest and newest', async () => {
    const summaries = [
      sleep('2024-12-11T06:00:00', {}),
      sleep('2024-12-12T06:00:00', { score: 70, state: 'confirmed' }),
      sleep('2024-12-13T06:00:00', { type: 'long_sleep' }),
    ]
    const select = ['oldest', 'newest'].map(func => ({ func, arg: { sleep: 'score' } }))
    expect(await ask({ summaries }, { select })).toEqual({ oldest: [70], newest: [70] })
  })

  test('choose the better of two sources at the same time as the newest', async () => {
    const samples = [
      series({ resource: 'steps', provider: 'apple_health_kit', sourceType: 'phone' }, [['2024-12-13', 1]]),
      series({ resource: 'steps', provider: 'garmin', sourceType: 'watch' }, [['2024-12-13', 2]]),
    ]
    expect(await ask({ samples }, { select: [of('newest'), of('oldest')] })).toEqual({ newest: [2], oldest: [2] })
    expect(await ask({ samples: samples.reverse() }, { select: [of('newest')] })).toEqual({ newest: [2] })
  })
})

test('result types are timestamps, narrow integers, 64-bit integers, doubles and dictionaries', async () => {
  const summaries = [sleep('2024-12-13T06:00:00', { score: 70, type: 'x' })]
  const index = { index: 'sleep' }
  const result = await table(
    { summaries },
    {
      select: [
        { group_key: '*' },
        { func: 'mean', arg: { sleep: 'score' } },
        { func: 'max', arg: { sleep: 'score' } },
        { func: 'count', arg: index },
        { func: 'newest', arg: { sleep: 'type' } },
        { func: 'max', arg: index },
      ],
      group_by: [
        { date_trunc: { unit: 'day' }, arg: index },
        { date_part: 'weekday', arg: index },
        { date_part: 'year', arg: index },
        { sleep: 'type' },
      ],
    },
  )
  const { schema } = tableFromIPC(await toArrow(result, 'stream'))
  expect(schema.fields.map(field => `${field.name}: ${field.type}`)).toEqual([
    'group_key.0: Timestamp<MICROSECOND>',
    'group_key.1: Int8',
    'group_key.2: Int16',
    'group_key.3: Dictionary<Int32, Utf8>',
    'mean.score: Float64',
    'max.score: Int64',
    'count.index: Int64',
    'newest.type: Dictionary<Int32, Utf8>',
    'max.index: Timestamp<MICROSECOND>',
  ])
})

describe('the catalogue of tables', () => {
  test.each(QUERY_TABLES)('lists only columns that can be selected: %s', async name => {
    const columns = listedColumns(name)
    expect(new Set(columns.map(each => each.column)).size).toBe(columns.length)
    for (const each of columns) {
      const item = selectItem(name, each)
      const select = item && 'index' in item && name === 'timeseries' ? [item, STEPS] : item ? [item] : []
      const merge = each.meaning.includes('merged row')
      if (select.length > 0) expect(Object.values(await ask({}, { select: select as never, merge }))[0]).toEqual([])
    }
  })

  test('has the type and meaning of each column, and the meaning of a row of each table', () => {
    expect(LISTED_TABLES.map(each => each.table)).toEqual(QUERY_TABLES)
    expect(LISTED_TABLES.every(each => each.meaning !== '' && each.indexMeaning !== '')).toBe(true)
    expect(QUERY_TABLES.flatMap(listedColumns).filter(each => each.meaning === '')).toEqual([])
    expect(listedColumns('nothing')).toEqual([])
  })

  test('lists macros, lists and the fields of their elements', () => {
    const shown = (table: string) => listedColumns(table).map(({ column, type }) => `${column} ${type}`)
    expect(shown('sleep').slice(-5)).toEqual([
      'sleep_score int',
      'chronotype text',
      'asleep_at time',
      'awake_at time',
      'awakenings int',
    ])
    expect(shown('menstrual_cycle')).toContain('menstrual_flow list')
    expect(shown('menstrual_cycle')).toContain('menstrual_flow.flow text')
    expect(shown('menstrual_cycle').slice(-3)).toEqual([
      'basal_body_temperature list',
      'basal_body_temperature.date date',
      'basal_body_temperature.value float',
    ])
    expect(shown('timeseries').slice(-2)).toEqual(['note.tags list', 'note.tags.element text'])
  })
})

const STEPS = { timeseries: 'steps', field: 'value' }
const MACROS = VALUE_MACROS.map(each => each.name as string)

/** Returns the select item for a listed column; for a list and its fields, the sub-query that reads it. */
function selectItem(table: string, { column, type }: ListedColumn): Record<string, unknown> | undefined {
  const [head, ...rest] = column.split('.') as [string, ...string[]]
  if (column === 'index') return { index: table }
  if (table === 'sleep' && MACROS.includes(column)) return { value_macro: column }
  if (table === 'timeseries') {
    const unnest = { timeseries: head, field: 'tags' }
    if (type === 'list') return { select: { func: 'count', arg: null }, from: { unnest } }
    if (rest.length === 2) return { select: { func: 'max', arg: { element: true } }, from: { unnest } }
    return { timeseries: head, field: rest[0] }
  }
  if (type === 'list') return { select: { func: 'count', arg: null }, from: { unnest: { [table]: head } } }
  if (rest.length === 0) return { [table]: column }
  return {
    select: { func: 'count', arg: { field_for: table, [head]: rest[0] } },
    from: { unnest: { [table]: head } },
  }
}
