/** The thread for long work when it crashes: when svc runs from sources, there is no module that it could load. */
import { expect, it } from 'vitest'
import type { EngineRequest } from '../../../src/engine/context.ts'
import { EngineThread } from '../../../src/server/threads/engine-thread.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const errorMessage = (response: Promise<unknown>): Promise<string> =>
  response.then(
    () => 'answered',
    (error: Error) => error.message,
  )

const request = (signal?: AbortSignal): EngineRequest => ({
  input: { params: {}, query: {}, body: undefined },
  credentials: { kind: 'headers', apiKey: null, linkToken: null },
  accept: 'application/json',
  signal,
})

const opened = () => {
  const dataDir = temporaryFolder()
  return new EngineThread(() => ({ dataDir, publicUrl: null, allowPrivateTargets: false }))
}

it('a thread that ends does not affect the calls of its successor', async () => {
  const thread = opened()
  const ask = () => errorMessage(thread.operation('engine.check', request()))
  const first = await ask()
  // the crashed one has not ended yet
  const [second, third] = await Promise.all([ask(), ask()])
  expect(first).not.toBe('the thread for long work has ended')
  expect([second, third]).toEqual([first, first])
  await thread.close()
})

it('a thread that is no longer needed once it has started gets no call', async () => {
  const thread = opened()
  const controller = new AbortController()
  const response = errorMessage(thread.operation('engine.check', request(controller.signal)))
  controller.abort(new Error('nobody waits'))
  expect(await response).toBe('nobody waits')
  await thread.close()
})

it('work at live providers that cannot run is reported, and ends', async () => {
  const thread = opened()
  const failures: unknown[] = []
  const run = thread.live({ log: () => {}, failed: error => failures.push(error) })
  run.look()
  await run.ended
  expect(failures).toEqual([expect.any(Error)])
  await run.stop()
  await thread.close()
})

it('work at live providers that is stopped at once reports nothing', async () => {
  const thread = opened()
  const failures: unknown[] = []
  const run = thread.live({ log: () => {}, failed: error => failures.push(error) })
  await run.stop()
  expect(failures).toEqual([])
  await thread.close()
})
