/** Shows continuous queries and their runs. */

import { string as stringArg } from '@oclif/core/args'
import type { ResponseOf } from '../../client/client.ts'
import { type Cell, type Facts, factSheet, fields, type View, view } from '../../output/view.ts'

type Query = ResponseOf<'continuous_query.get'>
type Task = ResponseOf<'aggregate.task_history'>['data'][number]

/** WATCH: the slug or ID of a continuous query. */
export const watchArgument = () =>
  stringArg({ required: true, description: 'Continuous query, as slug or ID; see `svc aggregate watch list`' })

const watchCells = (query: Query): Record<string, Cell> => ({
  slug: query.slug,
  title: query.title,
  query_id: query.query_id,
  minimum_gap_second: query.scheduling_preferences.minimum_gap_duration_second,
  data_events: query.export_preferences.data_events.enabled,
  created_at: query.created_at,
})

export function watchesView(queries: readonly Query[]): View<Query> {
  const names = ['slug', 'title', 'query_id', 'minimum_gap_second', 'data_events', 'created_at']
  const columns = Object.fromEntries(names.map(name => [name, (query: Query) => watchCells(query)[name]]))
  return view(queries, columns, 'No continuous queries. Create one with `svc aggregate watch create SLUG QUERY.json`.')
}

/** Returns one continuous query with its settings and its query as JSON. */
export function watchView(query: Query): View<Facts> {
  const config = query.query_config && JSON.stringify(query.query_config)
  return factSheet({ ...watchCells(query), query: JSON.stringify(query.query), query_config: config })
}

export function tasksView(tasks: readonly Task[]): View<Task> {
  return view(
    tasks,
    fields<Task>('status', 'scheduled_at', 'started_at', 'ended_at', 'error_details'),
    'The query has not run for this user, because no data that it reads has arrived since it was created.',
  )
}
