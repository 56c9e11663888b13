/** Our own operations, audience operator: the clock, and who is calling. */
import { z } from 'zod'
import { parseDateTime, parseDuration } from '../../core/time.ts'
import { dateTime } from '../kernel/primitives.ts'

export const clockReply = () =>
  z
    .object({
      now: dateTime(),
      offset_seconds: z.number().meta({ description: 'Seconds the engine is ahead of real time' }),
      frozen: z.boolean().meta({ description: 'Whether the clock is frozen' }),
    })
    .meta({ id: 'Clock' })

const freeze = () => z.boolean().meta({ description: 'Freeze the clock (true) or let it run on (false)' })

/**
 * Jump to an instant or advance by a duration: a clock that runs goes on from there, one that is frozen stays so, unless `freeze`
 * says otherwise. Freeze alone changes only that. To follow real time is to run.
 */
export const clockChange = () =>
  z
    .union(
      [
        z.strictObject({
          set: z.string().refine(text => parseDateTime(text) !== undefined, {
            message: 'must be an ISO 8601 date-time such as 2026-11-20T08:30:00Z',
            params: { type: 'datetime_parsing' },
          }),
          freeze: freeze().optional(),
        }),
        z.strictObject({
          advance: z.string().refine(text => parseDuration(text) !== undefined, {
            message: 'must be a duration such as 90s, 5m (minutes), 2h, 7d or 1w',
            params: { type: 'value_error' },
          }),
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

/** Who is calling. */
export const teamReply = () => z.object({ team_id: z.string(), name: z.string() }).meta({ id: 'Team' })
