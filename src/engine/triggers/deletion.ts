/** Causes events about deleted data: pushes a heart rate, and deletes it again. */
import { dailyCreated } from '../../catalogue/event-types.ts'
import { startAt } from '../../core/sample.ts'
import type { Cause } from './cause.ts'
import { refuseGiven } from './given.ts'
import { changeSamples } from './samples.ts'

const RESOURCE = 'heartrate'
/** A push writes one event with the sample, and may write others about its connection and device. */
const MOST_OF_A_PUSH = 10

export const deleteData: Cause = async wanted => {
  const { engine, user, call, given, count } = wanted
  refuseGiven(given, [])
  for (let i = 0; i < count; i++) {
    const before = await engine.store.events.lastOfUser(user.userId)
    await changeSamples({ ...wanted, type: dailyCreated(RESOURCE), count: 1 })
    const written = await engine.store.events.ofUser(user.userId, before, MOST_OF_A_PUSH)
    for (const { data } of written) {
      if (data.kind !== 'samples') continue
      const { batch } = data
      const range = { from: startAt(batch, 0), to: startAt(batch, batch.n - 1) }
      const { provider } = batch.series
      await engine.store.samples.delete(user.userId, { resource: RESOURCE, provider, ...range }, call.now)
    }
  }
}
