/** Operations: aggregate queries, continuous queries and source priorities. */

import { operation } from '../kernel/operation.ts'
import { success } from '../kernel/primitives.ts'
import * as user from '../users/user.ts'
import { AGGREGATE_PARQUET, aggregationResponse, queryBatch } from './aggregate.ts'
import { explainReply, explainRequest } from './aggregate-explain.ts'
import { queryColumns } from './columns.ts'
import * as continuous from './continuous-query.ts'
import * as priorities from './priorities.ts'

export const aggregateOperations = {
  'aggregate.query': operation({
    route: 'POST /aggregate/v1/user/{user_id}/query',
    beta: 'aggregate',
    tag: 'Aggregate',
    summary: 'Run aggregate queries and return JSON tables or Parquet files',
    params: user.userParams,
    body: queryBatch,
    reply: aggregationResponse,
    alsoReplies: [AGGREGATE_PARQUET],
    errors: [404],
    readsOnly: true,
    takesLong: 'reads',
    idempotent: true,
  }),
  'aggregate.explain': operation({
    route: 'POST /svc/v1/aggregate/user/{user_id}/explain',
    beta: 'aggregate',
    tag: 'Aggregate',
    summary: 'Explain the answers of aggregate queries',
    params: user.userParams,
    body: explainRequest,
    reply: explainReply,
    errors: [404],
    readsOnly: true,
    takesLong: 'reads',
    idempotent: true,
  }),
  'aggregate.columns': operation({
    route: 'GET /svc/v1/aggregate/columns',
    beta: 'aggregate',
    tag: 'Aggregate',
    summary: 'List the tables, columns, functions and units of aggregate queries',
    reply: queryColumns,
  }),
  'aggregate.result_table': operation({
    route: 'GET /aggregate/v1/user/{user_id}/continuous_query/{query_id_or_slug}/result_table',
    beta: 'aggregate',
    tag: 'Aggregate',
    summary: "Get a user's result of a continuous query, as a JSON table or a Parquet file",
    params: continuous.userContinuousQueryParams,
    reply: continuous.resultTable,
    alsoReplies: [continuous.PARQUET],
    errors: [404],
    takesLong: 'changes',
  }),
  'aggregate.task_history': operation({
    route: 'GET /aggregate/v1/user/{user_id}/continuous_query/{query_id_or_slug}/task_history',
    beta: 'aggregate',
    tag: 'Aggregate',
    summary: 'List the runs of a continuous query for a user, newest first',
    params: continuous.userContinuousQueryParams,
    query: continuous.taskHistoryQuery,
    reply: continuous.taskHistory,
    errors: [404],
    takesLong: 'changes',
  }),
  'continuous_query.create': operation({
    route: 'POST /svc/v1/aggregate/continuous_query',
    beta: 'aggregate',
    tag: 'Aggregate',
    summary: 'Create a continuous query',
    body: continuous.createContinuousQuery,
    reply: continuous.continuousQuery,
    errors: [409],
    takesLong: 'changes',
  }),
  'continuous_query.list': operation({
    route: 'GET /svc/v1/aggregate/continuous_query',
    beta: 'aggregate',
    tag: 'Aggregate',
    summary: 'List continuous queries, oldest first',
    reply: continuous.continuousQueryList,
  }),
  'continuous_query.get': operation({
    route: 'GET /svc/v1/aggregate/continuous_query/{query_id_or_slug}',
    beta: 'aggregate',
    tag: 'Aggregate',
    summary: 'Get a continuous query',
    params: continuous.continuousQueryParams,
    reply: continuous.continuousQuery,
    errors: [404],
  }),
  'continuous_query.delete': operation({
    route: 'DELETE /svc/v1/aggregate/continuous_query/{query_id_or_slug}',
    beta: 'aggregate',
    tag: 'Aggregate',
    summary: 'Delete a continuous query and its results',
    params: continuous.continuousQueryParams,
    reply: success,
    errors: [404],
    takesLong: 'changes',
  }),
  'source_priority.list': operation({
    route: 'GET /v2/team/source/priorities',
    tag: 'Aggregate',
    summary: "List the team's source priorities",
    query: priorities.priorityQuery,
    reply: priorities.priorityList,
  }),
  'source_priority.replace': operation({
    route: 'PATCH /v2/team/source/priorities',
    tag: 'Aggregate',
    summary: 'Replace the source priorities of the given data types',
    query: priorities.priorityQuery,
    body: priorities.priorityRows,
    reply: priorities.priorityList,
    idempotent: true,
  }),
} as const
