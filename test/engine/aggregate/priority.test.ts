/** Which source's rows count within a group. */
import { describe, expect, test } from 'vitest'
import { activity, ask, series } from './memory-source.ts'

const KEYS = { group_key: '*' as const }
const SUM = { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }
const BY_DAY = { date_trunc: { unit: 'day' as const }, arg: { index: 'timeseries' } }
const samples = [
  series({ resource: 'steps', provider: 'apple_health_kit', sourceType: 'phone' }, [
    ['2024-12-12T08:00:00', 100],
    ['2024-12-13T08:00:00', 200],
  ]),
  series({ resource: 'steps', provider: 'garmin', sourceType: 'watch' }, [
    ['2024-12-13T08:00:00', 1000],
    ['2024-12-13T09:00:00', 500],
  ]),
  series({ resource: 'steps', provider: 'fitbit', sourceType: 'watch' }, [['2024-12-13T08:00:00', 7000]]),
]

test('in each group the best source type wins, and the provider breaks a tie', async () => {
  const result = await ask({ samples }, { select: [KEYS, SUM], group_by: [BY_DAY] })
  // On the 12th there is only the phone; on the 13th two watches beat it, and fitbit comes before garmin.
  expect(result['sum']).toEqual([100, 7000])
})

test('config.provider_priority_overrides orders providers of one source type', async () => {
  const query = { select: [KEYS, SUM], group_by: [BY_DAY] }
  expect((await ask({ samples }, query, { priority: ['garmin'] }))['sum']).toEqual([100, 1500])
  expect((await ask({ samples }, query, { priority: ['garmin', 'fitbit'] }))['sum']).toEqual([100, 1500])
  expect((await ask({ samples }, query, { priority: ['apple_health_kit'] }))['sum']).toEqual([100, 7000])
  expect((await ask({ samples }, query, { priority: ['quest', 'garmin'] }))['sum']).toEqual([100, 1500])
})

test('every row counts without group_by', async () => {
  expect(await ask({ samples }, { select: [SUM] })).toEqual({ sum: [8800] })
})

test('grouping by both source columns shows every source', async () => {
  const both = [{ source: 'source_type' }, { source: 'source_provider' }]
  expect(await ask({ samples }, { select: [KEYS, SUM], group_by: both })).toEqual({
    'group_key.0': ['phone', 'watch', 'watch'],
    'group_key.1': ['apple_health_kit', 'fitbit', 'garmin'],
    sum: [300, 7000, 1500],
  })
})

test('grouping by one source column still applies priorities within it', async () => {
  const result = await ask({ samples }, { select: [KEYS, SUM], group_by: [{ source: 'source_type' }] })
  expect(result).toEqual({ 'group_key.0': ['phone', 'watch'], sum: [300, 7000] })
})

test('where is applied before sources are compared', async () => {
  const result = await ask({ samples }, { select: [KEYS, SUM], group_by: [BY_DAY], where: "source_type = 'phone'" })
  expect(result['sum']).toEqual([100, 200])
})

test('summaries follow the same priorities as samples, and a winner without the value gives null', async () => {
  const summaries = [
    activity('2024-12-13', { steps: 5000, calories_total: 2000 }, { provider: 'fitbit', sourceType: 'app', id: 'a' }),
    activity('2024-12-13', { steps: 6000 }, { provider: 'oura', sourceType: 'ring', id: 'b' }),
  ]
  const of = (func: string, name: string) => ({ func, arg: { activity: name } })
  const by = [{ date_trunc: { unit: 'day' as const }, arg: { index: 'activity' } }]
  const result = await ask({ summaries }, { select: [of('sum', 'steps'), of('max', 'calories_total')], group_by: by })
  expect(result).toEqual({ 'sum.steps': [6000], 'max.calories_total': [null] })
})

describe('functions of the index', () => {
  test('count the rows of every resource, each from its best source', async () => {
    const more = [...samples, series({ resource: 'heartrate', sourceType: 'ring' }, [['2024-12-13T08:00:00', 60]])]
    const count = { func: 'count', arg: { index: 'timeseries' } }
    const query = { select: [KEYS, count], group_by: [BY_DAY], where: 'steps > 0 OR heartrate > 0' }
    expect((await ask({ samples: more }, query))['count']).toEqual([1, 2])
  })
})
