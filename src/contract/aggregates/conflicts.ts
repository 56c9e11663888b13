/** Schemas of `aggregate.conflicts`: nights and workouts that a merge may have matched incorrectly. */
import * as z from 'zod'
import { component, dateOrDateTime } from '../kernel/primitives.ts'

/** The tables whose rows are merged as sessions. */
export const SESSION_TABLES = ['sleep', 'workout'] as const

const MOST_CONFLICTS = 500

export const conflictsQuery = () =>
  z.object({
    table: z.enum(SESSION_TABLES).optional().meta({ description: 'Only this table' }),
    since: dateOrDateTime().optional().meta({ description: 'Only pairs that start at this time or later' }),
    until: dateOrDateTime()
      .optional()
      .meta({ description: 'Only pairs that start at this time or earlier, or on this date' }),
    limit: z.coerce.number().int().min(1).max(MOST_CONFLICTS).default(100),
  })

/** A stored session. */
export const storedSession = () => ({
  id: z.string(),
  provider: z.string(),
  source_type: z.string(),
  app_id: z.string().nullable(),
  device_id: z.string().nullable(),
  start: z.string().nullable(),
  end: z.string().nullable(),
})

const conflict = () =>
  component('Conflict', {
    table: z.string().meta({ description: 'sleep or workout' }),
    conflict: z.enum(['nearly_same', 'values_differ']).meta({
      description:
        'nearly_same: two rows of a merged query that may be one. values_differ: one row whose sources report very different values',
    }),
    sessions: z
      .array(z.object(storedSession()))
      .meta({ description: 'The two sessions; the first one starts first, or is the better one of a row' }),
    reason: z
      .string()
      .meta({ description: 'How they compare, such as "overlap 0.42, starts 94 min apart, ends 2 min apart"' }),
  })

export type Conflict = z.output<ReturnType<typeof conflict>>

export const conflictsReply = () =>
  component('Conflicts', {
    conflicts: z.array(conflict()).meta({ description: 'Newest first' }),
    has_more: z.boolean().meta({ description: 'Whether there are more conflicts than `limit`' }),
  })
