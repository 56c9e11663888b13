/** Steps of the conversation: events and their types. */
import { NOBODY, text, topic, user } from '../conversation.ts'

const { steps, step } = topic()
export const eventSteps = steps

step('events', 'event.list', memory => ({ query: { user_id: user(memory), limit: 3, order: 'asc', payload: true } }))
step('more events', 'event.list', memory => ({
  query: {
    user_id: user(memory),
    limit: 2,
    order: 'asc',
    next_cursor: text(memory, 'events', 'next_cursor'),
  },
}))
step('events from now on', 'event.list', { query: { order: 'asc', from: 'now' } })
step('events of a type', 'event.list', { query: { type: 'historical.data.*,provider.*', limit: 2 } })
step('dead letters', 'event.list', { query: { state: 'dead' } })
step('events of an unknown user', 'event.list', { query: { user_id: NOBODY } })
step('events of an unknown type', 'event.list', () => ({ query: { type: 'daily.data.stepz.created' } }))
step('events of an unknown endpoint', 'event.list', { query: { endpoint_id: NOBODY } })
step('events after a cursor of another list', 'event.list', memory => ({
  query: { next_cursor: text(memory, 'events', 'next_cursor') },
}))
step('an event', 'event.get', memory => {
  const [first] = (memory['events']?.['data'] ?? []) as readonly { readonly event_id: string }[]
  return { params: { event_id: first?.event_id } }
})
step('the attempts to deliver it', 'event.attempts', memory => {
  const [first] = (memory['events']?.['data'] ?? []) as readonly { readonly event_id: string }[]
  return { params: { event_id: first?.event_id } }
})
step('attempts of an unknown event', 'event.attempts', { params: { event_id: NOBODY } })
step('an unknown event', 'event.get', { params: { event_id: NOBODY } })
step('an event by an invalid ID', 'event.get', () => ({ params: { event_id: 'x' } }))
step('event types', 'event.types', { query: { type: 'provider.*' } })
step('an event type', 'event.type', { params: { type: 'daily.data.glucose.created' } })
step('an unknown event type', 'event.type', { params: { type: 'daily.data.step.created' } })
