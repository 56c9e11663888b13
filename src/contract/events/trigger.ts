/** Bringing an event about: what is asked for, and the events that were made of it (docs/webhooks.md). */
import { z } from 'zod'
import { dateOrDateTime, flag, sensitive, userId, uuid } from '../kernel/primitives.ts'

/** Most changes of one call; types whose changes are heavy take fewer. */
export const MOST_TRIGGERED = 500
const MOST_PATHS = 100

export const triggerRequest = () =>
  z
    .strictObject({
      type: z.string().min(1).max(128).meta({ description: 'Event type; `svc event types` lists them' }),
      user_id: userId(),
      set: sensitive(
        z.record(z.string().min(1).max(200), z.unknown()).refine(set => Object.keys(set).length <= MOST_PATHS, {
          message: `must not hold more than ${MOST_PATHS} paths`,
          params: { type: 'value_error' },
        }),
      )
        .nullish()
        .meta({ description: 'What is to be different, by its path in the body of the event: `data.value`' }),
      count: z.int().min(1).max(MOST_TRIGGERED).default(1).meta({ description: 'How many changes' }),
      at: dateOrDateTime().nullish().meta({ description: "The time of the data; the engine's now when left out" }),
      only_event: flag().default(false).meta({ description: 'Write the event alone, and change nothing' }),
    })
    .meta({ id: 'TriggerRequest' })

/** What `svc event trigger` made, in order: beside what was asked for, what came with it. */
export const triggerReply = () =>
  z
    .object({
      event_type: z.string(),
      events: z.array(
        z.object({ event_id: uuid(), event_type: z.string(), sequence: z.number().int(), user_id: userId() }),
      ),
    })
    .meta({ id: 'TriggeredEvents' })
