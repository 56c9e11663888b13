/**
 * The tools available to a model, as groups of operations. Names, arguments and results are derived from the operations table; a test lists
 * the operations that are not available as tools, with the reasons.
 */
import { AGGREGATE_FUNCTIONS } from '../../catalogue/query-functions.ts'
import type { Operation } from '../../contract/kernel/operation.ts'
import { type OperationId, operations } from '../../contract/operations.ts'

/** One tool. If it has several operations, the argument `action` selects one; a read-only tool defaults to the first. */
export interface ToolSpec {
  readonly name: string
  readonly title: string
  /** Purpose of the tool. The summary of each operation is added. */
  readonly about: string
  readonly operations: Readonly<Record<string, OperationId>>
  /** Whether the tool may remove or overwrite data. */
  readonly isDestructive?: boolean
}

/** A query for models to start from. */
export const QUERY_EXAMPLE = {
  timeframe: { type: 'relative', anchor: '2026-11-22', past: { unit: 'week', value: 1 } },
  queries: [
    {
      select: [{ group_key: '*' }, { func: 'mean', arg: { sleep: 'stage_asleep_second' } }],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'sleep' } }],
    },
  ],
} as const

const READING: readonly ToolSpec[] = [
  {
    name: 'users_list',
    title: 'List or search users',
    about: 'Finds users of the team. Other tools accept the user_id or the client_user_id of a user.',
    operations: { list: 'user.list', search: 'user.search' },
  },
  {
    name: 'users_get',
    title: 'Get a user',
    about: 'Returns one user: IDs, connected sources, fallback time zone, ingestion bounds.',
    operations: { get: 'user.get' },
  },
  {
    name: 'users_profile',
    title: 'Get profile info, insurance or devices',
    about: 'Returns facts about a person other than measurements.',
    operations: { info: 'user.info', insurance: 'user.insurance', devices: 'user.devices', device: 'user.device' },
  },
  {
    name: 'providers_list',
    title: 'List providers',
    about:
      'Returns every provider (a service that collects data) with its slug. For the connections of one user, use data_sources.',
    operations: { list: 'provider.list' },
  },
  {
    name: 'data_sources',
    title: 'Show where data comes from',
    about:
      'Shows which data exists and why other data is missing: connections and their errors, the oldest and newest ' +
      'data of each resource, historical pulls, imported files. Call it before you read data of an unknown user.',
    operations: {
      connections: 'user.providers',
      resources: 'introspect.resources',
      historical_pulls: 'introspect.historical_pulls',
      imports: 'import.list',
    },
  },
  {
    name: 'timeseries_get',
    title: 'Read samples',
    about:
      'Returns single measurements of one resource. For means, sums or trends over more than a day, use aggregate_query: it returns far less text.',
    operations: { get: 'timeseries.grouped' },
  },
  {
    name: 'streams_get',
    title: 'Read a workout or sleep stream',
    about: 'Returns the detailed measurements during one workout or one night. summaries_get returns the IDs.',
    operations: { workout: 'timeseries.workout_stream', sleep: 'timeseries.sleep_stream' },
  },
  {
    name: 'summaries_get',
    title: 'Read summaries',
    about:
      "Returns the providers' summaries of days, nights, workouts, meals or the person. Several providers may " +
      'describe the same night, with one summary each. start_date is required, except for profile. Durations are in ' +
      'seconds.',
    operations: { get: 'summary.get' },
  },
  {
    name: 'aggregate_query',
    title: 'Compute statistics',
    about:
      "Computes statistics from one user's data and returns one table of columns for each query. Each group uses " +
      'only the best of several sources; "merge": true in a query of timeseries, sleep or workout counts each time, night and workout once instead. ' +
      'aggregate_columns lists tables and columns. Functions: ' +
      `${AGGREGATE_FUNCTIONS.map(({ name }) => name).join(', ')}. Example, seconds asleep on each day of a week: ` +
      `${JSON.stringify(QUERY_EXAMPLE)}.`,
    operations: { query: 'aggregate.query' },
  },
  {
    name: 'aggregate_explain',
    title: 'Explain statistics',
    about:
      'Shows which sources the result of an aggregate query used and why the others were not used (explain), where one ' +
      'number comes from (why), or lists the nights and workouts that a merge may have matched incorrectly, or those that ' +
      'were declared the same or different.',
    // the first one is the default
    operations: {
      explain: 'aggregate.explain',
      why: 'aggregate.why',
      conflicts: 'aggregate.conflicts',
      corrections: 'aggregate.corrections',
    },
  },
  {
    name: 'continuous_queries_get',
    title: 'Read continuous queries',
    about: 'Returns saved aggregate queries, their stored results for a user, and their runs.',
    operations: {
      list: 'continuous_query.list',
      get: 'continuous_query.get',
      result: 'aggregate.result_table',
      history: 'aggregate.task_history',
    },
  },
  {
    name: 'labs_get',
    title: 'List laboratories',
    about: "Returns the laboratories that tests can be ordered from, or the team's accounts at them.",
    operations: { labs: 'labs.list', accounts: 'labs.accounts' },
  },
  {
    name: 'markers_list',
    title: 'Find lab markers',
    about: 'Returns markers: the biomarkers and panels that a lab measures.',
    operations: {
      search: 'labs.markers',
      of_test: 'labs.test_markers',
      of_order_set: 'labs.order_set_markers',
      by_code: 'labs.marker_by_code',
    },
  },
  {
    name: 'lab_tests_get',
    title: 'Find lab tests',
    about: 'Returns lab tests: named sets of markers that can be ordered together.',
    operations: { list: 'labs.tests', get: 'labs.test' },
  },
  {
    name: 'orders_list',
    title: 'List lab orders',
    about: 'Returns lab orders with their states. orders_get has the results.',
    operations: { list: 'order.list' },
  },
  {
    name: 'orders_get',
    title: 'Get a lab order or its results',
    about: 'Returns one lab order, or its results with reference ranges and interpretations.',
    operations: { order: 'order.get', results: 'order.result', result_metadata: 'order.result_metadata' },
  },
  {
    name: 'events_list',
    title: 'List events and deliveries',
    about:
      'Returns events and the state of their deliveries to webhook endpoints, newest first. For failed webhooks use state=dead or state=failing, then events_get.',
    operations: { list: 'event.list' },
  },
  {
    name: 'events_get',
    title: 'Get an event or an event type',
    about: 'Returns one event with its body and every delivery attempt, or describes event types.',
    operations: { event: 'event.get', types: 'event.types', type: 'event.type' },
  },
  {
    name: 'webhooks_get',
    title: 'Get webhook endpoints',
    about:
      'Returns webhook endpoints with their state, the reason if one is disabled, and how many deliveries are ' +
      'waiting or dead.',
    operations: { list: 'webhook.list', get: 'webhook.get' },
  },
  {
    name: 'team_get',
    title: 'Show the team',
    about: "Returns facts about the API key's team.",
    operations: {
      identity: 'team.whoami',
      metrics: 'user.metrics',
      source_priorities: 'source_priority.list',
      source_orders: 'source_order.list',
      deprecations: 'deprecation.list',
    },
  },
  {
    name: 'service_get',
    title: 'Show clock, status, live providers or audit trail',
    about:
      "Returns the service's clock, which may differ from real time: call it first to find out what " +
      '"today" is. All other actions need an operator\'s key.',
    operations: {
      clock: 'clock.get',
      status: 'engine.status',
      live_providers: 'provider.status',
      audit: 'audit.list',
    },
  },
]

