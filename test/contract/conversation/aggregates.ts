/** Steps of the conversation: aggregate queries, continuous queries and source priorities. */
import { AGGREGATE_PARQUET } from '../../../src/contract/aggregates/aggregate.ts'
import { firstId, forUser, type Memory, NOBODY, topic, user } from '../conversation.ts'

const { steps, step } = topic()
export const aggregateSteps = steps

const batch = {
  timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'week', value: 2 } },
  queries: [
    {
      select: [
        { group_key: '*' },
        { func: 'sum', arg: { timeseries: 'steps', field: 'value' } },
        { func: 'count', arg: { timeseries: 'steps', field: 'value' } },
      ],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }],
    },
    { select: [{ func: 'mean', arg: { sleep: 'efficiency' } }] },
  ],
} as const
step('aggregate', 'aggregate.query', memory => ({ ...forUser(memory), body: batch }))
step(
  'aggregate as Parquet',
  'aggregate.query',
  memory => ({ ...forUser(memory), body: batch }),
  () => ({ accept: AGGREGATE_PARQUET }),
)
step(
  'aggregate as a picture',
  'aggregate.query',
  memory => ({ ...forUser(memory), body: batch }),
  () => ({ accept: 'image/png' }),
)
for (const format of ['csv', 'parquet'] as const) {
  step(`download a result as ${format}`, 'aggregate.download', memory => ({
    ...forUser(memory),
    query: { format },
    body: { ...batch, queries: batch.queries.slice(0, 1) },
  }))
}
step('download the results of two queries', 'aggregate.download', memory => ({
  ...forUser(memory),
  body: { ...batch, queries: [...batch.queries, ...batch.queries] },
}))
step('download the result of an unknown user', 'aggregate.download', () => ({
  params: { user_id: NOBODY },
  body: batch,
}))
step('aggregate an unknown column', 'aggregate.query', memory => ({
  ...forUser(memory),
  body: { ...batch, queries: [{ select: [{ func: 'mean', arg: { sleep: 'efficency' } }] }] },
}))
step('explain an aggregate', 'aggregate.explain', memory => ({
  ...forUser(memory),
  body: { query: batch, diff: ['garmin'] },
}))
step('why a number of steps', 'aggregate.why', memory => ({
  ...forUser(memory),
  query: { function: 'sum', column: 'steps', period: '2026-11-19', merge: true, limit: 2 },
}))
step('why a number of nights', 'aggregate.why', memory => ({
  ...forUser(memory),
  query: { function: 'mean', column: 'sleep.efficiency', period: '2026-11', merge: 'true', limit: 1 },
}))
step('why a number of an unknown column', 'aggregate.why', memory => ({
  ...forUser(memory),
  query: { function: 'sum', column: 'step', period: '2026-11-19' },
}))
step('why a number in a period that is none', 'aggregate.why', memory => ({
  ...forUser(memory),
  query: { function: 'sum', column: 'steps', period: 'monday' },
}))
step('why a number as of an earlier time', 'aggregate.why', memory => ({
  ...forUser(memory),
  query: { function: 'sum', column: 'steps', period: '2026-11-19', as_of: '2026-11-01' },
}))
step('the public key of signed documents', 'key.public', () => ({}))
step('why a number of an unknown user', 'aggregate.why', () => ({
  params: { user_id: NOBODY },
  query: { function: 'sum', column: 'steps', period: '2026-11-19' },
}))
step('conflicts of a merge', 'aggregate.conflicts', memory => ({ ...forUser(memory), query: { limit: 1 } }))
step('conflicts in a range that ends before it starts', 'aggregate.conflicts', memory => ({
  ...forUser(memory),
  query: { since: '2026-11-20', until: '2026-11-19' },
}))
step('conflicts of an unknown user', 'aggregate.conflicts', () => ({ params: { user_id: NOBODY } }))
const night = (memory: Memory, at: number) =>
  String((memory['sleep']?.['sleep'] as readonly { readonly id: string }[] | undefined)?.[at]?.id)
