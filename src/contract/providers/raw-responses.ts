/** Schemas of live providers' raw responses, which can be kept for debugging, as an option of an OAuth app. See docs/live-providers.md. */
import * as z from 'zod'
import { component, dateOrDateTime, dateTime, line, sensitiveText, wholeNumber } from '../kernel/primitives.ts'

const DEFAULT_RESPONSES = 20
const MOST_RESPONSES = 100

export const rawQuery = () =>
  z.object({
    collection: line(64).optional().meta({ description: "Only responses of this collection, by the provider's name" }),
    before: dateOrDateTime().optional().meta({ description: 'Only responses received before this time' }),
    limit: wholeNumber(1, MOST_RESPONSES)
      .default(DEFAULT_RESPONSES)
      .meta({ description: 'Maximum number of responses to return' }),
  })

export const rawReply = () =>
  component('RawAnswers', {
    answers: z
      .array(
        component('RawAnswer', {
          collection: z.string(),
          at: dateTime().meta({ description: 'When the response arrived' }),
          text: sensitiveText().meta({ sensitive: true, description: 'The response, at most 1 MiB of it' }),
        }),
      )
      .meta({ description: 'Newest first' }),
  })
