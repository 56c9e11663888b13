/** Schemas of the overview of a team: what needs attention, figures by day, and the latest activity. */
import * as z from 'zod'
import { component, date, dateTime } from '../kernel/primitives.ts'

const count = (description: string) => z.int().meta({ description })

/** The counters of a UTC day. Processes add them about once a minute, so the latest counts are missing. */
export const dayCounts = () =>
  component('DayCounts', {
    date: date(),
    requests_2xx: count('Number of successful requests with an API key. Requests from the console are not counted'),
    requests_4xx: count('Number of refused requests'),
    requests_5xx: count('Number of failed requests'),
    users: count('Number of new users'),
    connections: count('Number of new connections'),
    samples: count('Number of samples that were added or changed'),
    events: count('Number of new events'),
    delivered: count('Number of successful delivery attempts'),
    failed: count('Number of failed delivery attempts'),
    delivery_ms: count('Total duration of the delivery attempts in milliseconds'),
  })

const attention = () =>
  z.object({
    kind: z
      .enum([
        'connections_in_error',
        'endpoint_failing',
        'endpoint_disabled',
        'dead_deliveries',
        'waiting_deliveries',
        'refused_notifications',
        'overdue_jobs',
        'disk_low',
        'store_unreachable',
      ])
      .meta({
        description:
          'refused_notifications counts the last 14 days. overdue_jobs, disk_low and store_unreachable are only for operators',
      }),
    count: z.int().meta({
      description: 'Number of items. For disk_low: number of free bytes',
    }),
    is_minimum: z.boolean().meta({ description: 'Whether there may be more items than `count`' }),
    since: dateTime().nullable().meta({ description: 'Time of the first problem, if known' }),
    endpoint_id: z.string().nullable().meta({ description: 'The webhook endpoint, for problems of one endpoint' }),
  })

/** The overview. Only operators see the audit trail. */
export const overview = () =>
  component('Overview', {
    attention: z.array(attention()),
    users: count('Number of active users'),
    connections: z.array(
      z.object({ provider: z.string(), count: z.int(), in_error: count('Number of connections in the error state') }),
    ),
    deliveries: z.object({ waiting: z.int(), dead: count('Number of dead deliveries, which can be resent') }),
    days: z.array(dayCounts()).meta({ description: 'The last 14 UTC days, oldest first' }),
    events: z
      .array(z.object({ event_id: z.string(), event_type: z.string(), user_id: z.string(), at: dateTime() }))
      .meta({ description: 'The newest events, newest first' }),
    audit: z
      .array(z.object({ entry_id: z.string(), at: dateTime(), operation: z.string(), outcome: z.string() }))
      .nullable()
      .meta({
        description: "The team's newest entries in the audit trail, newest first; null unless an operator asks",
      }),
  })
