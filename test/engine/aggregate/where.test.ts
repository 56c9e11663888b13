/** Where clauses: precedence, quotes, three-valued logic, and refusals. */
import { describe, expect, test } from 'vitest'
import { activity, ask, ofCycle, refusal, series, sleep, summary } from './memory-source.ts'

const summaries = [
  sleep('2024-12-10T06:00:00', { score: 50, efficiency: 70, type: 'long_sleep', state: "it's" }),
  sleep('2024-12-11T06:00:00', { score: 60, type: 'short_sleep' }),
  sleep('2024-12-12T06:00:00', { efficiency: 90, type: 'long_sleep' }),
  sleep('2024-12-13T06:00:00', { score: 80, efficiency: 95 }),
]

async function kept(where: string): Promise<number[]> {
  const result = await ask({ summaries }, { select: [{ index: 'sleep' }], where })
  return (result['index'] as string[]).map(text => Number(text.slice(8, 10)))
}

describe('three-valued logic', () => {
  test.each([
    ['score >= 60', [11, 13]],
    ['60 <= score', [11, 13]],
    ['NOT score >= 60', [10]], // the night without a score is unknown, and excluded
    ['score = score', [10, 11, 13]],
    ['score != 50', [11, 13]],
    ['score > 55 OR efficiency > 85', [11, 12, 13]], // true beats unknown in OR
    ['score < 55 AND efficiency > 85', []],
    ['NOT (score < 55 AND efficiency > 85)', [10, 11, 13]],
    ['NOT (score > 70 OR efficiency < 60)', [10]],
    ["type = 'long_sleep'", [10, 12]],
    ["NOT type = 'long_sleep'", [11]],
    ["type < 'm'", [10, 12]],
    ["state = 'it''s'", [10]],
    ['efficiency > score', [10, 13]],
    ['efficiency < -1.5e1', []],
    ["session_end > '2024-12-11'", []],
  ])('%s', async (where, days) => {
    expect(await kept(where)).toEqual(days)
  })
})

test.each([
  ['score = 50 OR score = 60 AND efficiency > 0', [10]],
  ['(score = 50 OR score = 60) AND efficiency > 0', [10]],
  ['score = 60 AND efficiency > 0 OR score = 80', [13]],
  ['NOT score = 50 AND score < 70', [11]],
  ['NOT (score = 50 AND score < 70)', [11, 13]],
  ['not not score = 50 or (score = 80)', [10, 13]],
])('NOT binds tighter than AND, and AND tighter than OR: %s', async (where, days) => {
  expect(await kept(where)).toEqual(days)
})

test('a column may be named with its table, in a summary table, in the timeseries table and in a list', async () => {
  expect(await kept('sleep.score >= 60 AND score < 70')).toEqual([11])
  const samples = [
    series({ resource: 'steps' }, [
      ['2024-12-01', 5],
      ['2024-12-02', 50],
    ]),
  ]
  const count = [{ func: 'count', arg: { timeseries: 'steps', field: 'value' } }]
  for (const where of [
    'timeseries.steps > 9',
    'timeseries.steps.value > 9',
    'timeseries.source_provider = steps.source_provider AND steps > 9',
  ])
    expect(await ask({ samples }, { select: count, where })).toEqual({ count: [1] })
  const cycle = {
    menstrual_flow: [
      { date: '2024-12-01', flow: 'light' },
      { date: '2024-12-02', flow: 'none' },
    ],
  }
  const cycles = [summary('menstrual_cycle', '2024-12-01', cycle)]
  for (const name of ['flow', 'menstrual_flow.flow', 'menstrual_cycle.menstrual_flow.flow']) {
    const select = [ofCycle('menstrual_flow', 'count', null, `${name} != 'none'`)]
    expect(await ask({ summaries: cycles }, { select })).toEqual({ 'count.menstrual_flow': [1] })
  }
  expect(await refusal({ select: [{ sleep: 'score' }], where: 'activity.steps > 1' })).toMatchObject({
    code: 'unknown_column',
    loc: 'body.queries.0.where',
    message: expect.stringContaining('reads sleep'),
  })
})

