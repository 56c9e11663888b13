/** Schemas of the list of jobs. */
import * as z from 'zod'
import { component, dateTime, userId, wholeNumber } from '../kernel/primitives.ts'

/** Kinds of work for a user that becomes due according to the engine's clock (store/upkeep.ts). */
export const JOB_KINDS = [
  'purge',
  'continuous_query',
  'pause',
  'refresh',
  'demo_data',
  'demo_end',
  'order',
  'retention',
] as const

export const jobQuery = () =>
  z.object({
    kind: z.enum(JOB_KINDS).optional().meta({ description: 'Only jobs of this kind' }),
    limit: wholeNumber(1, 500).default(100),
    next_cursor: z.string().max(512).nullish(),
  })

/** Jobs of the team's users, including deleted ones whose purge is pending, earliest first. */
export const jobPage = () =>
  component('JobPage', {
    jobs: z.array(
      z.object({
        kind: z.enum(JOB_KINDS),
        user_id: userId(),
        client_user_id: z.string(),
        subject: z.string().nullable().meta({
          description: 'Slug of a provider, or id of a continuous query or an order; null if the kind has none',
        }),
        due_at: dateTime()
          .nullable()
          .meta({ description: "Due time on the engine's clock; null if the job is due regardless of the clock" }),
        is_due: z.boolean(),
      }),
    ),
    next_cursor: z.string().nullable(),
  })
