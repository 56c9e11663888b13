/** How several processes, a killed process and a store that refuses writes affect deliveries: nothing is lost, few are sent twice. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { ServiceError } from '../../src/core/errors.ts'
import type { EngineContext } from '../../src/engine/context.ts'
import type { DeliveryStore } from '../../src/store/logic/deliveries/deliveries.ts'
import { openHarness } from '../kit/harness.ts'
import { storeVariables } from '../kit/postgres/database.ts'
import { openSink, type Received } from '../kit/sink.ts'
import { until } from '../kit/until.ts'
import { openDeliveryHarness, untilIdle } from './delivery-harness.ts'

const BENCH = join(import.meta.dirname, '..', 'bench')
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

const listIds = (received: readonly Received[]) => received.map(each => String(each.headers['webhook-id']))
const doubles = (ids: readonly string[]) => ids.length - new Set(ids).size

/** The scripts are plain JavaScript, without types. */
interface BundleScript {
  bundled(entry: string): Promise<{ readonly path: string }>
}

/** Starts a separate process that serves the folder and delivers. */
async function serve(dataDir: string): Promise<ChildProcess> {
  const script: BundleScript = await import(pathToFileURL(join(BENCH, 'bundle.mjs')).href)
  const { path } = await script.bundled('webhooks/webhooks-entry.ts')
  const child = spawn(process.execPath, [join(BENCH, 'webhooks', 'webhooks-serve.mjs'), path, dataDir], {
    stdio: 'ignore',
    env: { ...process.env, ...storeVariables(dataDir) },
  })
  children.push(child)
  return child
}

describe('several processes', () => {
  it('make each delivery once, and keep the order of each user', async () => {
    const harness = await openDeliveryHarness()
    const second = (await openHarness({ dataDir: harness.h.dataDir })).engine.context
    const sink = await openSink(async () => {
      await new Promise(resolve => setTimeout(resolve, 2))
      return 200
    })
    await harness.endpoint(sink.url, { concurrency: 2 })
    const users = await Promise.all(['anna', 'ben', 'cara', 'dora'].map(name => harness.user(name)))
    const deliverers = [await harness.deliver(), await harness.deliver({ engine: second })]
    for (let i = 0; i < 5; i++) await Promise.all(users.map(user => harness.events(user, 10)))
    await until(() => sink.received.length >= 200)
    for (const deliverer of deliverers) await untilIdle(deliverer)
    expect(sink.received).toHaveLength(200)
    expect(doubles(listIds(sink.received))).toBe(0)
    for (const user of users) {
      const own = sink.received.filter(each => JSON.parse(each.body).user_id === user)
      const numbers = own.map(each => Number(each.headers['webhook-sequence']))
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    }
  })

  it('notice soon when another process deletes the user of claimed deliveries', async () => {
    const harness = await openDeliveryHarness()
    const second = await openHarness({ dataDir: harness.h.dataDir })
    const sink = await openSink(async () => {
      await new Promise(resolve => setTimeout(resolve, 120))
      return 200
    })
    await harness.endpoint(sink.url, { concurrency: 1 })
    const anna = await harness.user('anna')
    await harness.events(anna, 6)
    const deliverer = await harness.deliver()
    await until(() => sink.received.length >= 2)
    await second.call('user.delete', { params: { user_id: anna } })
    await untilIdle(deliverer)
    expect(sink.received.length).toBeLessThanOrEqual(3)
  })

  it('take over deliveries that a stopped process released', async () => {
    const harness = await openDeliveryHarness()
    let isStuck = true
    const sink = await openSink(() => (isStuck ? undefined : 200))
    await harness.endpoint(sink.url, { concurrency: 2 })
    await harness.events(await harness.user('anna'), 5)
    const first = await harness.deliver()
    await until(() => sink.received.length === 1)
    await first.stop(50)
    expect(await harness.engine.store.deliveries.figures()).toMatchObject({ waiting: 5, leased: 0 })
    isStuck = false
    await harness.deliverAll()
    expect(new Set(listIds(sink.received)).size).toBe(5)
    expect(sink.received).toHaveLength(6)
  })
})

