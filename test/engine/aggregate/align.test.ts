/** align: adds rows for empty buckets, carries values to null cells, and refuses what cannot be aligned. */
import { describe, expect, test } from 'vitest'
import { queryBatch } from '../../../src/contract/aggregates/aggregate.ts'
import { DAY_MS, formatDate } from '../../../src/core/time.ts'
import { ask, refusal, series, summary, utc } from './memory-source.ts'

type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'
const span = (value: number, unit: Unit = 'day') => ({ unit, value })
const trunc = (value: number, unit: Unit, index = 'body') => ({ date_trunc: span(value, unit), arg: { index } })
const KEYS = { group_key: '*' as const }
const MEAN = { func: 'mean', arg: { body: 'weight_kilogram' } }
const FAT = { func: 'mean', arg: { body: 'fat_mass_percentage' } }
const weigh = (day: string, weight: number | null, more: Record<string, unknown> = {}, source = {}) =>
  summary('body', `${day}T07:00:00`, { weight, ...more }, source)

const forward = (max_age: ReturnType<typeof span> | null = null) => ({ mode: 'carry_forward' as const, max_age })
const backward = (max_age: ReturnType<typeof span> | null = null) => ({ mode: 'carry_backward' as const, max_age })
const nearest = (cap: ReturnType<typeof span> | null = null) => ({ mode: 'carry_nearest' as const, span: cap })
type Carry = ReturnType<typeof forward> | ReturnType<typeof backward> | ReturnType<typeof nearest>

/** Returns the day of the month of each row, and its values. */
async function daily(summaries: ReturnType<typeof weigh>[], carry: Carry, now = '2026-11-20') {
  const query = { select: [KEYS, MEAN], group_by: [trunc(1, 'day')], align: { carry } }
  const result = await ask({ summaries }, query, { now: utc(now) })
  return [result['group_key.0']?.map(text => Number(`${text}`.slice(8, 10))), result['mean']]
}

const two = [weigh('2024-12-03', 70), weigh('2024-12-07', 74)]

describe('without a cap, the buckets from the first to the last with data are filled', () => {
  test.each([
    ['forward', forward(), [70, 70, 70, 70, 74]],
    ['backward', backward(), [70, 74, 74, 74, 74]],
    ['nearest, the earlier of two as near', nearest(), [70, 70, 70, 74, 74]],
  ])('%s', async (_, carry, values) => {
    expect(await daily(two, carry)).toEqual([[3, 4, 5, 6, 7], values])
  })

  test('and the cap may be omitted or null', async () => {
    const query = { select: [KEYS, MEAN], group_by: [trunc(1, 'day')] }
    const left = await ask({ summaries: two }, { ...query, align: { carry: { mode: 'carry_forward' as const } } })
    expect(left).toEqual(await ask({ summaries: two }, { ...query, align: { carry: forward(null) } }))
    expect(await ask({ summaries: two }, { ...query, align: null })).toEqual(await ask({ summaries: two }, query))
  })
})

describe('a cap limits how far a value is carried, and adds that many buckets', () => {
  test.each([
    ['forward', forward(span(2)), [3, 4, 5, 6, 7, 8, 9], [70, 70, 70, null, 74, 74, 74]],
    ['backward', backward(span(2)), [1, 2, 3, 4, 5, 6, 7], [70, 70, 70, null, 74, 74, 74]],
    ['nearest', nearest(span(1)), [2, 3, 4, 5, 6, 7, 8], [70, 70, 70, null, 74, 74, 74]],
  ])('%s', async (_, carry, days, values) => {
    expect(await daily(two, carry)).toEqual([days, values])
  })

  test('up to the bucket of the current time when carried forward, but never before the last one with data', async () => {
    expect(await daily(two, forward(span(5)), '2024-12-09T23:59:00')).toEqual([
      [3, 4, 5, 6, 7, 8, 9],
      [70, 70, 70, 70, 74, 74, 74],
    ])
    expect((await daily(two, forward(span(5)), '2024-12-05'))[0]).toEqual([3, 4, 5, 6, 7])
    expect((await daily(two, nearest(span(5)), '2024-12-05'))[0]).toEqual([28, 29, 30, 1, 2, 3, 4, 5, 6, 7])
  })

  test('by the current wall-clock time at the person’s location', async () => {
    const query = { select: [KEYS, MEAN], group_by: [trunc(1, 'day')], align: { carry: forward(span(5)) } }
    const rows = async (timeZone: string) =>
      (await ask({ summaries: two, timeZone }, query, { now: utc('2024-12-08T20:00:00') }))['mean']?.length
    expect(await rows('UTC')).toBe(6)
    expect(await rows('Asia/Tokyo')).toBe(7)
  })

  test('before the window when carried backward, in calendar months', async () => {
    const query = {
      select: [KEYS, MEAN],
      group_by: [trunc(1, 'month')],
      align: { carry: backward(span(2, 'month')) },
    }
    const result = await ask({ summaries: [weigh('2024-12-03', 70)] }, query, { past: span(1) as never })
    expect(result).toEqual({ 'group_key.0': [], mean: [] })
    expect(await ask({ summaries: [weigh('2024-12-13', 70)] }, query, { past: span(1) as never })).toEqual({
      'group_key.0': ['2024-10-01T00:00:00', '2024-11-01T00:00:00', '2024-12-01T00:00:00'],
      mean: [70, 70, 70],
    })
  })

  test('so that a month from the 31st ends on the last day of the next', async () => {
    const result = await ask(
      { summaries: [weigh('2024-01-31', 70)] },
      { select: [KEYS, MEAN], group_by: [trunc(1, 'day')], align: { carry: forward(span(1, 'month')) } },
      { past: { unit: 'year', value: 1 } },
    )
    expect(result['group_key.0']?.at(-1)).toBe('2024-02-29T00:00:00')
    const samples = [series({ resource: 'heartrate' }, [['2024-01-31T18:30:00', 60]])]
    const hourly = await ask(
      { samples },
      {
        select: [KEYS, { func: 'max', arg: { timeseries: 'heartrate', field: 'value' } }],
        group_by: [trunc(6, 'hour', 'timeseries')],
        align: { carry: forward(span(1, 'month')) },
      },
      { past: { unit: 'year', value: 1 } },
    )
    expect(hourly['group_key.0']?.at(-1)).toBe('2024-02-29T18:00:00')
    expect(hourly['max']).toHaveLength(29 * 4 + 1)
  })
})