test('a boolean is compared with true and false, a date with a quoted date', async () => {
  const data = {
    summaries: [activity('2024-12-12', { wheelchair_use: true }), activity('2024-12-13', { wheelchair_use: false })],
  }
  const select = [{ activity: 'date' }]
  expect(await ask(data, { select, where: 'wheelchair_use = false' })).toEqual({ date: ['2024-12-13'] })
  expect(await ask(data, { select, where: "date < '2024-12-13'" })).toEqual({ date: ['2024-12-12'] })
})

test('the timeseries table is sparse: a row has its own resource, and all others are null', async () => {
  const samples = [
    series({ resource: 'heartrate' }, [
      ['2024-12-13T08:00:00', 50],
      ['2024-12-13T09:00:00', 90],
    ]),
    series({ resource: 'steps' }, [['2024-12-13T08:00:00', 10]]),
    series({ resource: 'blood_pressure' }, [
      ['2024-12-13T08:00:00', 120, { second: 80 }],
      ['2024-12-13T09:00:00', 150, { second: 95 }],
    ]),
  ]
  const sum = (timeseries: string, field = 'value') => ({ func: 'sum', arg: { timeseries, field } })
  const select = [sum('heartrate'), sum('steps'), sum('blood_pressure', 'diastolic')]
  const names = ['sum.heartrate', 'sum.steps', 'sum.blood_pressure.diastolic']
  const runQuery = async (where: string) => {
    const result = await ask({ samples }, { select, where })
    return names.map(name => result[name]?.[0])
  }
  expect(await runQuery('heartrate >= 60')).toEqual([90, null, null])
  expect(await runQuery('heartrate >= 60 OR steps > 0')).toEqual([90, 10, null])
  expect(await runQuery('blood_pressure.systolic < 140')).toEqual([null, null, 80])
  expect(await runQuery("source_type = 'ring'")).toEqual([140, 10, 175])
  expect(await runQuery('heartrate >= 60 AND steps > 0')).toEqual([null, null, null])
})

describe('refusals', () => {
  const SELECT = [{ index: 'sleep' }]
  test.each([
    ['scor > 5', 'unknown_column', 'Did you mean "score"?'],
    ['score', 'invalid_request', 'one of > >= < <= = !='],
    ['score > ', 'invalid_request', 'found the end'],
    ['score > 5 6', 'invalid_request', 'found a number'],
    ['(score > 5', 'invalid_request', 'AND, OR or )'],
    ["type = 'x", 'invalid_request', 'no closing quote'],
    ['type = "x"', 'invalid_request', 'single quotes'],
    ["score > 'x'", 'invalid_request', 'a number cannot be compared with a text'],
    ["session_end > 'yesterday'", 'invalid_request', 'YYYY-MM-DD'],
    ['score IS NULL', 'invalid_request', 'found "IS"'],
    ['score ! 5', 'invalid_request', 'Write != for not equal'],
    ['score; 1', 'invalid_request', 'at character 6'],
    ['', 'invalid_request', 'found the end'],
  ])('%s', async (where, code, words) => {
    const refused = await refusal({ select: SELECT, where })
    expect(refused).toMatchObject({ code, status: 422, loc: 'body.queries.0.where' })
    expect(refused.message).toContain(words)
  })

  test('never contain a value in the message', async () => {
    const refused = await refusal({ select: SELECT, where: "score > 12345 'secret'" })
    expect(refused.message).not.toMatch(/12345|secret/)
  })

  test('start beyond 64 levels of nesting', async () => {
    const nested = (depth: number) => `${'('.repeat(depth)}score > 5${')'.repeat(depth)}`
    expect(await kept(nested(64))).toEqual([10, 11, 13])
    expect(await refusal({ select: SELECT, where: nested(65) })).toMatchObject({ code: 'query_limit' })
    expect(await refusal({ select: SELECT, where: `${'NOT '.repeat(65)}score > 5` })).toMatchObject({
      code: 'query_limit',
    })
  })

  test('start beyond 4,000 characters', async () => {
    const long = (length: number) => `score > 5${' '.repeat(length - 9)}`
    expect(await kept(long(4000))).toEqual([10, 11, 13])
    expect(await refusal({ select: SELECT, where: long(4001) })).toMatchObject({ code: 'query_limit' })
  })
})
