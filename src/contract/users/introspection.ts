/** Schemas of introspection: users' pulls and their available data. See docs/interface/users.md#users-25. */
import * as z from 'zod'
import { component, dateTime, openEnum, userId, wholeNumber } from '../kernel/primitives.ts'

/** Filters and paging by user; `next_cursor` continues with more users. */
export const introspectionQuery = () =>
  z.object({
    user_id: userId().optional(),
    provider: z.string().max(64).optional(),
    user_limit: wholeNumber(1, 100).default(50),
    next_cursor: z.string().max(512).nullish(),
    cursor: z.string().max(512).nullish().meta({ deprecated: true }),
  })

const page = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item),
    next_cursor: z.string().nullable(),
    next: z.string().nullable().meta({ deprecated: true }),
  })

const resourceStatistics = () =>
  component('ResourceStatistics', {
    last_attempt: z.object({ timestamp: dateTime(), status: openEnum(['success', 'failure']) }).nullable(),
    oldest_data: dateTime().nullable(),
    newest_data: dateTime().nullable(),
    sent_count: z.int().meta({ description: 'Number of new or changed samples and summaries that came from pulls' }),
  })

/** Statistics by provider and resource. Pushed and imported data is included. */
export const userResources = () =>
  page(
    z.object({
      user_id: userId(),
      provider: z.record(z.string(), z.record(z.string(), resourceStatistics())),
    }),
  ).meta({ id: 'UserResources' })

const historicalPull = () =>
  component('HistoricalPull', {
    status: openEnum(['success', 'failure', 'in_progress', 'scheduled', 'retrying']),
    range_start: dateTime().nullable(),
    range_end: dateTime().nullable(),
    timeline: z.object({
      scheduled_at: dateTime(),
      started_at: dateTime().nullable(),
      ended_at: dateTime().nullable(),
    }),
    days_with_data: z.int().nullable(),
    release: z.string(),
    trace_id: z.string().nullable(),
    error_details: z.object({ error_message: z.string() }).nullable(),
  })

/** Resources by provider: the ones that were pulled after the link, and the ones that were never pulled. */
export const userHistoricalPulls = () =>
  page(
    z.object({
      user_id: userId(),
      provider: z.record(
        z.string(),
        z.object({
          pulled: z.record(z.string(), historicalPull()),
          not_pulled: z.array(z.string()),
          unmapped: z.record(z.string(), z.int()).optional().meta({
            description:
              "Number of values without a mapping, by the provider's name for their kind; only for live connections",
          }),
        }),
      ),
    }),
  ).meta({ id: 'UserHistoricalPulls' })
