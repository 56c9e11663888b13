/** Schemas for triggering an event: the request, and the events that it caused. See docs/webhooks.md. */
import * as z from 'zod'
import {
  component,
  dateOrDateTime,
  flag,
  sensitive,
  strictComponent,
  userId,
  uuid,
  wrongValue,
} from '../kernel/primitives.ts'

/** Maximum number of changes per call; types with large changes allow fewer. */
export const MOST_TRIGGERED = 500
const MOST_PATHS = 100

export const triggerRequest = () =>
  strictComponent('TriggerRequest', {
    type: z.string().min(1).max(128).meta({ description: 'Event type, as listed by `svc event types`' }),
    user_id: userId(),
    set: sensitive(
      z
        .record(z.string().min(1).max(200), z.unknown())
        .refine(
          set => Object.keys(set).length <= MOST_PATHS,
          wrongValue(`must not have more than ${MOST_PATHS} paths`),
        ),
    )
      .nullish()
      .meta({ description: 'Values to set, by path in the event body, such as `data.value`' }),
    count: z.int().min(1).max(MOST_TRIGGERED).default(1).meta({ description: 'Number of changes to make' }),
    at: dateOrDateTime().nullish().meta({ description: "Time of the data; defaults to the engine's current time" }),
    only_event: flag().default(false).meta({ description: 'Write only the event and change no data' }),
  })

/** The triggered events in order, including others that the same changes caused. */
export const triggerReply = () =>
  component('TriggeredEvents', {
    event_type: z.string(),
    events: z.array(z.object({ event_id: uuid(), event_type: z.string(), sequence: z.int(), user_id: userId() })),
  })
