/** When a call with a large body runs in the thread, and how a broken thread is reported. */
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Reply } from '../../../src/contract/kernel/operation.ts'
import type { EngineRequest } from '../../../src/engine/context.ts'
import { BodyThread } from '../../../src/server/bodies/body-thread.ts'

const MiB = 1024 * 1024
const REPLY: Reply<never> = { kind: 'empty', status: 204, headers: {} }
const buildRequest = (name: string, signal: AbortSignal | undefined): EngineRequest => ({
  input: { params: { name }, query: {}, body: undefined },
  credentials: { kind: 'headers', apiKey: null, linkToken: null },
  accept: '*/*',
  signal,
})

function setUp() {
  const begun: string[] = []
  const ends = new Map<string, { done(): void; fail(error: Error): void }>()
  const thread = new BodyThread({
    operation: (_id, { input }) => {
      const name = String(input.params['name'])
      begun.push(name)
      return new Promise((resolve, reject) => {
        ends.set(name, { done: () => resolve(REPLY), fail: reject })
      })
    },
    close: async () => {},
  })
  const run = (name: string, bytes: number, signal?: AbortSignal) =>
    thread.run('samples.push', buildRequest(name, signal), bytes)
  return { begun, ends, run }
}

describe('calls with large bodies', () => {
  it('run one at a time in order of arrival if larger than 1 MiB', async () => {
    const { begun, ends, run } = setUp()
    const all = [run('first', 20 * MiB), run('second', 2 * MiB), run('small', 100_000)]
    for (const [i, name] of ['first', 'second', 'small'].entries()) {
      await turn()
      expect(begun).toHaveLength(i + 1)
      expect(begun.at(-1)).toBe(name)
      ends.get(name)?.done()
      expect(await all[i]).toBe(REPLY)
    }
  })

  it('run together up to 1 MiB in total', async () => {
    const { begun, ends, run } = setUp()
    const all = [run('a', 700_000), run('b', 700_000), run('c', 100_000)]
    await turn()
    expect(begun).toEqual(['a'])
    ends.get('a')?.done()
    await turn()
    expect(begun).toEqual(['a', 'b', 'c'])
    for (const each of ends.values()) each.done()
    await Promise.all(all)
  })

  it('never start, and delay no other call, if their caller has left', async () => {
    const { begun, ends, run } = setUp()
    const controller = new AbortController()
    const first = run('first', 2 * MiB)
    const gone = run('gone', 2 * MiB, controller.signal)
    const third = run('third', 2 * MiB)
    controller.abort(new Error('it went'))
    await expect(gone).rejects.toThrow('it went')
    await expect(run('late', 2 * MiB, controller.signal)).rejects.toThrow('it went')
    ends.get('first')?.done()
    await first
    await turn()
    expect(begun).toEqual(['first', 'third'])
    ends.get('third')?.done()
    await third
  })

  it('get 503 when their thread runs out of memory, and an error when it crashes; the next one runs', async () => {
    const { begun, ends, run } = setUp()
    const first = run('first', 2 * MiB)
    const second = run('second', 2 * MiB)
    await turn()
    ends.get('first')?.fail(Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }))
    await expect(first).rejects.toMatchObject({ code: 'overloaded', status: 503, headers: { 'retry-after': '2' } })
    await turn()
    expect(begun).toEqual(['first', 'second'])
    ends.get('second')?.fail(new TypeError('of ours'))
    await expect(second).rejects.toThrow(TypeError)
  })
})