describe('a process that is killed', () => {
  it('loses nothing, and only deliveries in progress are sent twice', { timeout: 120_000 }, async () => {
    const harness = await openDeliveryHarness()
    const sink = await openSink(async () => {
      await new Promise(resolve => setTimeout(resolve, 10))
      return 200
    })
    await harness.endpoint(sink.url, { concurrency: 4 })
    const users = await Promise.all(['anna', 'ben', 'cara', 'dora', 'ella'].map(name => harness.user(name)))
    for (const user of users) await harness.events(user, 60)
    let leased = 0
    for (const goal of [40, 120]) {
      const child = await serve(harness.h.dataDir)
      await until(() => sink.received.length >= goal, { mostMs: 60_000 })
      const ended = new Promise(resolve => child.on('exit', resolve))
      child.kill('SIGKILL')
      await ended
      leased += (await harness.engine.store.deliveries.figures()).leased
    }
    expect(leased).toBeGreaterThan(0)
    await serve(harness.h.dataDir)
    await until(async () => (await harness.engine.store.deliveries.figures()).waiting === 0, { mostMs: 60_000 })
    const ids = listIds(sink.received)
    expect(new Set(ids).size).toBe(300)
    expect(doubles(ids)).toBeLessThanOrEqual(leased)
    const times = new Map<string, number>()
    for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
    expect(Math.max(...times.values())).toBeLessThanOrEqual(2)
  })
})

describe('a store', () => {
  /** Returns the engine with a part of its delivery store replaced. */
  function withPart(engine: EngineContext, part: (real: DeliveryStore) => Partial<DeliveryStore>): EngineContext {
    const real = engine.store.deliveries
    const other = part(real)
    const deliveries = new Proxy(real, {
      get: (target, name: keyof DeliveryStore) => other[name] ?? target[name].bind(target),
    })
    const store = new Proxy(engine.store, {
      get(target, name) {
        if (name === 'deliveries') return deliveries
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    return { ...engine, store }
  }

  it('that refuses writes for a while stops deliveries until it accepts them, and nothing is lost', async () => {
    const harness = await openDeliveryHarness()
    const sink = await openSink()
    await harness.endpoint(sink.url)
    const anna = await harness.user('anna')
    let isFull = false
    const engine = withPart(harness.engine, real => ({
      async tick(tick) {
        if (isFull) throw new ServiceError('disk_full', 'The disk is full.')
        return real.tick(tick)
      },
    }))
    const lines: string[] = []
    const deliverer = await harness.deliver({ engine, log: line => lines.push(line) })
    await harness.events(anna, 5)
    await until(() => sink.received.length === 5)
    await untilIdle(deliverer)
    isFull = true
    await harness.events(anna, 5)
    await until(() => lines.length > 0)
    expect(sink.received).toHaveLength(5)
    isFull = false
    await until(() => sink.received.length === 10)
    await untilIdle(deliverer)
    expect(lines).toEqual(['deliveries are paused: disk_full: The disk is full.', 'deliveries: resumed'])
    expect(doubles(listIds(sink.received))).toBe(0)
    expect(await harness.engine.store.deliveries.figures()).toEqual({ waiting: 0, leased: 0, dead: 0 })
  })

  it('that is replaced as a whole sends the events of the new state', async () => {
    const harness = await openDeliveryHarness()
    const sink = await openSink()
    await harness.endpoint(sink.url)
    const anna = await harness.user('anna')
    await harness.events(anna, 1)
    await harness.h.call('snapshot.save', { body: { name: 'before' } })
    const deliverer = await harness.deliver()
    await until(() => sink.received.length === 1)
    await untilIdle(deliverer)
    await harness.h.call('snapshot.restore', { params: { name: 'before' } })
    await until(() => sink.received.length === 2)
    await untilIdle(deliverer)
    expect(new Set(listIds(sink.received)).size).toBe(1)
    expect(await harness.engine.store.deliveries.figures()).toEqual({ waiting: 0, leased: 0, dead: 0 })
  })
})
