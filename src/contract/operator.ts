/** Our own operations, audience operator: imports and the clock. */
import { z } from 'zod'
import { parseDateTime, parseDuration } from '../core/time.ts'
import type { ByteSource } from './operation.ts'
import { dateTime, userId } from './primitives.ts'

export const importParams = () => z.object({ user_id: userId() })
export const importQuery = () => z.object({ format: z.string().max(64).optional() })

/** An export file of a provider: raw bytes. */
export const importFile = () =>
  z.custom<ByteSource>(value => typeof value === 'object' && value !== null && 'kind' in value, 'must be a file')

const counts = (names: readonly [string, string, string]) =>
  z.record(z.string(), z.object(Object.fromEntries(names.map(name => [name, z.number().int()]))))

/** What an import did: counts of records, by resource under the names of the REST paths. */
export const importReport = () =>
  z
    .object({
      import_id: z.string(),
      format: z.string(),
      user_id: userId(),
      records: z.number().int(),
      stored: counts(['samples', 'replaced', 'unchanged']),
      summaries: counts(['created', 'updated', 'unchanged']),
      skipped: z.array(z.object({ reason: z.string(), count: z.number().int() })),
      seconds: z.number(),
    })
    .meta({ id: 'ImportReport' })

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
