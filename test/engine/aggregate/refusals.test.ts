/** Invalid queries: every refusal is a 422 that points at the invalid part and says what is available. */
import { describe, expect, test } from 'vitest'
import { QUERY_LIMITS } from '../../../src/catalogue/query-functions.ts'
import { queryBatch } from '../../../src/contract/aggregates/aggregate.ts'
import { ask, refusal, series } from './memory-source.ts'

const SLEEP = { sleep: 'efficiency' }
const MEAN = { func: 'mean', arg: SLEEP }
const KEYS = { group_key: '*' }
const BY_DAY = { date_trunc: { unit: 'day' }, arg: { index: 'sleep' } }
const select = (...items: unknown[]) => ({ select: items })

describe('a refusal contains the invalid part and the available values', () => {
  test.each([
    [select({ sleep: 'eficiency' }), 'unknown_column', 'select.0.sleep', 'Did you mean "efficiency"?'],
    [select({ index: 'sleeps' }), 'unknown_resource', 'select.0.index', 'Did you mean "sleep"?'],
    [select({ index: 'workouts' }), 'unknown_resource', 'select.0.index', 'Did you mean "workout"?'],
    [select({ func: 'mean', arg: { body: 'weight' } }), 'unknown_column', 'select.0.arg.body', '"weight_kilogram"'],
    [select({ meal: 'protein' }), 'unknown_column', 'select.0.meal', '"protein_gram"'],
    [select({ profile: 'name' }), 'unknown_column', 'select.0.profile', 'height_centimeter'],
    [select({ derived_readiness: 'recovery' }), 'unknown_column', 'select.0.derived_readiness', 'recovery_score'],
    [
      select({ timeseries: 'stepps', field: 'value' }),
      'unknown_resource',
      'select.0.timeseries',
      'Did you mean "steps"',
    ],
    [select({ timeseries: 'hypnogram', field: 'value' }), 'unknown_resource', 'select.0.timeseries', 'deprecated'],
    [select({ timeseries: 'blood_pressure', field: 'value' }), 'unknown_column', 'select.0.field', 'systolic'],
    [select({ timeseries: 'note', field: 'tags' }), 'unknown_column', 'select.0.field', 'list'],
    [select(SLEEP, { source: 'source_sport' }), 'unknown_column', 'select.1.source', 'source_device_id'],
    [select({ source: 'source_type' }), 'invalid_request', 'select', 'must name a table'],
    [select({ func: 'avg', arg: SLEEP }), 'invalid_request', 'select.0.func', 'Available: mean'],
    [select({ func: 'mean', arg: { sleep: 'type' } }), 'invalid_request', 'select.0.func', 'count, oldest, newest'],
    [select({ func: 'sum', arg: { index: 'sleep' } }), 'invalid_request', 'select.0.func', 'min, max, count'],
    [select(MEAN, { activity: 'steps' }), 'invalid_request', 'select.1.activity', 'this query reads sleep'],
    [select(MEAN, SLEEP), 'invalid_request', 'select.1', 'efficiency cannot be selected by itself'],
    [select(MEAN, KEYS), 'invalid_request', 'select.1.group_key', 'no group_by'],
    [select({ value_macro: 'sleepscore' }), 'unknown_column', 'select.0.value_macro', 'Did you mean "sleep_score"?'],
    [
      select({ func: 'newest', arg: { value_macro: 'cronotype' } }),
      'unknown_column',
      'select.0.arg.value_macro',
      '"chronotype"',
    ],
    [
      select({ derived_readiness: 'date' }, { value_macro: 'chronotype' }),
      'invalid_request',
      'select.1.value_macro',
      '{"derived_readiness": "chronotype"}',
    ],
    [select({ sleep: 'chronotype' }), 'unknown_column', 'select.0.sleep', '{"value_macro": "chronotype"}'],
    [select({ func: 'mean', arg: { value_macro: 'chronotype' } }), 'invalid_request', 'select.0.func', 'count, oldest'],
    [select({ func: 'mean', arg: null }, MEAN), 'invalid_request', 'select.0.arg', 'only count does'],
    [select({ func: 'count', arg: null }), 'invalid_request', 'select', 'must name a table'],
    [
      select({ func: 'count', arg: null }, { func: 'count', arg: { index: 'sleep' } }),
      'invalid_request',
      'select.1',
      'two columns named count',
    ],
    [select(MEAN, MEAN), 'invalid_request', 'select.1', 'two columns named mean'],
    [
      { select: [MEAN, { group_key: 1 }], group_by: [BY_DAY] },
      'invalid_request',
      'select.1.group_key',
      'numbered 0 to 0',
    ],
    [
      { select: [MEAN, { group_key: -1 }], group_by: [BY_DAY] },
      'invalid_request',
      'select.1.group_key',
      'numbered 0 to 0',
    ],
    [
      { select: [MEAN, KEYS, { group_key: 0 }], group_by: [BY_DAY] },
      'invalid_request',
      'select.2',
      'two columns named group_key.0',
    ],
    [{ select: [MEAN], group_by: [BY_DAY, BY_DAY] }, 'invalid_request', 'group_by.1.date_trunc', 'at most one'],
    [
      { select: [MEAN], group_by: [{ ...BY_DAY, arg: { index: 'activity' } }] },
      'invalid_request',
      'group_by.0.arg.index',
      'reads sleep',
    ],
    [
      { select: [MEAN], group_by: [{ ...BY_DAY, arg: { placeholder: true } }] },
      'invalid_request',
      'group_by.0.arg.placeholder',
      'continuous',
    ],
    [
      { select: [MEAN], group_by: [{ date_part: 'weekdy', arg: { index: 'sleep' } }] },
      'invalid_request',
      'group_by.0.date_part',
      '"weekday"',
    ],
    [
      { select: [MEAN], group_by: [{ value_macro: 'chronotyp' }] },
      'unknown_column',
      'group_by.0.value_macro',
      '"chronotype"',
    ],
    [
      { select: [KEYS], group_by: [{ menstrual_cycle: 'menstrual_flow' }] },
      'unknown_column',
      'group_by.0.menstrual_cycle',
      'only a sub-query',
    ],
    [
      { select: [{ func: 'count', arg: { index: 'timeseries' } }] },
      'invalid_request',
      'select',
      'must name at least one resource',
    ],
  ])('%j', async (query, code, loc, words) => {
    const refused = await refusal(query)
    expect(refused).toMatchObject({ code, status: 422, loc: `body.queries.0.${loc}` })
    expect(refused.message).toContain(words)
  })

  test('for an unknown provider among the overrides', async () => {
    const refused = await refusal({ select: [SLEEP] }, { priority: ['oura', 'garmn'] })
    expect(refused).toMatchObject({
      code: 'unknown_provider',
      loc: 'body.config.provider_priority_overrides.1',
    })
    expect(refused.message).toContain('Did you mean "garmin"')
  })

  test.each(['2024-02-30', 'today', '0001-01-01', '2024-12-13T00:00:00'])('for the anchor %s', async anchor => {
    expect(await refusal({ select: [SLEEP] }, { anchor })).toMatchObject({ loc: 'body.timeframe.anchor', status: 422 })
  })
})

