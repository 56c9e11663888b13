/** Patterns of event types: one type, or several with `*`. */
import * as z from 'zod'
import { allEventTypes, EVENT_PATTERN, matchesSomeType } from '../../catalogue/event-types.ts'
import { didYouMean } from '../../core/errors.ts'
import { wrongValue } from '../kernel/primitives.ts'

/** A pattern that matches at least one event type; the error lists the nearest types. */
export const eventPattern = () =>
  z.string().superRefine((pattern, context) => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', ...wrongValue(message) })
    if (!EVENT_PATTERN.test(pattern)) {
      refuse(
        'must be an event type such as daily.data.steps.created, or a pattern with * for any characters such as daily.data.*',
      )
    } else if (!matchesSomeType(pattern)) {
      const known = didYouMean(pattern, allEventTypes())
      refuse(`matches no event type.${known} Run \`svc event types\` to list them`)
    }
  })
