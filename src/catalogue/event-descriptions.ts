/** What each type of event tells, in a sentence. */
import { resourceEvent } from './event-types.ts'
import { resourceQueried } from './resources.ts'

/** The resources that are no timeseries. */
const SUMMARIES: Readonly<Record<string, string>> = {
  activity: 'the activity of a day',
  body: 'the body measurements of a day',
  electrocardiogram: 'an electrocardiogram',
  meal: 'a meal',
  menstrual_cycle: 'a menstrual cycle',
  profile: 'the profile at a provider',
  sleep: 'a sleep',
  sleep_cycle: 'the stages of a sleep',
  workouts: 'a workout',
}

const OTHERS: Readonly<Record<string, string>> = {
  'provider.connection.created': 'A user connected a provider, or connected it again',
  'provider.connection.error': 'A connection to a provider ended in an error: the user has to link it again',
  'provider.device.created': 'Data came from a device for the first time',
  'provider.device.updated': 'What is known about a device changed',
  'labtest.order.created': 'A lab test was ordered',
  'labtest.order.updated': 'A lab order reached another state',
  'labtest.result.critical': 'A laboratory reported a critical result',
  'labtest.appointment.created': 'An appointment for a draw was asked for (the engine itself makes none)',
  'labtest.appointment.updated': 'An appointment for a draw changed (the engine itself makes none)',
  'labtest.match_review.created': 'A result waits for somebody to say whose it is (the engine itself makes none)',
  'labtest.match_review.updated': 'Somebody said whose a result is (the engine itself makes none)',
  'lab_report.parsing_job.created': 'A laboratory report is being read (the engine itself makes none)',
  'lab_report.parsing_job.updated': 'A laboratory report was read (the engine itself makes none)',
  'continuous_query.result_table.changed': 'The result of a continuous query has new or changed rows',
  'message.attempt.exhausted': 'An event was given up for an endpoint after its last attempt',
}

/** Of any type; a type that there is not has an empty one. */
export function descriptionOf(type: string): string {
  const about = resourceEvent(type)
  if (!about) return OTHERS[type] ?? ''
  const { resource, change } = about
  if (change === 'historical') return `The historical pull of ${resource} is complete: the data can be read`
  if (resource === 'workout_stream') {
    return change === 'created' ? 'The stream of a workout can be read' : 'The stream of a workout has changed'
  }
  const summary = SUMMARIES[resource]
  if (summary)
    return change === 'created'
      ? `New summary: ${summary}`
      : `Changed summary: ${summary}; it replaces the one with its id`
  const meaning = resourceQueried(resource)?.meaning ?? resource
  return change === 'created' ? `${meaning}: new samples` : `${meaning}: samples that replace earlier ones`
}
