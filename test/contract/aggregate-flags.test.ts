/** Which query flags produce, and how invalid combinations are reported. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { parseAliases } from '../../src/cli/aggregate/aggregate-flag-alias.ts'
import { type QueryFlags, queryFromFlags } from '../../src/cli/aggregate/aggregate-flags.ts'
import { renameColumns } from '../../src/cli/aggregate/renamed.ts'
import { queryBatch } from '../../src/contract/aggregates/aggregate.ts'
import { temporaryFolder } from '../kit/folder.ts'

const flags = (more: Partial<QueryFlags>): QueryFlags => ({
  select: ['mean(sleep.efficiency)'],
  groupBy: [],
  past: '8w',
  anchor: '2026-11-20',
  ...more,
})
const query = (more: Partial<QueryFlags>) => queryFromFlags(flags(more)).queries[0]

test('the --select, --bucket and --past flags of the guide produce the request body', () => {
  const body = queryFromFlags(flags({ groupBy: ['1d'], where: "type = 'long_sleep'" }))
  expect(body).toEqual({
    timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'week', value: 8 } },
    queries: [
      {
        select: [{ group_key: '*' }, { func: 'mean', arg: { sleep: 'efficiency' } }],
        group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'sleep' } }],
        where: "type = 'long_sleep'",
      },
    ],
  })
  expect(queryBatch().safeParse(body).success).toBe(true)
})

test.each([
  ['sum(steps)', { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }],
  [
    'mean(timeseries.blood_pressure.systolic)',
    { func: 'mean', arg: { timeseries: 'blood_pressure', field: 'systolic' } },
  ],
  ['mean(blood_pressure.systolic)', { func: 'mean', arg: { timeseries: 'blood_pressure', field: 'systolic' } }],
  ['mean( timeseries.body_weight )', { func: 'mean', arg: { timeseries: 'weight', field: 'value' } }],
  ['count(sleep.index)', { func: 'count', arg: { index: 'sleep' } }],
  ['activity.steps', { activity: 'steps' }],
  ['timeseries.index', { index: 'timeseries' }],
  ['source_type', { source: 'source_type' }],
  ['sleep_score', { value_macro: 'sleep_score', version: 'automatic' }],
  ['mean(sleep.sleep_score)', { func: 'mean', arg: { value_macro: 'sleep_score', version: 'automatic' } }],
  ['mean(derived_readiness.sleep_score)', { func: 'mean', arg: { derived_readiness: 'sleep_score' } }],
  ['count(*)', { func: 'count', arg: null }],
  [
    "count(menstrual_cycle.menstrual_flow where flow != 'none')",
    {
      select: { func: 'count', arg: null },
      from: { unnest: { menstrual_cycle: 'menstrual_flow' } },
      where: "flow != 'none'",
    },
  ],
  [
    'mean(mean(menstrual_cycle.basal_body_temperature.value))',
    {
      func: 'mean',
      arg: {
        select: { func: 'mean', arg: { field_for: 'menstrual_cycle', basal_body_temperature: 'value' } },
        from: { unnest: { menstrual_cycle: 'basal_body_temperature' } },
      },
    },
  ],
  [
    "sum(count(note.tags where element = 'food (late)' OR element = 'x'))",
    {
      func: 'sum',
      arg: {
        select: { func: 'count', arg: null },
        from: { unnest: { timeseries: 'note', field: 'tags' } },
        where: "element = 'food (late)' OR element = 'x'",
      },
    },
  ],
  ['mean(efficiency)', { func: 'mean', arg: { sleep: 'efficiency' } }],
  ['latest(efficiency) as last', { func: 'newest', arg: { sleep: 'efficiency' } }],
  ['latency_second', { sleep: 'latency_second' }],
  [
    "count(menstrual_flow where menstrual_flow.flow != 'as b')",
    {
      select: { func: 'count', arg: null },
      from: { unnest: { menstrual_cycle: 'menstrual_flow' } },
      where: "menstrual_flow.flow != 'as b'",
    },
  ],
  [
    'min(timeseries.note.tags.element)',
    { select: { func: 'min', arg: { element: true } }, from: { unnest: { timeseries: 'note', field: 'tags' } } },
  ],
])('--select %s', (text, item) => {
  expect(query({ select: [text] })?.select).toEqual([item])
  expect(queryBatch().safeParse(queryFromFlags(flags({ select: [text] }))).error?.issues).toBeUndefined()
})

test.each([
  [
    ['mean(sleep.efficiency)', 'heart_rate_mean', 'count(index)'],
    { sleep: 'heart_rate_mean' },
    { func: 'count', arg: { index: 'sleep' } },
  ],
  [
    ['sum(activity.distance_meter)', 'sum(steps)', 'count(source_type)'],
    { func: 'sum', arg: { activity: 'steps' } },
    { func: 'count', arg: { activity: 'source_type' } },
  ],
  [['floors_climbed', 'steps', 'date'], { activity: 'steps' }, { activity: 'date' }],
  [
    ['sum(steps)', 'mean(heartrate)', 'min(calories_active)'],
    { func: 'mean', arg: { timeseries: 'heartrate', field: 'value' } },
    { func: 'min', arg: { timeseries: 'calories_active', field: 'value' } },
  ],
  [
    ['recovery_score', 'sleep_score', 'chronotype'],
    { derived_readiness: 'sleep_score' },
    { derived_readiness: 'chronotype' },
  ],
  [
    ['sleep_score', 'chronotype', 'efficiency'],
    { value_macro: 'chronotype', version: 'automatic' },
    { sleep: 'efficiency' },
  ],
])("columns without a table belong to the query's table: --select %j", (select, second, third) => {
  expect(query({ select })?.select.slice(1)).toEqual([second, third])
})

test("a group key without a table is a column of the query's table", () => {
  expect(query({ groupBy: ['type', 'weekday'] })?.group_by?.[0]).toEqual({ sleep: 'type' })
  expect(query({ select: ['count(*)'], groupBy: ['sport_name'] })?.group_by).toEqual([{ workout: 'sport_name' }])
})

test.each([
  [['sum(steps) as total'], 0, ['total']],
  [['sum(steps) AS Größe', 'mean(steps)'], 2, [undefined, undefined, 'Größe', undefined]],
  [['mean(steps)', 'group_key.1 as day', 'group_key.*'], 2, [undefined, 'day', undefined, undefined]],
  [['sum(steps)', "count(menstrual_flow where flow = 'x as y')"], 1, undefined],
])('--select %j names the columns of the result', (select, keys, names) => {
  expect(parseAliases(select, keys)).toEqual(names)
})

test('--select refuses a name that is used twice, and one name for several columns', () => {
  expect(() => parseAliases(['sum(steps) as a', 'mean(steps) as a'], 0)).toThrow('two columns named a')
  expect(() => parseAliases(['group_key.* as a', 'mean(steps)'], 1)).toThrow('cannot have a name')
  expect(() => renameColumns(['sum', 'mean'], ['mean', undefined])).toThrow('two columns named mean')
})

test.each([
  ['15min', { date_trunc: { unit: 'minute', value: 15 }, arg: { index: 'sleep' } }],
  ['3mo', { date_trunc: { unit: 'month', value: 3 }, arg: { index: 'sleep' } }],
  ['1y', { date_trunc: { unit: 'year', value: 1 }, arg: { index: 'sleep' } }],
  ['weekday', { date_part: 'weekday', arg: { index: 'sleep' } }],
  ['sleep.type', { sleep: 'type' }],
  ['source_provider', { source: 'source_provider' }],
  ['sleep_score', { value_macro: 'sleep_score', version: 'automatic' }],
  ['sleep.1w', { date_trunc: { unit: 'week', value: 1 }, arg: { index: 'sleep' } }],
  ['sleep.weekday', { date_part: 'weekday', arg: { index: 'sleep' } }],
])('--group-by %s', (text, item) => {
  expect(query({ groupBy: [text] })?.group_by).toEqual([item])
})

test('group keys that are selected by name are not selected again', () => {
  const groupBy = ['1d', 'sleep.type']
  expect(query({ groupBy })?.select[0]).toEqual({ group_key: '*' })
  expect(query({ groupBy, select: ['count(*)', 'group_key.1'] })?.select).toEqual([
    { func: 'count', arg: null },
    { group_key: 1 },
  ])
  expect(query({ groupBy: ['timeseries.1d'], select: ['count(*)'] })?.group_by).toEqual([
    { date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } },
  ])
})

test.each([
  ['forward', { mode: 'carry_forward' }],
  ['forward:14d', { mode: 'carry_forward', max_age: { unit: 'day', value: 14 } }],
  ['backward:2w', { mode: 'carry_backward', max_age: { unit: 'week', value: 2 } }],
  ['nearest:3mo', { mode: 'carry_nearest', span: { unit: 'month', value: 3 } }],
])('--align %s', (align, carry) => {
  const body = queryFromFlags(flags({ groupBy: ['1d'], align }))
  expect(body.queries[0]?.align).toEqual({ carry })
  expect(queryBatch().safeParse(body).success).toBe(true)
})

test('--priority sets the overrides for the call', () => {
  expect(queryFromFlags(flags({ priority: 'oura, garmin' })).config).toEqual({
    provider_priority_overrides: ['oura', 'garmin'],
  })
  expect(queryFromFlags(flags({})).config).toBeUndefined()
})

test("--priority takes the operator's own providers", () => {
  const file = path.join(temporaryFolder(), 'providers.json')
  writeFileSync(file, JSON.stringify([{ slug: 'acme_band', name: 'A', auth_type: 'password', resources: ['steps'] }]))
  vi.stubEnv('SVC_PROVIDERS', file)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(queryFromFlags(flags({ priority: 'acme_band,oura' })).config).toEqual({
    provider_priority_overrides: ['acme_band', 'oura'],
  })
})

describe('an invalid combination is a usage error that explains what is allowed', () => {
  test.each([
    [{ select: [] }, 'at least one column'],
    [{ select: ['avg(steps)'] }, 'Known names: mean, min, max'],
    [{ select: ['mean(stepps)'] }, 'Did you mean "steps"?'],
    [{ select: ['mean(sleep.eficiency)'] }, 'Did you mean "efficiency"?'],
    [{ select: ['mean(slep.efficiency)'] }, 'Did you mean "sleep"'],
    [{ select: ['menstrual_cycle.menstrual_flow'] }, 'is a list. Apply a function to it'],
    [{ select: ['mean(menstrual_cycle.menstrual_flow)'] }, 'menstrual_cycle.menstrual_flow.flow'],
    [{ select: ['newest(menstrual_cycle.menstrual_flow.date)'] }, 'does not work on a list'],
    [{ select: ['mean(count(menstrual_cycle.menstrual_flow.flw))'] }, 'Did you mean "flow"?'],
    [{ select: ['mean(sum(steps))'] }, 'a function of a list'],
    [{ select: ['count(steps where steps > 1)'] }, 'only a list can have a'],
    [{ select: ['mean(*)'] }, 'only count accepts *'],
    [{ select: ['mean()'] }, 'has no column'],
    [{ select: ['mean(steps))'] }, 'do not match'],
    [{ select: ['sleep_scor'] }, 'Did you mean "sleep_score"?'],
    [{ select: ['sleep.sleep_scor'] }, 'Did you mean "sleep_score"?'],
    [{ select: ['index'] }, 'sleep.index'],
    [{ select: ['group_key.one'], groupBy: ['1d'] }, 'group_key.0'],
    [{ select: ['group_key.0'] }, 'no --group-by'],
    [{ select: ['count(note.tags)'], groupBy: ['1d'] }, 'mean(count(note.tags))'],
    [{ align: 'forward' }, 'needs --group-by'],
    [{ groupBy: ['1d'], align: 'foward:1d' }, 'Did you mean "forward"?'],
    [{ groupBy: ['1d'], align: 'forward:1x' }, 'a number and a unit'],
    [{ groupBy: ['1d'], align: 'forward:1d:2d' }, 'forward:14d'],
    [{ priority: 'ora' }, 'Did you mean "oura"'],
    [{ priority: 'oura,' }, 'separated by commas'],
    [{ priority: 'oura,oura' }, 'lists oura twice'],
    [{ select: ['mean(blood_pressure)'] }, 'Name one of its fields: systolic, diastolic'],
    [{ select: ['mean(steps.valu)'] }, 'Did you mean "value"?'],
    [{ select: ['mean(steps'] }, '"mean(steps" is not a column. Write a function as func(column)'],
    [{ select: ['count(source_type)'] }, 'is a source column'],
    [{ groupBy: ['weekdy'] }, '"weekday"?'],
    [
      { select: ['efficiency', 'floors_climbed'], groupBy: ['1d'] },
      'No table has all of these columns: efficiency, floors_climbed',
    ],
    [{ select: ['mean(efficiency)', 'sum(activity.steps)'] }, 'this query reads activity, and a query reads one table'],
    [{ select: ['sum(steps) as 1st'] }, 'must begin with a letter'],
    [{ select: ['sum(steps) as a-b'] }, 'must begin with a letter'],
    [{ select: ['mean(heart_rate_mean)'] }, 'sleep.heart_rate_mean or activity.heart_rate_mean or workout.'],
    [{ groupBy: ['sport_name'] }, 'workout.sport_name'],
    [{ select: ['steps.index'] }, 'timeseries.index'],
    [{ select: ['sum(steps)'], groupBy: ['steps.1d'] }, 'timeseries.1d'],
    [{ select: ['sum(steps)'], groupBy: ['steps.weekday'] }, 'timeseries.weekday'],
    [{ groupBy: ['1x'] }, 'A key must be a bucket (a number and a unit'],
    [{ groupBy: ['sleep.index'] }, 'needs a bucket'],
    [{ select: ['mean(sum(steps))'], per: ['1x'] }, '--per: unknown key "1x"'],
    [{ select: ['source_type'], groupBy: ['1d'] }, 'no --select names a table'],
    [{ past: '8' }, '--past must be a number and a unit'],
    [{ past: '0d' }, '--past must be a number and a unit'],
    [{ anchor: '2026-02-30' }, '--anchor must be a calendar date'],
  ])('%j', (more, words) => {
    expect(() => query(more)).toThrow(
      expect.objectContaining({ code: 'usage', exitCode: 2, message: expect.stringContaining(words) }),
    )
  })
})
