/** Expressions listed by GET /svc/v1/aggregate/columns can be used unchanged in a query. */
import { expect, test } from 'vitest'
import { openHarness } from '../../kit/harness.ts'

test('a query can count every column with the expression that is listed for it', async () => {
  const harness = await openHarness()
  const { tables } = await harness.call('aggregate.columns', {})
  const columns = tables.flatMap(each => each.columns)
  const ofMerge = new Set(columns.filter(({ meaning }) => meaning.includes('merged row')).map(each => each.expression))
  // the time of samples is a column of every resource, and a query has to name one of them
  const named = columns.flatMap(({ expression }) =>
    expression === null || expression['index'] === 'timeseries' ? [] : [expression],
  )
  expect(named.length).toBeGreaterThan(300)
  const user = await harness.call('user.create', { body: { client_user_id: 'ada' } })
  const timeframe = { type: 'relative', anchor: '2026-11-20', past: { unit: 'day', value: 1 } } as const
  for (let from = 0; from < named.length; from += 50) {
    const queries = named.slice(from, from + 50).map(expression => ({
      select: [{ func: 'count', arg: expression }],
      merge: ofMerge.has(expression),
    }))
    // the expressions are records here, and the service says which of them it knows
    const body = { timeframe, queries } as never
    const { results } = await harness.call('aggregate.query', { params: { user_id: user.user_id }, body })
    expect(results).toHaveLength(queries.length)
  }
  // lists and their fields are read by sub-queries only
  const lists = columns.filter(({ expression }) => expression === null).map(({ column }) => column)
  expect(lists).toEqual(expect.arrayContaining(['menstrual_flow', 'menstrual_flow.flow', 'note.tags']))
})
