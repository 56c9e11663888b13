/** Steps of the conversation: timeseries, summaries and streams of the user with linked providers. */
import { SUMMARY_KINDS } from '../../../src/core/sample.ts'
import { firstId, type Memory, NOBODY, RANGE, text, topic, user } from '../conversation.ts'

const { steps, step } = topic()
export const readingSteps = steps

const samples = (name: string, resource: string, query: (memory: Memory) => object): void =>
  step(name, 'timeseries.grouped', memory => ({ params: { user_id: user(memory), resource }, query: query(memory) }))
step('timeseries resources', 'timeseries.resources', {})
step('implausible samples', 'timeseries.implausible', memory => ({ params: { user_id: user(memory) } }))
step('implausible samples of an unknown user', 'timeseries.implausible', { params: { user_id: NOBODY } })
samples('steps', 'steps', () => RANGE)
samples('more steps', 'steps', memory => ({ ...RANGE, next_cursor: text(memory, 'steps', 'next_cursor') }))
samples('a cursor of something else', 'heartrate', memory => ({
  ...RANGE,
  next_cursor: text(memory, 'steps', 'next_cursor'),
}))
samples('heart rate of one provider', 'heartrate', () => ({
  start_date: '2026-11-19T00:00:00+01:00',
  provider: 'whoop',
}))
samples('an unknown resource', 'step', () => RANGE)
samples('no date', 'steps', () => ({}))
for (const format of ['csv', 'parquet'] as const) {
  step(`download steps as ${format}`, 'timeseries.download', memory => ({
    params: { user_id: user(memory), resource: 'steps' },
    query: { ...RANGE, format },
  }))
}
step('download backwards', 'timeseries.download', memory => ({
  params: { user_id: user(memory), resource: 'steps' },
  query: { start_date: '2026-11-20', end_date: '2026-11-19' },
}))
step('download steps of an unknown user', 'timeseries.download', {
  params: { user_id: NOBODY, resource: 'steps' },
  query: RANGE,
})
step('steps of an unknown user', 'timeseries.grouped', { params: { user_id: NOBODY, resource: 'steps' }, query: RANGE })

const summaries = (name: string, resource: string, query: object): void =>
  step(name, 'summary.get', memory => ({ params: { user_id: user(memory), resource }, query }))
for (const kind of SUMMARY_KINDS) summaries(kind, kind, kind === 'profile' ? {} : RANGE)
summaries('workouts of one provider', 'workouts', { start_date: '2026-10-01T00:00:00+01:00', provider: 'zwift' })
summaries('summaries of an unknown kind', 'workout', RANGE)
summaries('summaries without a range', 'sleep', {})
summaries('date-times where dates are', 'sleep_cycle', { start_date: '2026-11-01T00:00:00Z' })
summaries('an end before the start', 'body', { start_date: '2026-11-02', end_date: '2026-11-01' })
step('summaries of an unknown user', 'summary.get', { params: { user_id: NOBODY, resource: 'sleep' }, query: RANGE })
step('the stream of a workout', 'timeseries.workout_stream', memory => ({
  params: { workout_id: firstId(memory, 'workouts of one provider', 'workouts') },
}))
step('the stream of an unknown workout', 'timeseries.workout_stream', { params: { workout_id: NOBODY } })
step('the stream of a night', 'timeseries.sleep_stream', memory => ({
  params: { sleep_id: firstId(memory, 'sleep', 'sleep') },
}))
step('the stream of an unknown night', 'timeseries.sleep_stream', { params: { sleep_id: NOBODY } })
step('the stream of an invalid ID', 'timeseries.sleep_stream', () => ({ params: { sleep_id: 'x' } }))