const pair = (memory: Memory, session_id = night(memory, 0), other_session_id = night(memory, 1)) => ({
  params: { user_id: user(memory), session_id, other_session_id },
})
const correct = (
  name: string,
  verdict: string,
  ids: (memory: Memory) => readonly [string?, string?] = () => [],
): void => step(name, 'aggregate.correct', memory => ({ ...pair(memory, ...ids(memory)), body: { verdict } }))
correct('declare two nights the same', 'same')
correct('declare them different', 'different', memory => [night(memory, 1), night(memory, 0)])
correct('declare them different again', 'different')
correct('declare them similar', 'similar')
correct('declare nights the same that are far apart', 'same', memory => [night(memory, 0), night(memory, 5)])
correct('declare a night different from itself', 'different', memory => [night(memory, 0), night(memory, 0)])
correct('declare a night different from an unknown one', 'different', memory => [night(memory, 0), NOBODY])
correct('declare a night the same as a workout', 'same', memory => [
  night(memory, 0),
  firstId(memory, 'workouts of one provider', 'workouts'),
])
step('corrections', 'aggregate.corrections', forUser)
step('corrections of workouts', 'aggregate.corrections', memory => ({
  ...forUser(memory),
  query: { table: 'workout' },
}))
step('corrections of an unknown user', 'aggregate.corrections', () => ({ params: { user_id: NOBODY } }))
step('undo a correction', 'aggregate.undo_correction', memory => pair(memory))
step('undo the same correction again', 'aggregate.undo_correction', memory => pair(memory))
step('columns of aggregate queries', 'aggregate.columns', () => ({}))
step('explain for an unknown user', 'aggregate.explain', () => ({
  params: { user_id: NOBODY },
  body: { query: batch },
}))
step('aggregate for an unknown user', 'aggregate.query', () => ({ params: { user_id: NOBODY }, body: batch }))

const DAILY = { date_trunc: { unit: 'day', value: 1 }, arg: { placeholder: true } } as const
const watched = {
  slug: 'daily-steps',
  title: 'Steps by the day',
  query: { select: batch.queries[0].select, group_by: [DAILY] },
} as const
const watch = (name: string, body: object): void => step(name, 'continuous_query.create', () => ({ body }))
watch('watch', watched)
watch('watch it again', watched)
watch('watch without a bucket', { ...watched, query: batch.queries[1] })
step('continuous queries', 'continuous_query.list', {})
step('a continuous query', 'continuous_query.get', { params: { query_id_or_slug: 'daily-steps' } })
step('an unknown continuous query', 'continuous_query.get', { params: { query_id_or_slug: 'dayly-steps' } })
const watchParams = (memory: Memory, slug = 'daily-steps') => ({
  params: { user_id: user(memory), query_id_or_slug: slug },
})
step('its result', 'aggregate.result_table', memory => watchParams(memory))
step(
  'its result as Parquet',
  'aggregate.result_table',
  memory => watchParams(memory),
  () => ({ accept: 'application/vnd.apache.parquet' }),
)
step('the result of an unknown continuous query', 'aggregate.result_table', memory =>
  watchParams(memory, 'dayly-steps'),
)
step('its runs', 'aggregate.task_history', memory => ({ ...watchParams(memory), query: { limit: 1 } }))
step('its runs after an invalid cursor', 'aggregate.task_history', memory => ({
  ...watchParams(memory),
  query: { next_cursor: 'AAAA' },
}))
step('rename the continuous query', 'continuous_query.rename', {
  params: { query_id_or_slug: 'daily-steps' },
  body: { title: 'Steps by day' },
})
step('rename an unknown continuous query', 'continuous_query.rename', {
  params: { query_id_or_slug: 'dayly-steps' },
  body: { title: 'Steps by day' },
})
step('delete the continuous query', 'continuous_query.delete', { params: { query_id_or_slug: 'daily-steps' } })
step('delete the continuous query again', 'continuous_query.delete', { params: { query_id_or_slug: 'daily-steps' } })
const PRIORITY = { data_type: 'sleep', provider: 'oura', source_type: 'ring', priority: 3 }
step('priorities before any are set', 'source_priority.list', {})
step('set priorities', 'source_priority.replace', { body: [PRIORITY, { ...PRIORITY, source_type: null }] })
step('set invalid ones', 'source_priority.replace', () => ({ body: [{ ...PRIORITY, provider: 'ora', priority: 0.5 }] }))
step('priorities of a data type', 'source_priority.list', { query: { data_type: 'sleep' } })
step('priorities of an unknown data type', 'source_priority.list', { query: { data_type: 'slep' } })
step('set an order of sources', 'source_order.replace', {
  params: { metric_group: 'sleep' },
  body: { sources: [{ provider: 'oura', source_type: 'ring' }, { source_type: 'watch' }] },
})
step('set an order of sources of a user', 'source_order.replace', memory => ({
  params: { metric_group: 'steps' },
  query: { user_id: user(memory) },
  body: { sources: [{ app_id: 'com.example.run' }] },
}))
step('set an order of unknown sources', 'source_order.replace', {
  params: { metric_group: 'sleep' },
  body: { sources: [{ provider: 'ora' }] },
})
step('orders of sources', 'source_order.list', memory => ({ query: { user_id: user(memory) } }))
step('orders of sources of an unknown user', 'source_order.list', { query: { user_id: NOBODY } })
step('clear priorities', 'source_priority.replace', { query: { data_type: 'sleep' }, body: [] })
