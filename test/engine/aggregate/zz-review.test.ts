/** scratch */
import { expect, test } from 'vitest'
import { ask, series, sleep, activity, summary } from './memory-source.ts'

test('newest tie', async () => {
  const a = sleep('2024-12-01T06:00:00', { score: 1 }, { id: 'a' })
  const b = sleep('2024-12-01T06:00:00', { score: 2 }, { id: 'b' })
  console.log(await ask({ summaries: [a, b] }, { select: [{ func: 'newest', arg: { sleep: 'score' } }, { func: 'oldest', arg: { sleep: 'score' } }] } as never))
})
test('stddev of equal', async () => {
  const s = (d: string) => series({ resource: 'glucose' }, [[`${d}T00:00:00`, 0.1], [`${d}T01:00:00`, 0.1], [`${d}T03:00:00`, 0.1]])
  console.log(await ask({ samples: [s('2024-12-01'), s('2024-12-02')] }, { select: [{ func: 'stddev', arg: { timeseries: 'glucose', field: 'value' } }, { func: 'mean', arg: { timeseries: 'glucose', field: 'value' } }] } as never))
})
for (const [name, doc, arg] of [
  ['int wide', { duration: 1e300 }, { sleep: 'duration_second' }],
  ['latency', { latency: 1e300, bedtime_start: '2024-12-01T00:00:00Z' }, { value_macro: 'asleep_at' }],
  ['latency2', { latency: 1e14, bedtime_start: '2024-12-01T00:00:00Z' }, { value_macro: 'asleep_at' }],
] as const) test(name, async () => {
  const a = sleep('2024-12-01T06:00:00', doc, { id: 'a' })
  console.log(name, await ask({ summaries: [a] }, { select: [arg] } as never))
})
test('sum inf', async () => {
  const a = activity('2024-12-01', { steps: 1.7e308 })
  const b = activity('2024-12-02', { steps: 1.7e308 })
  console.log(await ask({ summaries: [a,b] }, { select: [{func:'sum',arg: {activity: 'steps'}}] } as never))
})
test('sum inf float', async () => {
  const a = activity('2024-12-01', { calories_total: 1.7e308 })
  const b = activity('2024-12-02', { calories_total: 1.7e308 })
  console.log(await ask({ summaries: [a,b] }, { select: [{func:'sum',arg: {activity: 'calories_total'}},{func:'mean',arg: {activity: 'calories_total'}},{func:'median',arg: {activity: 'calories_total'}},{func:'stddev',arg: {activity: 'calories_total'}}] } as never))
})
test('date year 1', async () => {
  const a = summary('profile', '2024-12-01T00:00:00', { birth_date: '0001-01-01' })
  console.log(await ask({ summaries: [a] }, { select: [{ profile: 'birth_date' }] } as never))
})
