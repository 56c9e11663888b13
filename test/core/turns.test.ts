/** Long work in short stretches: how often others get their turn, whatever is at work. */
import { expect, it } from 'vitest'
import { nextTurn, Stretch } from '../../src/core/turns.ts'
import { watchingTurns } from '../turns.ts'

it('goes on in the order in which it rested, one a turn of the event loop', async () => {
  const order: string[] = []
  const work = async (name: string) => {
    for (let i = 0; i < 3; i++) {
      await nextTurn()
      order.push(name)
    }
  }
  const { turns } = await watchingTurns(() => Promise.all([work('a'), work('b'), work('c')]))
  expect(order.join('')).toBe('abcabcabc')
  expect(turns).toBeGreaterThanOrEqual(9)
})

it('is over after some milliseconds, and begins anew with a rest', async () => {
  const stretch = new Stretch()
  expect(stretch.isOver).toBe(false)
  const until = performance.now() + 20
  while (performance.now() < until);
  expect(stretch.isOver).toBe(true)
  await stretch.rest()
  expect(stretch.isOver).toBe(false)
})

it('ends with the reason of a signal that was aborted while it rested', async () => {
  const controller = new AbortController()
  const resting = new Stretch().rest(controller.signal)
  controller.abort(new Error('nobody waits'))
  await expect(resting).rejects.toThrow('nobody waits')
})
