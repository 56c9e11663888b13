/** Schemas for adding synthetic people to a team: the request and the people that were added. See docs/testing-your-app.md. */
import * as z from 'zod'
import { component, date, dateTime, isDateOrDateTime, strictComponent, wrongValue } from '../kernel/primitives.ts'

/** Maximum number of people, and of days of data for each, which covers the longest history of any provider. */
export const MOST_PEOPLE = 1_000
export const MOST_SEED_DAYS = 180

export const seedRequest = () =>
  strictComponent('SeedRequest', {
    people: z.int().min(1).max(MOST_PEOPLE).default(10),
    first: z
      .int()
      .min(1)
      .max(MOST_PEOPLE)
      .default(1)
      .meta({ description: 'Number of the first person to add: `next` of the previous response' }),
    days: z
      .int()
      .min(1)
      .max(MOST_SEED_DAYS)
      .default(90)
      .meta({ description: 'Number of full days of data before the last day' }),
    seed: z
      .int()
      .min(0)
      .max(0xffff_ffff)
      .default(42)
      .meta({ description: 'Seed; the same seed creates the same people' }),
    until: z
      .string()
      .refine(
        isDateOrDateTime,
        wrongValue('must be a date or a date-time such as 2026-11-20T08:30:00Z', 'datetime_parsing'),
      )
      .nullish()
      .meta({ description: "End of the data; must not be after the engine's current time, which is the default" }),
  })

const period = () => z.object({ from: date(), to: date().meta({ description: 'Last day, inclusive' }) })

const seededPerson = () =>
  component('SeededPerson', {
    client_user_id: z.string(),
    user_id: z.string().meta({ format: 'uuid' }),
    state: z.enum(['created', 'updated', 'unchanged']),
    time_zone: z.string(),
    habits: z.object({
      riser: z.enum(['early', 'usual', 'late']),
      activity: z.enum(['sporty', 'usual', 'sedentary']),
      weekend: z.enum(['quiet', 'late_nights', 'outdoors']),
    }),
    connections: z.array(z.object({ provider: z.string(), status: z.string() })),
    illnesses: z.array(period()),
    trips: z.array(period().extend({ time_zone: z.string() })),
    gaps: z.array(period()).meta({ description: 'Periods without measurements' }),
    samples: z.int().meta({ description: 'Number of new or changed samples' }),
    summaries: z.int(),
    streams: z.int(),
  })

export const seedReport = () =>
  component('SeedReport', {
    seed: z.int(),
    until: dateTime(),
    days: z.int(),
    people: z.array(seededPerson()),
    next: z.int().nullable().meta({ description: '`first` of the next call; null if all people were added' }),
  })
