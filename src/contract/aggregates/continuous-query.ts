/**
 * Schemas of continuous queries: the body that creates one, its view, its result and its runs. See
 * docs/interface/aggregates.md#aggregates-13.
 */
import * as z from 'zod'
import { component, dateTime, line, strictComponent, userId, wholeNumber } from '../kernel/primitives.ts'
import { queryBatch, tableColumns } from './aggregate.ts'

const SLUG = /^(?!.*--)(?!.*-$)(?!-.*$)[a-z0-9-]{1,128}$/
/** Minimum time between two runs of a query for one user, in seconds. */
export const LEAST_GAP_SECONDS = 1_800
const MOST_GAP_SECONDS = 366 * 86_400

const schedulingPreferences = () =>
  z.strictObject({ minimum_gap_duration_second: z.int().min(LEAST_GAP_SECONDS).max(MOST_GAP_SECONDS) })

const exportPreferences = () =>
  z.strictObject({
    data_events: z.strictObject({ enabled: z.boolean() }).default({ enabled: true }),
    fhir_observations: z
      .literal(false, 'must be false: results cannot be exported as FHIR observations')
      .default(false),
  })

/** A query in a batch, with its own optional timeframe. The engine checks its names. */
export const continuousQueryBody = () => {
  const { queries, timeframe } = queryBatch().shape
  return queries.element.extend({ timeframe: timeframe.optional() })
}

/** The body that creates a continuous query. */
export const createContinuousQuery = () =>
  strictComponent('CreateContinuousQuery', {
    slug: z.string().regex(SLUG, {
      message:
        'must have 1 to 128 of the characters a-z, 0-9 and -, must not begin or end with -, and must not contain --',
    }),
    title: line(50),
    query: continuousQueryBody(),
    query_config: queryBatch().shape.config,
    scheduling_preferences: schedulingPreferences().default({ minimum_gap_duration_second: LEAST_GAP_SECONDS }),
    export_preferences: exportPreferences().default({ data_events: { enabled: true }, fhir_observations: false }),
  })

/** What can be changed: everything else decides the results. */
export const continuousQueryChange = () => strictComponent('ContinuousQueryChange', { title: line(50) })

/** A continuous query as returned; `query` and `query_config` are returned as sent. */
export const continuousQuery = () =>
  component('ContinuousQuery', {
    query_id: z.string(),
    team_id: z.string(),
    slug: z.string(),
    title: z.string(),
    query: z.record(z.string(), z.unknown()),
    query_config: z.record(z.string(), z.unknown()).nullable(),
    scheduling_preferences: z.object({ minimum_gap_duration_second: z.int() }),
    export_preferences: z.object({
      data_events: z.object({ enabled: z.boolean() }),
      fhir_observations: z.boolean(),
    }),
    created_at: dateTime(),
  })

/** All of a team's continuous queries, oldest first. */
export const continuousQueryList = () =>
  z.object({ continuous_queries: z.array(continuousQuery()) }).meta({ id: 'ContinuousQueryList' })

const idOrSlug = () => z.string().min(1).max(128)
export const continuousQueryParams = () => z.object({ query_id_or_slug: idOrSlug() })
export const userContinuousQueryParams = () => z.object({ user_id: userId(), query_id_or_slug: idOrSlug() })

/** The result table, with columns as arrays of equal length, as in an aggregate response. */
export const resultTable = () =>
  component('ContinuousQueryResult', {
    table: tableColumns(),
  })

export const taskHistoryQuery = () =>
  z.object({
    limit: wholeNumber(1, 500).default(50),
    next_cursor: z.string().max(512).optional().meta({ description: 'next_cursor of the previous page' }),
  })

/** Runs, newest first. */
export const taskHistory = () =>
  component('ContinuousQueryTaskHistory', {
    data: z.array(
      z.object({
        query_id: z.string(),
        user_id: z.string(),
        status: z.string().meta({ description: 'Status of the run: scheduled, started, completed, error or skipped' }),
        scheduled_at: dateTime(),
        started_at: dateTime().nullable(),
        ended_at: dateTime().nullable(),
        error_details: z.string().nullable(),
      }),
    ),
    next_cursor: z.string().nullable(),
  })
