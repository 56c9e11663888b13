/**
 * Long work of the engine in one process lets other work run in between. The tests measure processor time, which does not depend on how
 * busy the machine is.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Reply } from '../../src/contract/kernel/operation.ts'
import type { OperationId } from '../../src/contract/operations.ts'
import type { UserId } from '../../src/core/ids.ts'
import { runOperation } from '../../src/engine/engine.ts'
import { watchEventLoop } from '../kit/event-loop.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { type Harness, NOON, openHarness } from '../kit/harness.ts'
import { buildBatch, writing } from '../store/user-store.ts'

const SAMPLES = 200_000
/** For work that takes some hundred milliseconds and pauses every 5 ms: without pauses, one piece is most or all of it. */
const LONGEST_SHARE = 0.1

let h: Harness
let userId: UserId

beforeAll(async () => {
  h = await openHarness()
  userId = (await h.call('user.create', { body: { client_user_id: 'ada' } })).user_id
  const series = { resource: 'heartrate', type: null, provider: 'whoop', sourceType: 'watch' }
  const day = 40_000
  for (let from = 0; from < SAMPLES; from += day) {
    const samples = Array.from({ length: day }, (_, i) => ({
      start: NOON - 1000 * (from + i + 1),
      value: 60 + ((i * 7) % 80) + 0.25,
      offset: 3600,
    }))
    await h.engine.context.store.data.write(userId, {
      ...writing([buildBatch(series, samples)]),
      at: NOON,
      teamId: h.team.teamId,
    })
  }
})

const run = (id: OperationId, input: object, signal?: AbortSignal): Promise<Reply<unknown>> =>
  runOperation(h.engine.context, id, {
    input: { params: {}, query: {}, body: undefined, ...input },
    credentials: { kind: 'team', team: h.team, linkToken: null },
    accept: 'application/json',
    signal,
  })

async function read(reply: Reply<unknown>, most = Number.POSITIVE_INFINITY): Promise<Uint8Array[]> {
  if (reply.kind !== 'bytes' || reply.bytes instanceof Uint8Array) throw new Error('a stream of bytes was expected')
  const pieces: Uint8Array[] = []
  for await (const piece of reply.bytes) if (pieces.push(piece) >= most) break
  return pieces
}

describe('other work continues', () => {
  it('while a user is exported to a reader that keeps up', async () => {
    const { result, longestShare } = await watchEventLoop(async () =>
      read(await run('user.export', { params: { user_id: userId } })),
    )
    expect(Buffer.concat(result).toString().split('\n').length).toBeGreaterThan(SAMPLES)
    expect(Math.max(...result.map(piece => piece.length))).toBeLessThan(1 << 20)
    expect(longestShare).toBeLessThan(LONGEST_SHARE)
  })

  it('while a file with slow lines is read', async () => {
    const path = join(temporaryFolder(), 'data.csv')
    const lines = Array.from(
      { length: 28_000 },
      (_, i) => `${new Date(NOON - i * 60_000).toISOString()},${60 + (i % 50)}`,
    )
    writeFileSync(path, `start,value\n${lines.join('\n')}\n`)
    const mapping = { columns: { start: 'start', value: 'value' }, resource: 'heartrate' }
    const { longestShare } = await watchEventLoop(() =>
      run('import.create', {
        params: { user_id: userId },
        query: { dry_run: 'true', mapping: JSON.stringify(mapping) },
        body: { kind: 'file', path },
      }),
    )
    expect(longestShare).toBeLessThan(LONGEST_SHARE)
  })

  it('while events are listed with their samples', async () => {
    const query = { limit: '80', payload: 'true' }
    const { result, longestShare } = await watchEventLoop(() => run('event.list', { query }))
    if (result.kind !== 'json') throw new Error('JSON was expected')
    expect(Buffer.from(result.wire?.() ?? '').toString()).toBe(JSON.stringify(result.body))
    // a short list: without pauses the share was 1
    expect(longestShare).toBeLessThan(0.5)
  })
})

describe('an export', () => {
  it('reads no further than its reader requests', async () => {
    const store = h.engine.context.store
    const scan = store.samples.scan.bind(store.samples)
    let slices = 0
    store.samples.scan = async function* (...args) {
      for await (const slice of scan(...args)) {
        slices++
        yield slice
      }
    }
    try {
      const all = (await read(await run('user.export', { params: { user_id: userId } }))).length
      const whole = slices
      slices = 0
      await read(await run('user.export', { params: { user_id: userId } }), 2)
      expect(all).toBeGreaterThan(30)
      expect(slices).toBeLessThan(whole / 5)
    } finally {
      store.samples.scan = scan
    }
  })

  it('that is no longer wanted ends at its next piece', async () => {
    const controller = new AbortController()
    const reply = await run('user.export', { params: { user_id: userId } }, controller.signal)
    let pieces = 0
    const reading = (async () => {
      if (reply.kind !== 'bytes' || reply.bytes instanceof Uint8Array) throw new Error('a stream was expected')
      for await (const _ of reply.bytes) if (++pieces === 2) controller.abort()
    })()
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' })
    expect(pieces).toBe(2)
  })
})
