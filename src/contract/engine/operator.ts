/** Schemas of the operator operations on the clock and on the caller's team. */
import * as z from 'zod'
import { parseDateTime, parseDuration } from '../../core/time.ts'
import { component, dateTime, wrongValue } from '../kernel/primitives.ts'

export const clockReply = () =>
  component('Clock', {
    now: dateTime(),
    offset_seconds: z.number().meta({ description: "Number of seconds that the engine's clock is ahead of real time" }),
    frozen: z.boolean().meta({ description: 'Whether the clock is frozen' }),
  })

const freeze = () => z.boolean().meta({ description: 'Freeze the clock (true) or let it run (false)' })

/**
 * A change of the clock. `set` jumps to an instant and `advance` moves by a duration: a running clock continues from there and a frozen
 * clock stays frozen, unless `freeze` changes that. `freeze` alone changes only that. `follow` returns to real time and makes the clock
 * run.
 */
export const clockChange = () =>
  z
    .union(
      [
        z.strictObject({
          set: z
            .string()
            .refine(
              text => parseDateTime(text) !== undefined,
              wrongValue('must be an ISO 8601 date-time such as 2026-11-20T08:30:00Z', 'datetime_parsing'),
            ),
          freeze: freeze().optional(),
        }),
        z.strictObject({
          advance: z
            .string()
            .refine(
              text => parseDuration(text) !== undefined,
              wrongValue('must be a duration such as 90s, 5m (minutes), 2h, 7d or 1w'),
            ),
          freeze: freeze().optional(),
        }),
        z.strictObject({ freeze: freeze() }),
        z.strictObject({ follow: z.literal('real_time') }),
      ],
      {
        error:
          'must be {"set": DATE-TIME}, {"advance": DURATION such as 7d}, {"freeze": true or false} or {"follow": ' +
          '"real_time"}; set and advance can be combined with freeze',
      },
    )
    .meta({ id: 'ClockChange' })

/** The caller's team. */
export const teamReply = () => z.object({ team_id: z.string(), name: z.string() }).meta({ id: 'Team' })
