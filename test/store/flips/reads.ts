/** Every read operation about the users of a folder, and the exports: called before and after a flip. */
import type { DatabaseSyncInstance } from '@photostructure/sqlite'

export interface Ask {
  readonly id: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly accept?: string
}

const ALWAYS = { start_date: '2000-01-01', end_date: '2100-01-01' }
const TIMEFRAME = { type: 'relative', anchor: '2026-12-31', past: { unit: 'year', value: 2 } }

/** Brings a continuous query up to date, with its event. */
export const RUNS_QUERIES = 'aggregate.result_table'

const AGGREGATED: readonly string[] = ['heartrate', 'steps']

function byDay(timeseries: string): object {
  const arg = { timeseries, field: 'value' }
  const select = [{ group_key: '*' }, ...['sum', 'count', 'newest'].map(func => ({ func, arg }))]
  const day = { date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }
  return { timeframe: TIMEFRAME, queries: [{ select, group_by: [day] }] }
}

/** Returns all calls; they are made as the local team. */
export function listAsks(db: DatabaseSyncInstance): Ask[] {
  const all = <T>(sql: string): T[] => db.prepare(sql).all() as T[]
  const asks: Ask[] = [
    'user.list',
    'user.metrics',
    'introspect.resources',
    'introspect.historical_pulls',
    'continuous_query.list',
    'source_priority.list',
    'order.list',
    'import.list',
    'engine.status',
    'team.whoami',
    'team.list',
    'key.list',
    'audit.list',
    'event.list',
    'webhook.list',
    'fault.list',
    'labs.tests',
  ].map(id => ({ id }))
  asks.push({ id: 'user.search', query: { query_id: 'b' } }, { id: 'user.names', query: { starts_with: 'b' } })
  asks.push(
    { id: 'event.list', query: { state: 'dead' } },
    { id: 'event.list', query: { type: 'daily.data.*', payload: true } },
  )
  asks.push({ id: 'order.list', query: { patient_name: 'bob' } })
  for (const { user_id, client_user_id } of all<{ user_id: string; client_user_id: string }>('SELECT * FROM user')) {
    const params = { user_id }
    const ofUser = (id: string, more: Omit<Ask, 'id'> = {}): void => {
      asks.push({ id, ...more, params: { ...params, ...more.params } })
    }
    asks.push({ id: 'user.resolve', params: { client_user_id } })
    for (const id of ['user.get', 'user.providers', 'user.info', 'user.insurance', 'user.devices', 'user.export'])
      ofUser(id)
    asks.push({ id: 'introspect.resources', query: { user_id } }, { id: 'event.list', query: { user_id } })
    asks.push({ id: 'order.list', query: { user_id } }, { id: 'import.list', query: { user_id } })
    for (const { resource } of all<{ resource: string }>(
      `SELECT DISTINCT resource FROM series WHERE user_id='${user_id}'`,
    )) {
      ofUser('timeseries.grouped', { params: { resource }, query: ALWAYS })
      if (AGGREGATED.includes(resource)) ofUser('aggregate.query', { body: byDay(resource) })
    }
    for (const { kind } of all<{ kind: string }>(`SELECT DISTINCT kind FROM summary WHERE user_id='${user_id}'`)) {
      ofUser('summary.get', { params: { resource: kind }, query: ALWAYS })
    }
    for (const { query_id } of all<{ query_id: string }>('SELECT query_id FROM continuous_query')) {
      ofUser(RUNS_QUERIES, { params: { query_id_or_slug: query_id } })
      ofUser('aggregate.task_history', { params: { query_id_or_slug: query_id } })
    }
    for (const { device_id } of all<{ device_id: string }>(`SELECT device_id FROM device WHERE user_id='${user_id}'`)) {
      ofUser('user.device', { params: { device_id } })
    }
  }
  for (const { workout_id } of all<{ workout_id: string }>('SELECT workout_id FROM stream')) {
    asks.push({ id: 'timeseries.workout_stream', params: { workout_id } })
  }
  for (const { order_id } of all<{ order_id: string }>('SELECT order_id FROM lab_order')) {
    for (const id of ['order.get', 'order.result', 'order.result_metadata']) asks.push({ id, params: { order_id } })
  }
  for (const { event_id } of all<{ event_id: string }>('SELECT event_id FROM outbox LIMIT 3')) {
    asks.push({ id: 'event.get', params: { event_id } })
  }
  for (const { endpoint_id } of all<{ endpoint_id: string }>('SELECT endpoint_id FROM endpoint')) {
    asks.push({ id: 'webhook.get', params: { endpoint_id } })
  }
  // reading a result runs its query first, which causes events: lists of events come later
  const runs = ({ id }: Ask): boolean => id === RUNS_QUERIES
  return [...asks.filter(runs), ...asks.filter(ask => !runs(ask))]
}