describe('limits', () => {
  const limit = (loc: string) => ({ code: 'query_limit', status: 422, loc })
  const columns = Array.from({ length: QUERY_LIMITS.selectItems + 1 }, () => SLEEP)

  test('are reported for select items, group keys, window and bucket', async () => {
    expect(await refusal({ select: columns })).toMatchObject(limit('body.queries.0.select'))
    const keys = Array.from({ length: 11 }, () => ({ date_part: 'day', arg: { index: 'sleep' } }))
    expect(await refusal({ select: [MEAN], group_by: keys })).toMatchObject(limit('body.queries.0.group_by'))
    const long = { date_trunc: { unit: 'month', value: 1201 }, arg: { index: 'sleep' } }
    expect(await refusal({ select: [MEAN], group_by: [long] })).toMatchObject(
      limit('body.queries.0.group_by.0.date_trunc'),
    )
    const tooFar = [
      { unit: 'year', value: 21 },
      { unit: 'month', value: 241 },
      { unit: 'day', value: 7306 },
      { unit: 'minute', value: 999_999_999 },
    ] as const
    for (const past of tooFar)
      expect(await refusal({ select: [SLEEP] }, { past })).toMatchObject(limit('body.timeframe.past'))
    expect(await ask({}, { select: [SLEEP] }, { past: { unit: 'year', value: 20 } })).toEqual({ efficiency: [] })
  })

  test('refuse a result of more than a million groups instead of truncating it', async () => {
    const n = QUERY_LIMITS.rows + 1
    const start = Float64Array.from({ length: n }, (_, i) => Date.UTC(2020, 0, 1) + i * 60_000)
    const batch = {
      ...series({ resource: 'steps' }, [['2020-01-01', 1]]),
      n,
      start,
      value: new Float64Array(n).fill(1),
    }
    const query = {
      select: [{ func: 'sum', arg: { timeseries: 'steps', field: 'value' } }],
      group_by: [{ date_trunc: { unit: 'minute' as const }, arg: { index: 'timeseries' } }],
    }
    await expect(ask({ samples: [batch] }, query, { past: { unit: 'year', value: 10 } })).rejects.toMatchObject({
      code: 'query_limit',
      body: { detail: [{ loc: ['body', 'queries', 0] }] },
    })
  })

  test('refuse results that are within the limit individually but not together', async () => {
    const samples = [
      series({ resource: 'steps' }, [
        ['2024-12-01', 1],
        ['2024-12-02', 2],
      ]),
    ]
    const query = { select: [{ timeseries: 'steps', field: 'value' }, { index: 'timeseries' }] }
    const { cells } = QUERY_LIMITS
    // reaching the real limit takes half a gigabyte
    Object.assign(QUERY_LIMITS, { cells: 3 })
    try {
      await expect(ask({ samples }, query)).rejects.toMatchObject({
        code: 'query_limit',
        body: { detail: [{ loc: ['body', 'queries', 0] }] },
      })
    } finally {
      Object.assign(QUERY_LIMITS, { cells })
    }
    expect(await ask({ samples }, query)).toMatchObject({ steps: [1, 2] })
  })
})

