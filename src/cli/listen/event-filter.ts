/** `--events`: the event types to listen for. */
import { allEventTypes, matchesSomeType } from '../../catalogue/event-types.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'

/**
 * Joins patterns, repeated or separated by commas, into one text for the service; undefined means every type. Throws ServiceError `usage`.
 */
export function eventFilter(given: readonly string[] | undefined): string | undefined {
  if (given === undefined) return undefined
  const patterns = given.flatMap(each => each.split(',')).map(each => each.trim())
  for (const pattern of patterns) {
    if (pattern !== '' && matchesSomeType(pattern)) continue
    const known = didYouMean(pattern, allEventTypes())
    throw new ServiceError('usage', `--events: "${pattern}" matches no event type.${known}`, {
      suggestions: ['`svc event types` lists the event types. * stands for any characters, as in daily.data.*.'],
    })
  }
  return patterns.join(',')
}
