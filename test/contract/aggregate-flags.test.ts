/** The query that flags become, and what is said of flags that become none. */
import { describe, expect, test } from 'vitest'
import { queryBatch } from '../../src/contract/aggregate.ts'
import { type QueryFlags, queryFromFlags } from '../../src/contract/aggregate-flags.ts'

const flags = (more: Partial<QueryFlags>): QueryFlags => ({
  select: ['mean(sleep.efficiency)'],
  groupBy: [],
  past: '8w',
  anchor: '2026-11-20',
  ...more,
})
const query = (more: Partial<QueryFlags>) => queryFromFlags(flags(more)).queries[0]

test('select, bucket and past of the guide become the request body', () => {
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
])('--select %s', (text, item) => {
  expect(query({ select: [text] })?.select).toEqual([item])
})

test.each([
  ['15min', { date_trunc: { unit: 'minute', value: 15 }, arg: { index: 'sleep' } }],
  ['3mo', { date_trunc: { unit: 'month', value: 3 }, arg: { index: 'sleep' } }],
  ['1y', { date_trunc: { unit: 'year', value: 1 }, arg: { index: 'sleep' } }],
  ['weekday', { date_part: 'weekday', arg: { index: 'sleep' } }],
  ['sleep.type', { sleep: 'type' }],
  ['source_provider', { source: 'source_provider' }],
])('--group-by %s', (text, item) => {
  expect(query({ groupBy: [text] })?.group_by).toEqual([item])
})

describe('what cannot be is a usage error that says what can', () => {
  test.each([
    [{ select: [] }, 'at least one column'],
    [{ select: ['avg(steps)'] }, 'There are mean, min, max'],
    [{ select: ['mean(stepps)'] }, 'Did you mean "steps"?'],
    [{ select: ['mean(sleep.eficiency)'] }, 'Did you mean "efficiency"?'],
    [{ select: ['mean(slep.efficiency)'] }, 'Did you mean "sleep"'],
    [{ select: ['mean(workout.calories)'] }, 'there are timeseries, sleep, activity'],
    [{ select: ['mean(blood_pressure)'] }, 'its fields are systolic, diastolic'],
    [{ select: ['mean(steps.valu)'] }, 'Did you mean "value"?'],
    [{ select: ['mean(steps'] }, 'written func(column)'],
    [{ select: ['count(source_type)'] }, 'is a source column'],
    [{ groupBy: ['weekdy'] }, '"weekday"?'],
    [{ groupBy: ['1x'] }, 'A key is a bucket (a number and a unit'],
    [{ groupBy: ['sleep.index'] }, 'a bucket (1d)'],
    [{ select: ['source_type'], groupBy: ['1d'] }, 'no --select names a table'],
    [{ past: '8' }, '--past is a number and a unit'],
    [{ past: '0d' }, '--past is a number and a unit'],
    [{ anchor: '2026-02-30' }, '--anchor is a calendar date'],
  ])('%j', (more, words) => {
    expect(() => query(more)).toThrow(
      expect.objectContaining({ code: 'usage', exitCode: 2, message: expect.stringContaining(words) }),
    )
  })
})
