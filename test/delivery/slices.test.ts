/** How processes divide the users among themselves, and what happens to outcomes when a slice or a user is lost. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { UserId } from '../../src/core/ids.ts'
import { type AttemptOutcome, deliveryName } from '../../src/store/delivery.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { openHarness } from '../kit/harness.ts'
import { openSink, type Received } from '../kit/sink.ts'
import { until } from '../kit/until.ts'
import { type DeliveryHarness, openDeliveryHarness, untilIdle } from './delivery-harness.ts'

const listIds = (received: readonly Received[]) => received.map(each => String(each.headers['webhook-id']))

function openFile(harness: DeliveryHarness): SqliteDatabase {
  const path = harness.h.engine.folder.database
  const db = new SqliteDatabase({ path, waitForLock: 'async', durable: true })
  onTestFinished(() => db.close())
  return db
}

/** Returns the number of slices of each process, in ascending order. */
function sharesIn(db: SqliteDatabase): number[] {
  const rows = db.all<{ n: number }>('SELECT count(*) AS n FROM delivery_slice GROUP BY deliverer_id')
  return rows.map(({ n }) => n).sort((a, b) => a - b)
}

async function openUsers(harness: DeliveryHarness, count: number): Promise<UserId[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => harness.user(`user-${i}`)))
}

function expectOnceAndInOrder(received: readonly Received[], users: readonly UserId[], eventsOfEach: number): void {
  expect(received).toHaveLength(users.length * eventsOfEach)
  expect(new Set(listIds(received)).size).toBe(received.length)
  for (const user of users) {
    const numbers = received
      .filter(each => JSON.parse(each.body).user_id === user)
      .map(each => Number(each.headers['webhook-sequence']))
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  }
}

describe('processes', () => {
  it('share the slices, also with a third that joins, and deliver each event once and in the order of its user', async () => {
    const harness = await openDeliveryHarness()
    const db = openFile(harness)
    const sinks = await Promise.all([openSink(), openSink()])
    for (const sink of sinks) await harness.endpoint(sink.url, { concurrency: 3 })
    const users = await openUsers(harness, 12)
    let rounds = 0
    const emit = async (): Promise<void> => {
      rounds++
      await Promise.all(users.map(user => harness.events(user, 5)))
    }
    const join = async (chance: string) => (await openHarness({ dataDir: harness.h.dataDir, chance })).engine.context
    const deliverers = [await harness.deliver()]
    await emit()
    await until(() => sharesIn(db)[0] === 256)
    for (const shares of [
      [128, 128],
      [84, 86, 86],
    ]) {
      deliverers.push(await harness.deliver({ engine: await join(String(shares)) }))
      await until(async () => {
        await emit()
        await Promise.all(deliverers.map(each => untilIdle(each)))
        return String(sharesIn(db)) === String(shares)
      })
    }
    for (const sink of sinks) expectOnceAndInOrder(sink.received, users, rounds * 5)
    expect(await harness.engine.store.deliveries.figures()).toEqual({ waiting: 0, leased: 0, dead: 0 })
  })

  it('take over the slices of one that died, once its time has expired', async () => {
    const harness = await openDeliveryHarness()
    const db = openFile(harness)
    const sink = await openSink()
    await harness.endpoint(sink.url)
    const users = await openUsers(harness, 4)
    db.run("INSERT INTO deliverer VALUES ('dead', ?)", harness.h.time.ms + 15_000)
    for (let byte = 0; byte < 256; byte++) {
      db.run("INSERT INTO delivery_slice VALUES (?, 'dead')", byte.toString(16).padStart(2, '0'))
    }
    for (const user of users) await harness.events(user, 2)
    const deliverer = await harness.deliver()
    await until(() => db.get('SELECT 1 FROM deliverer WHERE deliverer_id<>?', 'dead') !== undefined)
    expect(sink.received).toEqual([])
    harness.h.time.ms += 15_000
    await until(() => sink.received.length === 8)
    await untilIdle(deliverer)
    expectOnceAndInOrder(sink.received, users, 2)
    expect(sharesIn(db)).toEqual([256])
  })
})

