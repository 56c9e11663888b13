/** Descriptions of event types, one sentence each. */
import { resourceEvent } from './event-types.ts'
import { resourceQueried } from './resources.ts'

/** The resources that are not timeseries. */
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
  'provider.connection.error': 'A connection to a provider failed permanently: the user must link the provider again',
  'provider.device.created': 'A device sent data for the first time',
  'provider.device.updated': 'What is known about a device changed',
  'labtest.order.created': 'A lab test was ordered',
  'labtest.order.updated': 'A lab order changed its state',
  'labtest.result.critical': 'A laboratory reported a critical result',
  'labtest.appointment.created': 'An appointment for a draw was requested (not sent by the engine itself)',
  'labtest.appointment.updated': 'An appointment for a draw changed (not sent by the engine itself)',
  'labtest.match_review.created': 'Someone has to review whose result it is (not sent by the engine itself)',
  'labtest.match_review.updated': 'Someone decided whose result it is (not sent by the engine itself)',
  'lab_report.parsing_job.created': 'A laboratory report is being parsed (not sent by the engine itself)',
  'lab_report.parsing_job.updated': 'A laboratory report was parsed (not sent by the engine itself)',
  'continuous_query.result_table.changed': 'The result of a continuous query has new or changed rows',
  'message.attempt.exhausted': 'An event could not be delivered to an endpoint and was given up after the last attempt',
  'user.data.deleted': 'Samples or summaries of a user were deleted, and must be read again',
}

/** Returns the description of an event type, or an empty text if the type does not exist. */
export function describeEventType(type: string): string {
  const about = resourceEvent(type)
  if (!about) return OTHERS[type] ?? ''
  const { resource, change } = about
  if (change === 'historical') return `The historical pull of ${resource} is complete, and its data can be read`
  if (resource === 'workout_stream') {
    return change === 'created' ? 'The stream of a workout can be read' : 'The stream of a workout has changed'
  }
  const summary = SUMMARIES[resource]
  if (summary)
    return change === 'created'
      ? `New summary: ${summary}`
      : `Changed summary: ${summary}. It replaces the one with the same id`
  const meaning = resourceQueried(resource)?.meaning ?? resource
  return change === 'created' ? `${meaning}: new samples` : `${meaning}: samples that replace earlier ones`
}
