/** The thread for aggregate queries where it breaks: from sources there is no module that it could load. */
import { expect, it } from 'vitest'
import type { AggregateWork } from '../../src/engine/aggregate/work.ts'
import { AggregateThread } from '../../src/server/aggregate-thread.ts'
import { temporaryFolder } from '../folder.ts'

const messageOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'answered',
    (error: Error) => error.message,
  )

it('that ends does not take along the queries of the one that follows it', async () => {
  const thread = new AggregateThread(temporaryFolder())
  const work = {} as AggregateWork
  const first = await messageOf(thread.run(work, undefined))
  // the broken one has not ended yet
  const [second, third] = await Promise.all([
    messageOf(thread.run(work, undefined)),
    messageOf(thread.run(work, undefined)),
  ])
  expect(first).not.toBe('the thread for aggregate queries ended')
  expect([second, third]).toEqual([first, first])
  await thread.close()
})

it('that is not needed any more when it has started is asked nothing', async () => {
  const thread = new AggregateThread(temporaryFolder())
  const controller = new AbortController()
  const answer = messageOf(thread.run({} as AggregateWork, controller.signal))
  controller.abort(new Error('nobody waits'))
  expect(await answer).toBe('nobody waits')
  await thread.close()
})
