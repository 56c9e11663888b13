/**
 * A slow store, like one on another machine: each response is 0 to 5 ms late, and events get their position in the team's order some time
 * after their commit. Code that works over SQLite only because a call takes no time fails here. `SVC_TEST_SEED=…` repeats the delays.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { Stream } from '../../../src/core/random.ts'
import type { Store } from '../../../src/store/port.ts'
import { seed } from '../seed.ts'
import { type Delay, EventPositions } from './event-positions.ts'

const MOST_MS = 5

export interface DelayedStore {
  readonly store: Store
  /** The positions of events, for tests that wait until all committed events are visible to lists. */
  readonly positions: EventPositions
}

/** Delays every call of the port. Synchronous members stay synchronous. The delays depend only on the seed and the test. */
export function delayedStore(store: Store): DelayedStore {
  const stream = new Stream('delays', seed, expect.getState().currentTestName ?? '')
  const delay: Delay = () => Math.floor(stream.next() * (MOST_MS + 1))
  const positions = new EventPositions(store.events, delay)
  return { store: storeOver(store, positions, delay), positions }
}

/** Returns the same for the store of a single call. */
function storeOver(inner: Store, positions: EventPositions, delay: Delay): Store {
  const data = Object.assign(Object.create(inner.data) as Store['data'], {
    openSpool: async () => late(await inner.data.openSpool(), delay),
  })
  const over = <Own extends { readonly store: Store }>(own: Own) => ({
    ...own,
    store: storeOver(own.store, positions, delay),
  })
  const parts = Object.entries(inner).filter(([, part]) => typeof part === 'object')
  return {
    ...inner,
    ...Object.fromEntries(parts.map(([name, part]) => [name, late(part, delay)])),
    events: late(positions.over(inner.events), delay),
    data: late(data, delay),
    auditing: entry => over(inner.auditing(entry)),
    idempotent: (call, responseTo) => over(inner.idempotent(call, responseTo)),
    recording: entry => over(inner.recording(entry)),
  }
}

function late<T extends object>(part: T, delay: Delay): T {
  return new Proxy(part, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      // a part of a part, such as `live.tokenSets`
      if (typeof member === 'object' && member !== null) return late(member, delay)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => delayResult(Reflect.apply(member, target, given), delay)
    },
  })
}

function delayResult(result: unknown, delay: Delay): unknown {
  if (result instanceof Promise) return lateResult(result, delay())
  return isAsyncIterable(result) ? lateItems(result, delay) : result
}

async function lateResult(result: Promise<unknown>, ms: number): Promise<unknown> {
  try {
    return await result
  } finally {
    if (ms > 0) await wait(ms)
  }
}

async function* lateItems(items: AsyncIterable<unknown>, delay: Delay): AsyncGenerator<unknown> {
  for await (const item of items) {
    await wait(delay())
    yield item
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
