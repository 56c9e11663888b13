/** Hostile responses of all live providers end one collection with a reason, and affect nothing else. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { LiveConnector } from '../../../../src/connectors/live/live-connector.ts'
import type { UserId } from '../../../../src/core/ids.ts'
import { DAY_MS } from '../../../../src/core/time.ts'
import { pullConnection } from '../../../../src/engine/live/pulling/pull.ts'
import { setUpAndLink } from '../../../engine/live/linked-account.ts'
import { type Harness, NOON, openHarness } from '../../../kit/harness.ts'
import type { FakeProvider } from '../../../providers/fake-provider.ts'
import { type HostileFront, openFront } from '../../../providers/hostile-front.ts'
import { HOSTILE_RESPONSES } from '../../../providers/hostile-responses.ts'
import { hostileTargets } from '../../../providers/hostile-targets.ts'

/** The request timeout: long enough for a busy machine, and short for a response that never ends. */
const PATIENT_MS = 15_000
const SHORT_MS = 2_500
let responseTimeoutMs = PATIENT_MS
const PACE = { tries: 1, firstMs: 2, mostMs: 5 }
/** Far longer than any of them takes on a busy machine; a hang would take minutes. */
const MOST_MS = 60_000
const MOST_MEMORY = 700 * 1024 * 1024

vi.mock('../../../../src/connectors/live/live-connectors.ts', async load => {
  const real = await load<typeof import('../../../../src/connectors/live/live-connectors.ts')>()
  return {
    ...real,
    // two collections, a short history and no waits
    async liveConnector(provider: string): Promise<LiveConnector | null> {
      const connector = await real.liveConnector(provider)
      const target = hostileTargets(NOON).find(each => each.provider === provider)
      if (!connector || !target) return connector
      const names = [target.collection, target.other.collection]
      const collections = connector.collections
        .filter(({ name }) => names.includes(name))
        .map(each => ({ ...each, historyDays: 5, windowDays: 5 }))
      return { ...connector, collections, limits: [], responseTimeoutMs }
    },
  }
})

describe.each(hostileTargets(NOON))('$provider', target => {
  let h: Harness
  let fake: FakeProvider
  let front: HostileFront
  let people = 0

  beforeAll(async () => {
    h = await openHarness()
    fake = await target.open()
    front = await openFront(target, fake.url)
  })
  afterAll(async () => {
    await front?.close()
    await fake?.close()
  })

  const samples = async (userId: UserId, resource: string): Promise<{ at: number; value: number }[]> => {
    const found: { at: number; value: number }[] = []
    const query = { resource, provider: null, from: 0, to: Number.MAX_SAFE_INTEGER }
    for await (const { columns } of h.engine.context.store.samples.scan(userId, query)) {
      for (const [row, at] of [...columns.start].entries()) found.push({ at, value: columns.value[row] ?? Number.NaN })
    }
    return found
  }

  const pulled = async (userId: UserId) => {
    const { context } = h.engine
    const key = { userId, provider: target.provider }
    const report = await pullConnection(context, key, { holder: 'test', untilDone: true, pace: PACE })
    const { connections } = await h.call('provider.status', { query: { user_id: userId } })
    const connection = connections.find(each => each.provider === target.provider)
    const collection = connection?.collections.find(({ name }) => name === target.collection)
    return { report, connection, collection }
  }

  it.each(HOSTILE_RESPONSES)('that sends $name', async hostile => {
    front.attack(null)
    const userId = await setUpAndLink(
      h,
      { ...fake, url: front.url },
      { provider: target.provider, person: `person-${people++}` },
    )
    front.attack(hostile)
    responseTimeoutMs = hostile.outcomes.includes('unavailable') ? SHORT_MS : PATIENT_MS
    const before = process.memoryUsage.rss()
    let most = before
    const looking = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss())
    }, 20)
    const began = performance.now()
    const { report, connection, collection } = await pulled(userId)
    clearInterval(looking)
    expect(performance.now() - began).toBeLessThan(MOST_MS)
    expect(most - before).toBeLessThan(MOST_MEMORY)
    expect(front.attacked).toBeGreaterThan(0)

    // it failed with a reason and a pause, or not at all
    const isIgnored = hostile.needsPages === true && !target.hasPages
    const outcome = collection?.last_error?.kind ?? null
    expect(isIgnored ? [null] : hostile.outcomes).toContain(outcome)
    expect(report.outcome).toBe(outcome === null ? 'done' : 'unfinished')
    if (outcome !== null) {
      expect(collection?.failures).toBe(1)
      expect(Date.parse(collection?.due_at ?? '')).toBeGreaterThan(NOON)
      expect(collection?.last_error?.message).toMatch(/^[A-Z].*\.$|^\w+ (sent|responded|did not).*\.$/)
      expect(collection?.last_error?.message.length).toBeLessThan(300)
    }

    // the connection and its other collection go on
    expect(connection).toMatchObject({ status: 'connected' })
    const other = connection?.collections.find(({ name }) => name === target.other.collection)
    expect(other).toMatchObject({ state: 'polling', last_error: null, failures: 0 })
    expect((await samples(userId, target.other.resource)).length).toBeGreaterThan(0)

    // no wrong data is stored
    const stored = await samples(userId, target.resource)
    const all = await h.engine.context.store.users.byId(userId)
    expect(all?.deletedAt).toBeNull()
    for (const { at, value } of stored) {
      expect(Number.isFinite(value)).toBe(true)
      expect(at).toBeGreaterThan(NOON - 10 * DAY_MS)
      expect(at).toBeLessThan(NOON + DAY_MS)
    }
    const counts = { none: [0], row: [1], 'row or none': [0, 1] }[hostile.stored]
    expect(counts).toContain(stored.length)
    expect(Object.keys(Object.prototype)).toEqual([])

    // it recovers by itself
    if (outcome === null) return
    front.attack(null)
    h.time.ms += 2 * 60_000
    const after = await pulled(userId)
    h.time.ms = NOON
    expect(after.collection).toMatchObject({ last_error: null, failures: 0 })
  })
})
