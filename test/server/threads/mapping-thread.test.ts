/** The threads that parse and map responses of live providers: a pull that breaks its thread ends only itself. */
import { afterEach, beforeAll, expect, it } from 'vitest'
import {
  all,
  asked,
  bundledThreads,
  LIMITS,
  ownerOf,
  type Sent,
  sessionWith,
  type ThreadsEntry,
} from './mapping-bundle.ts'

let entry: ThreadsEntry
let thread: InstanceType<ThreadsEntry['MappingThread']>
let testSession: ReturnType<typeof sessionWith>

beforeAll(async () => {
  entry = await bundledThreads('mapping-thread')
  testSession = sessionWith(entry)
})
afterEach(() => thread?.close())

it('pulls with the same result as without threads, and sends the requests from the other thread', async () => {
  thread = new entry.MappingThread(LIMITS)
  const sent: Sent[] = []
  const session = testSession(async each => `${sent.push(each)}`)
  expect(await all(thread.pull(ownerOf('good'), session, asked('days')))).toEqual([1, 2])
  expect(sent).toEqual([
    { url: '/first', form: 'collection=days' },
    { url: '/second', form: 'collection=days' },
  ])
})

it('throws the errors of connectors, and the errors of requests unchanged', async () => {
  thread = new entry.MappingThread(LIMITS)
  const refused = all(
    thread.pull(
      ownerOf('refuses'),
      testSession(async () => '1'),
      asked('days'),
    ),
  )
  await expect(refused).rejects.toMatchObject({ name: 'ProviderError', kind: 'scope_missing', status: 403 })
  const lost = new Error('the store is gone')
  const broken = all(
    thread.pull(
      ownerOf('good'),
      testSession(async () => Promise.reject(lost)),
      asked('days'),
    ),
  )
  await expect(broken).rejects.toBe(lost)
})

it.each([
  ['loops', 'time', LIMITS.longestTickMs],
  // on a busy machine, it may take long to fill the memory
  ['grows', 'memory', 20_000],
])(
  'ends a pull that %s as a bad response, and repeats the other pulls in the thread',
  async (provider, what, longestTickMs) => {
    thread = new entry.MappingThread({ ...LIMITS, longestTickMs: longestTickMs })
    // it waits for its second response meanwhile
    const waiting = all(
      thread.pull(
        ownerOf('good'),
        testSession(({ url }) => (url === '/first' ? Promise.resolve('1') : new Promise(() => {}))),
        asked('days'),
      ),
    )
    const beside = expect(waiting).rejects.toMatchObject({ name: 'PullInterrupted' })
    const hostile = all(
      thread.pull(
        ownerOf(provider),
        testSession(async () => '1'),
        asked('days'),
      ),
    )
    const message = `${provider} sent responses that take too much ${what} to read.`
    await expect(hostile).rejects.toMatchObject({ kind: 'bad_answer', message })
    await beside
    expect(
      await all(
        thread.pull(
          ownerOf('good'),
          testSession(async () => '7'),
          asked('days'),
        ),
      ),
    ).toEqual([7, 7])
  },
)

it('ends a stopped pull at once, also while the thread is processing its page', async () => {
  thread = new entry.MappingThread({ ...LIMITS, longestTickMs: 20_000 })
  const stop = new AbortController()
  const session = Object.assign(
    testSession(async () => '1'),
    { signal: stop.signal },
  )
  const pulled = expect(all(thread.pull(ownerOf('slow'), session, asked('days')))).rejects.toThrow('stopped')
  await new Promise(resolve => setTimeout(resolve, 1_000))
  const began = performance.now()
  stop.abort(new Error('stopped'))
  await pulled
  expect(performance.now() - began).toBeLessThan(1_000)
})