describe('align treats each column and each partition separately', () => {
  test('and fills null cells of rows with data too, while a count of 0 is a value', async () => {
    const summaries = [
      weigh('2024-12-03', 70, { fat: 20 }),
      weigh('2024-12-04', null, { fat: 21 }),
      weigh('2024-12-06', 72),
    ]
    const query = {
      select: [KEYS, MEAN, FAT, { func: 'count', arg: { body: 'weight_kilogram' } }],
      group_by: [trunc(1, 'day')],
      align: { carry: forward(span(2)) },
    }
    const result = await ask({ summaries }, query, { now: utc('2024-12-07') })
    expect(result).toEqual({
      'group_key.0': ['03', '04', '05', '06', '07'].map(day => `2024-12-${day}T00:00:00`),
      'mean.weight_kilogram': [70, 70, 70, 72, 72],
      'mean.fat_mass_percentage': [20, 21, 21, 21, null],
      'count.weight_kilogram': [1, 0, 0, 1, 1],
    })
  })

  const sources = [
    weigh('2024-12-03', 70),
    weigh('2024-12-05', 71),
    weigh('2024-12-04', 80, {}, { provider: 'garmin', sourceType: 'watch', appId: 'app' }),
    weigh('2024-12-06', 82, {}, { provider: 'garmin', sourceType: 'watch', appId: 'app' }),
  ]
  const SOURCES = [{ source: 'source_provider' }, { source: 'source_type' }, { source: 'source_app_id' }]

  test('and keeps rows in key order, wherever the bucket is among the keys, with null last', async () => {
    const align = { carry: forward() }
    const [day, provider, type, app] = [trunc(1, 'day'), ...SOURCES]
    const first = await ask(
      { summaries: sources },
      { select: [KEYS, MEAN], group_by: [day, app, provider, type] as never, align },
    )
    expect(first['group_key.0']?.map(text => `${text}`.slice(8, 10))).toEqual(['03', '04', '04', '05', '05', '06'])
    expect(first['group_key.1']).toEqual([null, 'app', null, 'app', null, 'app'])
    expect(first['mean']).toEqual([70, 80, 70, 80, 71, 82])
    const last = await ask(
      { summaries: sources },
      { select: [KEYS, MEAN], group_by: [provider, app, type, day] as never, align },
    )
    expect(last['group_key.0']).toEqual(['garmin', 'garmin', 'garmin', 'oura', 'oura', 'oura'])
    expect(last['mean']).toEqual([80, 80, 82, 70, 70, 71])
    const middle = await ask(
      { summaries: sources },
      { select: [KEYS, MEAN], group_by: [app, day, provider, type] as never, align },
    )
    expect(middle['group_key.0']).toEqual(['app', 'app', 'app', null, null, null])
    expect(middle['mean']).toEqual([80, 80, 82, 70, 70, 71])
  })

  test('and carries texts unchanged, and fills keys that are selected under other names', async () => {
    const query = {
      select: [{ group_key: 0 }, { source: 'source_provider' }, { func: 'newest', arg: { body: 'source_type' } }],
      group_by: [trunc(1, 'day'), { source: 'source_provider' }],
      align: { carry: backward() },
    }
    const result = await ask({ summaries: sources.slice(0, 2) }, query)
    expect(Object.keys(result)).toEqual(['group_key.0', 'source_provider', 'newest'])
    expect(result['source_provider']).toEqual(['oura', 'oura', 'oura'])
    expect(result['newest']).toEqual(['ring', 'ring', 'ring'])
  })

  test('and adds nothing if there are no rows', async () => {
    const query = { select: [KEYS, MEAN], group_by: [trunc(1, 'day')], align: { carry: forward(span(9)) } }
    expect(await ask({}, query)).toEqual({ 'group_key.0': [], mean: [] })
  })
})

