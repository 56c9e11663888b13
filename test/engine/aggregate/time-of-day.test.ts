/** The mean of times of day, and `latest` as another name for `newest`. */
import { tableFromIPC } from 'apache-arrow'
import { describe, expect, test } from 'vitest'
import { toArrow } from '../../../src/table/arrow.ts'
import { toColumns } from '../../../src/table/json.ts'
import { toParquet } from '../../../src/table/parquet.ts'
import { fromParquet } from '../../../src/table/read-parquet.ts'
import { ask, refusal, sleep, table } from './memory-source.ts'

const MEAN = { func: 'mean', arg: { index: 'sleep' } }
const PAST = { past: { unit: 'year', value: 1 } } as const

/** Nights that end at these times on consecutive December days. */
const nights = (...ends: string[]) =>
  ends.map((end, i) => sleep(`2024-12-${String(i + 1).padStart(2, '0')}T${end}`, {}))
const meanTime = async (...ends: string[]) =>
  (await ask({ summaries: nights(...ends) }, { select: [MEAN] }, PAST))['mean']

describe('the mean of times', () => {
  test.each([
    [['06:00:00', '08:00:00'], '07:00:00'],
    [['23:50:00', '00:10:00'], '00:00:00'],
    [['23:00:00', '00:00:00', '01:00:00', '02:00:00'], '00:30:00'],
    [['12:34:56'], '12:34:56'],
    [['22:00:00', '22:00:01'], '22:00:01'],
    [['23:59:59', '00:00:00'], '00:00:00'],
    [['06:00:00', '06:00:00', '18:00:00'], '06:00:00'],
  ])('is the direction of their average on a 24-hour clock: %j', async (ends, mean) => {
    expect(await meanTime(...ends)).toEqual([mean])
  })

  test.each([[['06:00:00', '18:00:00']], [['00:00:00', '08:00:00', '16:00:00']], [[]]])(
    'is null if the times cancel out, or if there are none: %j',
    async ends => {
      expect(await meanTime(...ends)).toEqual([null])
    },
  )

  test('uses wall-clock times, in any zone and on both sides of a clock change', async () => {
    const summaries = [
      sleep('2024-10-26T05:00:00', {}, { offset: 7200 }),
      sleep('2024-10-28T06:00:00', {}, { offset: 3600 }),
      sleep('2024-10-29T22:00:00', {}, { offset: 9 * 3600 }),
    ]
    expect(await ask({ summaries }, { select: [MEAN] }, PAST)).toEqual({ mean: ['07:00:00'] })
  })

  test('of macros leaves out nights without a value, in each group', async () => {
    const summaries = [
      sleep('2024-12-01T06:00:00', { bedtime_start: '2024-11-30T23:40:00+00:00', latency: 600, type: 'long_sleep' }),
      sleep('2024-12-02T06:00:00', { bedtime_start: '2024-12-02T00:00:00+00:00', latency: 600, type: 'long_sleep' }),
      sleep('2024-12-03T06:00:00', { bedtime_start: '2024-12-03T00:00:00+00:00', type: 'short_sleep' }),
    ]
    const select = [{ group_key: '*' as const }, { func: 'mean', arg: { value_macro: 'asleep_at' } }]
    expect(await ask({ summaries }, { select, group_by: [{ sleep: 'type' }] }, PAST)).toEqual({
      'group_key.0': ['long_sleep', 'short_sleep'],
      mean: ['00:00:00', null],
    })
  })

  test('is a time without a date in every format', async () => {
    const result = await table({ summaries: nights('23:50:00', '00:10:30') }, { select: [MEAN] }, PAST)
    const { schema } = tableFromIPC(await toArrow(result, 'stream'))
    expect(String(schema.fields[0]?.type)).toBe('Time64<MICROSECOND>')
    expect(toColumns(await fromParquet(await toParquet(result)))).toEqual({ mean: ['00:00:15'] })
  })

  test('is refused for dates, and for the index of the samples of several resources', async () => {
    const of = (arg: unknown) =>
      refusal({
        select: [
          { func: 'mean', arg },
          { func: 'sum', arg: { timeseries: 'steps', field: 'value' } },
        ],
      })
    expect(await of({ index: 'timeseries' })).toMatchObject({ loc: 'body.queries.0.select.0.func', status: 422 })
    expect(await refusal({ select: [{ func: 'mean', arg: { activity: 'date' } }] })).toMatchObject({
      message: expect.stringContaining('mean does not apply to date'),
    })
  })
})

test('latest is another name for newest, and the result column is named newest', async () => {
  const summaries = [
    sleep('2024-12-01T06:00:00', { score: 70, efficiency: 90 }),
    sleep('2024-12-02T06:00:00', { score: 80, efficiency: 95 }),
  ]
  const latest = (column: string) => ({ func: 'latest', arg: { sleep: column } })
  expect(await ask({ summaries }, { select: [latest('score')] })).toEqual({ newest: [80] })
  expect(await ask({ summaries }, { select: [latest('score'), latest('efficiency')] })).toEqual({
    'newest.score': [80],
    'newest.efficiency': [95],
  })
  const both = { select: [latest('score'), { func: 'newest', arg: { sleep: 'score' } }] }
  expect(await refusal(both)).toMatchObject({ message: expect.stringContaining('two columns named newest') })
  const ofList = {
    select: [
      { select: { func: 'latest', arg: { element: true } }, from: { unnest: { timeseries: 'note', field: 'tags' } } },
    ],
  }
  expect(await refusal(ofList)).toMatchObject({ message: expect.stringContaining('latest does not apply to a list') })
})
