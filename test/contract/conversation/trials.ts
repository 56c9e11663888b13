/** Steps of the conversation: features for testing: seeded people, and events on demand. */
import { NOBODY, topic, user } from '../conversation.ts'

const { steps, step } = topic()
export const trialSteps = steps

const trigger = (memory: Parameters<typeof user>[0], type: string, more: Readonly<Record<string, unknown>> = {}) => ({
  body: { type, user_id: user(memory), ...more },
})

step('trigger a new sample', 'event.trigger', memory =>
  trigger(memory, 'daily.data.water.created', { set: { 'data.value': 250 }, count: 2, at: '2026-11-19T10:00:00Z' }),
)
step('trigger a changed sample', 'event.trigger', memory => trigger(memory, 'daily.data.water.updated'))
step('trigger a summary', 'event.trigger', memory =>
  trigger(memory, 'daily.data.meal.created', { set: { 'data.name': 'supper' } }),
)
step('write only an event', 'event.trigger', memory =>
  trigger(memory, 'labtest.appointment.created', { only_event: true }),
)
step('trigger an event that cannot be caused', 'event.trigger', memory => trigger(memory, 'message.attempt.exhausted'))
step('trigger an unknown event type', 'event.trigger', memory => trigger(memory, 'daily.data.stepz.created'))
step('set an unknown path', 'event.trigger', memory =>
  trigger(memory, 'daily.data.water.created', { set: { 'data.volume': 1 } }),
)
step('set a value of another kind', 'event.trigger', memory =>
  trigger(memory, 'daily.data.water.created', { set: { 'data.value': 'much' } }),
)
step('trigger an event for an unknown user', 'event.trigger', {
  body: { type: 'daily.data.water.created', user_id: NOBODY as never },
})

step('seed a person', 'engine.seed', { body: { people: 1, days: 2, seed: 7 } })
step('seed the same person again', 'engine.seed', { body: { people: 1, days: 2, seed: 7 } })
step('seed another one under the same name', 'engine.seed', { body: { people: 1, days: 2, seed: 8 } })
step('seed until a time in the future', 'engine.seed', { body: { people: 1, until: '2036-01-01' } })
step('seed zero people', 'engine.seed', { body: { people: 0 } })