const WRITING: readonly ToolSpec[] = [
  {
    name: 'users_change',
    title: 'Create or change a user',
    about:
      'Creates a user, changes the stored details of one, or declares two of their nights or workouts the same or different ' +
      'for merged queries (aggregate_explain lists conflicts and corrections).',
    operations: {
      create: 'user.create',
      update: 'user.patch',
      set_info: 'user.set_info',
      add_insurance: 'user.add_insurance',
      refresh: 'user.refresh',
      undo_delete: 'user.undo_delete',
      correct_sessions: 'aggregate.correct',
      undo_correction: 'aggregate.undo_correction',
    },
    isDestructive: true,
  },
  {
    name: 'users_delete',
    title: 'Delete a user',
    about: 'Deletes a user and all of their data. Ask the person you work for before you call it.',
    operations: { delete: 'user.delete' },
    isDestructive: true,
  },
  {
    name: 'connections_change',
    title: 'Connect or disconnect a provider',
    about: 'Adds a demo connection with synthetic data, or disconnects a provider.',
    operations: { connect_demo: 'link.demo', disconnect: 'user.disconnect' },
    isDestructive: true,
  },
  {
    name: 'settings_change',
    title: 'Change continuous queries or source priorities',
    about: 'Changes settings that apply to all users of the team.',
    operations: {
      create_continuous_query: 'continuous_query.create',
      rename_continuous_query: 'continuous_query.rename',
      delete_continuous_query: 'continuous_query.delete',
      set_source_priorities: 'source_priority.replace',
      set_source_order: 'source_order.replace',
    },
    isDestructive: true,
  },
  {
    name: 'orders_change',
    title: 'Place, cancel or simulate a lab order',
    about: 'Changes lab orders. Ask the person you work for before you place or cancel one.',
    operations: { create: 'order.create', cancel: 'order.cancel', simulate: 'order.simulate' },
    isDestructive: true,
  },
  {
    name: 'webhooks_change',
    title: 'Change endpoints or resend events',
    about: 'Changes, tests or deletes a webhook endpoint, or sends events again.',
    operations: {
      update: 'webhook.update',
      enable: 'webhook.enable',
      disable: 'webhook.disable',
      delete: 'webhook.delete',
      test: 'webhook.test',
      resend_event: 'event.resend',
      resend_period: 'events.resend',
    },
    isDestructive: true,
  },
  {
    name: 'data_delete',
    title: 'Delete samples or undo an import',
    about: "Permanently removes a user's data. Ask the person you work for before you call it.",
    operations: { samples: 'timeseries.delete', import: 'import.undo' },
    isDestructive: true,
  },
  {
    name: 'test_data',
    title: 'Create test data',
    about:
      'Adds synthetic people, triggers an event, or breaks a connection on purpose. For tests, not for real users.',
    operations: { seed: 'engine.seed', trigger_event: 'event.trigger', fail_connection: 'provider.fail' },
  },
]