describe('structure', () => {
  const timeframe = { type: 'relative', anchor: '2024-12-13', past: { unit: 'day' } }
  const body = (query: unknown) => queryBatch().safeParse({ timeframe, queries: [query] })

  test('is strict: an unknown key is refused everywhere', () => {
    expect(body({ select: [SLEEP], split_by_source: true }).success).toBe(false)
    expect(body({ select: [{ ...SLEEP, as: 'x' }] }).success).toBe(false)
    expect(body({ select: [{ ...MEAN, distinct: true }] }).success).toBe(false)
    expect(
      queryBatch().safeParse({ timeframe, queries: [{ select: [SLEEP] }], config: { week_starts_on: 'sunday' } })
        .success,
    ).toBe(false)
  })

  test('of an unknown item is refused with a list of the valid forms', () => {
    const issue = body({ select: [SLEEP, { foo: 1 }] }).error?.issues[0]
    expect(issue?.path).toEqual(['queries', 0, 'select', 1])
    expect(issue?.message).toContain('a select item must be one of {"index": TABLE}')
  })

  test('may omit the value of a period, which is then one unit', () => {
    expect(body({ select: [SLEEP] }).data?.timeframe).toMatchObject({ past: { unit: 'day', value: 1 } })
    expect(body({ select: [SLEEP], group_by: [{ ...BY_DAY, date_trunc: { unit: 'day', value: 0 } }] }).success).toBe(
      false,
    )
    expect(body({ select: [] }).success).toBe(false)
  })
})
