/** Continuous queries: how one is made, what it looks like, its result and its tasks (interface-gaps 4.9). */
import { z } from 'zod'
import { dateTime, line, userId, wholeNumber } from '../kernel/primitives.ts'
import { queryBatch } from './aggregate.ts'

/** A single Parquet file (interface-gaps 4.9, JSON layout). */
export const PARQUET = 'application/vnd.apache.parquet'

const SLUG = /^(?!.*--)(?!.*-$)(?!-.*$)[a-z0-9-]{1,128}$/
/** interface-gaps: the shortest gap between two runs of a query for a user. */
export const LEAST_GAP_SECONDS = 1_800
const MOST_GAP_SECONDS = 366 * 86_400

const schedulingPreferences = () =>
  z.strictObject({ minimum_gap_duration_second: z.int().min(LEAST_GAP_SECONDS).max(MOST_GAP_SECONDS) })

const exportPreferences = () =>
  z.strictObject({
    data_events: z.strictObject({ enabled: z.boolean() }).default({ enabled: true }),
    fhir_observations: z
      .literal(false, 'results are not exported as FHIR observations; only false is allowed')
      .default(false),
  })

/** One query of a batch, with a timeframe where it is bound to one. What its names stand for, the engine checks. */
const query = () => {
  const { queries, timeframe } = queryBatch().shape
  return queries.element.extend({ timeframe: timeframe.optional() })
}

/** The body of a new continuous query. */
export const createContinuousQuery = () =>
  z
    .strictObject({
      slug: z.string().regex(SLUG, {
        message:
          'must have 1 to 128 characters of a-z, 0-9 and -, must not begin or end with -, and must not contain --',
      }),
      title: line(50),
      query: query(),
      query_config: queryBatch().shape.config,
      scheduling_preferences: schedulingPreferences().default({ minimum_gap_duration_second: LEAST_GAP_SECONDS }),
      export_preferences: exportPreferences().default({ data_events: { enabled: true }, fhir_observations: false }),
    })
    .meta({ id: 'CreateContinuousQuery' })

/** A continuous query as it is shown; `query` and `query_config` are as they were given. */
export const continuousQuery = () =>
  z
    .object({
      query_id: z.string(),
      team_id: z.string(),
      slug: z.string(),
      title: z.string(),
      query: z.record(z.string(), z.unknown()),
      query_config: z.record(z.string(), z.unknown()).nullable(),
      scheduling_preferences: z.object({ minimum_gap_duration_second: z.number().int() }),
      export_preferences: z.object({
        data_events: z.object({ enabled: z.boolean() }),
        fhir_observations: z.boolean(),
      }),
      created_at: dateTime(),
    })
    .meta({ id: 'ContinuousQuery' })

/** All of a team, oldest first. */
export const continuousQueryList = () =>
  z.object({ continuous_queries: z.array(continuousQuery()) }).meta({ id: 'ContinuousQueryList' })

const idOrSlug = () => z.string().min(1).max(128)
export const continuousQueryParams = () => z.object({ query_id_or_slug: idOrSlug() })
export const userContinuousQueryParams = () => z.object({ user_id: userId(), query_id_or_slug: idOrSlug() })

/** The result: each column an array of equal length, as in an aggregate answer. */
export const resultTable = () =>
  z
    .object({
      table: z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
    })
    .meta({ id: 'ContinuousQueryResult' })

export const taskHistoryQuery = () =>
  z.object({
    limit: wholeNumber(1, 500).default(50),
    next_cursor: z.string().max(512).optional().meta({ description: 'next_cursor of the previous page' }),
  })

/** Newest first. */
export const taskHistory = () =>
  z
    .object({
      data: z.array(
        z.object({
          query_id: z.string(),
          user_id: z.string(),
          status: z.string().meta({ description: 'scheduled, started, completed, error or skipped' }),
          scheduled_at: dateTime(),
          started_at: dateTime().nullable(),
          ended_at: dateTime().nullable(),
          error_details: z.string().nullable(),
        }),
      ),
      next_cursor: z.string().nullable(),
    })
    .meta({ id: 'ContinuousQueryTaskHistory' })