describe('refusals', () => {
  const align = (carry: unknown) => ({ carry })
  const by = (...group_by: unknown[]) => ({ select: [KEYS, MEAN], group_by })
  test.each([
    [{ select: [MEAN], align: align(forward()) }, 'align', 'date_trunc'],
    [{ ...by({ body: 'source_type' }), align: align(forward()) }, 'align', 'date_trunc'],
    [
      { ...by(trunc(1, 'day'), { date_part: 'hour', arg: { index: 'body' } }), align: align(forward()) },
      'group_by.1.date_part',
      'date_part',
    ],
    [{ select: [MEAN], group_by: [trunc(1, 'day')], align: align(forward()) }, 'select', '{"group_key": 0}'],
    [
      {
        select: [MEAN, { group_key: 0 }],
        group_by: [trunc(1, 'day'), { source: 'source_type' }],
        align: align(forward()),
      },
      'select',
      '{"group_key": 1}',
    ],
    [{ ...by(trunc(1, 'week')), align: align(forward(span(6))) }, 'align.carry.max_age', '1 week here'],
    [{ ...by(trunc(2, 'month')), align: align(backward(span(8, 'week'))) }, 'align.carry.max_age', '2 months here'],
    [{ ...by(trunc(1, 'day')), align: align(nearest(span(23, 'hour'))) }, 'align.carry.span', '1 day here'],
  ])('%j', async (query, loc, words) => {
    const refused = await refusal(query)
    expect(refused).toMatchObject({ code: 'invalid_request', status: 422, loc: `body.queries.0.${loc}` })
    expect(refused.message).toContain(words)
  })

  test('allow a cap of one bucket, but not of more than a hundred years', async () => {
    for (const [bucket, cap] of [
      [trunc(1, 'month'), span(1, 'month')],
      [trunc(1, 'month'), span(31)],
      [trunc(1, 'year'), span(12, 'month')],
      [trunc(24, 'hour'), span(1)],
    ] as const) {
      expect(await ask({}, { ...(by(bucket) as object), align: align(forward(cap)) } as never)).toMatchObject({
        mean: [],
      })
    }
    expect(await refusal({ ...by(trunc(1, 'day')), align: align(forward(span(101, 'year'))) })).toMatchObject({
      code: 'query_limit',
      loc: 'body.queries.0.align.carry.max_age',
    })
  })

  test('apply to a result of more than a million rows', async () => {
    const query = {
      select: [KEYS, MEAN],
      group_by: [trunc(1, 'minute')],
      align: { carry: forward() },
    }
    const far = [weigh('2020-01-01', 70), weigh('2024-12-01', 71)]
    await expect(ask({ summaries: far }, query, { past: { unit: 'year', value: 10 } })).rejects.toMatchObject({
      code: 'query_limit',
      body: { detail: [{ loc: ['body', 'queries', 0] }] },
    })
    const capped = { ...query, align: { carry: backward(span(20, 'year')) } }
    await expect(ask({ summaries: [weigh('2024-12-01', 71)] }, capped)).rejects.toMatchObject({ code: 'query_limit' })
  })

  test('identify the invalid part of the structure', () => {
    const issueOf = (given: unknown) => {
      const timeframe = { type: 'relative', anchor: '2024-12-13', past: { unit: 'day' } }
      const body = { timeframe, queries: [{ ...by(trunc(1, 'day')), align: given }] }
      const issue = queryBatch().safeParse(body).error?.issues[0]
      return [issue?.path.slice(2).join('.'), issue?.message]
    }
    expect(issueOf({ carry: { mode: 'carry_on' } })).toEqual([
      'align.carry.mode',
      'the mode of carry must be one of carry_forward, carry_backward, carry_nearest',
    ])
    expect(issueOf({ carry: { mode: 'carry_nearest', max_age: span(1) } })[0]).toBe('align.carry')
    expect(issueOf({ carry: { mode: 'carry_forward', max_age: span(0) } })[0]).toBe('align.carry.max_age.value')
    expect(issueOf({ carry: forward(), fill: 0 })[0]).toBe('align')
    expect(issueOf({})[0]).toBe('align.carry')
  })
})

test('a day of minutes in many partitions is aligned quickly', async () => {
  const samples = Array.from({ length: 20 }, (_, i) =>
    series({ resource: 'steps', provider: `p${i}`, sourceType: 'phone' }, [
      ['2024-12-12T00:00:00', i],
      ['2024-12-12T23:59:00', i + 1],
    ]),
  )
  const result = await ask(
    { samples },
    {
      select: [KEYS, { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }],
      group_by: [trunc(1, 'minute', 'timeseries'), { source: 'source_provider' }],
      align: { carry: forward() },
    },
  )
  expect(result['sum']).toHaveLength(20 * 1440)
  expect(result['group_key.0']?.at(-1)).toBe(`${formatDate(utc('2024-12-13') - DAY_MS)}T23:59:00`)
  expect(result['sum']?.slice(0, 3)).toEqual([0, 1, 10]) // p0, p1, p10 …
})