/** Every tool that calls operations, with read-only tools first. */
export const TOOL_SPECS: readonly ToolSpec[] = [...READING, ...WRITING]

/** Returns whether none of the tool's operations changes anything that a caller could see. */
export function isReadOnly(spec: ToolSpec): boolean {
  return listOperations(spec).every(({ method, readsOnly }) => method === 'GET' || readsOnly === true)
}

/** Returns whether all of the tool's operations can safely be repeated. */
export function isIdempotent(spec: ToolSpec): boolean {
  return listOperations(spec).every(({ idempotent }) => idempotent)
}

function listOperations(spec: ToolSpec): readonly Operation[] {
  return Object.values(spec.operations).map(id => operations[id])
}

/**
 * The lists of a response whose elements are records, as paths in which `*` is any key. A path that ends in `=` refers to an object whose
 * lists are columns of one table. For an operation without an entry, the response itself or the lists directly in it are used.
 */
export const RECORD_LISTS: Readonly<Partial<Record<OperationId, readonly string[]>>> = {
  'timeseries.grouped': ['groups.*.*.data'],
  'timeseries.workout_stream': ['='],
  'aggregate.query': ['results.*.table.='],
  'aggregate.explain': ['results.*.*'],
  'aggregate.result_table': ['table.='],
  'event.get': ['*', 'payload.data.data'],
}
