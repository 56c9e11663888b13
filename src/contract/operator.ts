/** Our own operations, audience operator: the clock, and who is calling. */
import { z } from 'zod'
import { parseDateTime, parseDuration } from '../core/time.ts'
import { dateTime } from './primitives.ts'

export const clockReply = () =>
  z
    .object({
      now: dateTime(),
      offset_seconds: z.number().meta({ description: 'Seconds that the engine is ahead of real time' }),
    })
    .meta({ id: 'Clock' })

/** Jump to an instant, advance by a duration, or follow real time again; the clock runs on from there. */
export const clockChange = () =>
  z
    .union(
      [
        z.strictObject({
          set: z.string().refine(text => parseDateTime(text) !== undefined, {
            message: 'must be an ISO 8601 date-time such as 2026-11-20T08:30:00Z',
            params: { type: 'datetime_parsing' },
          }),
        }),
        z.strictObject({
          advance: z.string().refine(text => parseDuration(text) !== undefined, {
            message: 'must be a duration such as 90s, 5m (minutes), 2h, 7d or 1w',
            params: { type: 'value_error' },
          }),
        }),
        z.strictObject({ follow: z.literal('real_time') }),
      ],
      { error: 'must be {"set": DATE-TIME}, {"advance": DURATION such as 7d} or {"follow": "real_time"}' },
    )
    .meta({ id: 'ClockChange' })

/** Who is calling. */
export const teamReply = () => z.object({ team_id: z.string(), name: z.string() }).meta({ id: 'Team' })