describe('an outcome', () => {
  /** Leases one delivery to the process `one`, and returns the outcome of its attempt. */
  async function leased() {
    const harness = await openDeliveryHarness()
    const { endpoint_id: endpointId } = await harness.endpoint('http://localhost:9')
    const anna = await harness.user('anna')
    await harness.events(anna, 1)
    const { deliveries, snapshots } = harness.engine.store
    const { teamId } = harness.h.team
    const now = harness.h.time.ms
    const epoch = await snapshots.epoch()
    const request = { teamId, endpointId, most: 1, users: 1, afterUser: '', mostOfUser: 1, inHand: new Map() }
    const times = { realNow: now, aliveUntil: now + 15_000, now }
    const nothing = { outcomes: [], holds: 0, knownLeases: null, knownEvents: null, holdsNothing: true }
    const tick = { delivererId: 'one', epoch, ...times, ...nothing, requests: [request] }
    const [claim] = (await deliveries.tick(tick)).claims
    expect(claim?.first).toHaveLength(1)
    const attempt = { at: now, status: 200, error: null, ms: 1 }
    const delivery = { userId: anna, sequence: 1, endpointId, teamId, delivererId: 'one' }
    const outcome: AttemptOutcome = { ...delivery, attempt, after: { kind: 'delivered' }, exchange: null }
    return { deliveries, epoch, outcome, turn: tick }
  }

  it('is not stored once the slice of its user is lost', async () => {
    const { deliveries, epoch, outcome, turn: tick } = await leased()
    const later = tick.realNow + 20_000
    const others = { realNow: later, aliveUntil: later + 15_000, requests: [] }
    await deliveries.tick({ ...tick, ...others, delivererId: 'two' })
    expect(await deliveries.keep(epoch, [outcome])).toEqual([{ outcomes: [outcome], result: { kind: 'lost' } }])
    expect(await deliveries.figures()).toEqual({ waiting: 1, leased: 0, dead: 0 })
    expect((await deliveries.tick({ ...tick, holdsNothing: false, holds: 1 })).isLost).toBe(true)
  })

  it('is not stored after the state of the store was replaced', async () => {
    const { deliveries, epoch, outcome } = await leased()
    expect(await deliveries.keep(epoch + 1, [outcome])).toMatchObject([{ result: { kind: 'lost' } }])
    expect(await deliveries.keep(epoch, [outcome])).toMatchObject([{ result: { kind: 'stored' } }])
  })

  it('keeps its lease until it is stored, unless the process does not know about the lease after a failed pass', async () => {
    const { deliveries, outcome, turn: tick } = await leased()
    const again = { ...tick, requests: [], holdsNothing: false }
    await deliveries.tick({ ...again, knownLeases: new Set([deliveryName(outcome)]) })
    expect(await deliveries.figures()).toMatchObject({ waiting: 1, leased: 1 })
    await deliveries.tick({ ...again, knownLeases: new Set() })
    expect(await deliveries.figures()).toMatchObject({ waiting: 1, leased: 0 })
  })

  it('of a user whose row is damaged does not delay other outcomes', async () => {
    const harness = await openDeliveryHarness()
    const db = openFile(harness)
    const isFailing = new Set<string>()
    const sink = await openSink(({ body }) => (isFailing.has(JSON.parse(body).user_id) ? 500 : 200))
    await harness.endpoint(sink.url)
    const [ada, bob] = [await harness.user('ada'), await harness.user('bob')]
    isFailing.add(ada)
    await harness.events(ada, 1)
    // the next failure is the last one, which writes an event with the user's name
    db.run('UPDATE delivery SET attempts=7, round=7')
    db.run("UPDATE user SET client_user_id='secret-name' WHERE user_id=?", ada)
    const lines: string[] = []
    const deliverer = await harness.deliver({ log: line => lines.push(line) })
    await until(() => lines.length > 0)
    await harness.events(bob, 5)
    await until(() => sink.received.length === 6)
    await untilIdle(deliverer)
    expect(await harness.engine.store.deliveries.figures()).toEqual({ waiting: 1, leased: 1, dead: 0 })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^deliveries: the outcomes for a user cannot be stored yet, and will be retried: /)
    expect(lines[0]).not.toContain('secret-name')
    await deliverer.stop()
    expect(lines).toHaveLength(2)
    expect(lines.join()).not.toContain(ada)
  })
})
