/** Long work in short pieces: how often other work can run. */
import { expect, it } from 'vitest'
import { nextLoopTick, TimeSlice } from '../../src/core/time-slice.ts'
import { watchEventLoop } from '../kit/event-loop.ts'

it('continues in the order in which work paused, one task for each pass of the event loop', async () => {
  const order: string[] = []
  const work = async (name: string) => {
    for (let i = 0; i < 3; i++) {
      await nextLoopTick()
      order.push(name)
    }
  }
  const { ticks } = await watchEventLoop(() => Promise.all([work('a'), work('b'), work('c')]))
  expect(order.join('')).toBe('abcabcabc')
  expect(ticks).toBeGreaterThanOrEqual(9)
})

it('allows some milliseconds of work, and the same again after a pause', async () => {
  const stretch = new TimeSlice()
  expect(stretch.isOver).toBe(false)
  const until = performance.now() + 20
  while (performance.now() < until);
  expect(stretch.isOver).toBe(true)
  await stretch.rest()
  expect(stretch.isOver).toBe(false)
})

it('ends with the reason of a signal that was aborted during the pause', async () => {
  const controller = new AbortController()
  const resting = new TimeSlice().rest(controller.signal)
  controller.abort(new Error('nobody waits'))
  await expect(resting).rejects.toThrow('nobody waits')
})
