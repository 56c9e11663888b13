/** Conditions that must not block deliveries: a damaged event, a clock that was wrong, a large backlog. */
import { expect, test } from 'vitest'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { openSink } from '../kit/sink.ts'
import { openDeliveryHarness } from './delivery-harness.ts'

type DeliveryHarness = Awaited<ReturnType<typeof openDeliveryHarness>>

function change(harness: DeliveryHarness, sql: string, ...values: readonly (string | number)[]): void {
  const db = new SqliteDatabase({ path: harness.h.engine.folder.database, waitForLock: 'blocking', durable: true })
  db.run(sql, ...values)
  db.close()
}

test('an event that cannot be read becomes dead; all others arrive, including those of its user', async () => {
  const harness = await openDeliveryHarness()
  const sink = await openSink()
  await harness.endpoint(sink.url)
  const [ada, bob] = [await harness.user('ada'), await harness.user('bob')]
  const [damaged] = await harness.events(ada, 1)
  await harness.events(ada, 2)
  await harness.events(bob, 5)
  const id = damaged?.eventId as string
  change(harness, 'UPDATE outbox SET document=\'{"secret-name"\' WHERE event_id=?', id)
  const lines: string[] = []
  const deliverer = await harness.deliver({ log: line => lines.push(line) })
  await expect.poll(() => sink.received).toHaveLength(7)
  await expect.poll(async () => (await harness.h.engine.context.store.deliveries.figures()).dead).toBe(1)
  await deliverer.stop()
  expect(lines.join('\n')).toMatch(/an event was given up: the event cannot be read: run `svc engine check`/)
  expect(lines.join('\n')).not.toContain('secret-name')
})

test.each([
  ['of a process that was killed', 15_000],
  ['of one that was killed while the clock of the machine was a day ahead', 86_400_000],
])('leases %s are taken over by a process with nothing else to do', async (_whose, aheadMs) => {
  const harness = await openDeliveryHarness()
  const sink = await openSink()
  await harness.endpoint(sink.url)
  await harness.events(await harness.user('ada'), 1)
  change(harness, "INSERT INTO deliverer VALUES ('dead', ?)", harness.h.time.ms + aheadMs)
  change(harness, "UPDATE delivery SET leased_by='dead'")
  const deliverer = await harness.deliver()
  const passing = setInterval(() => {
    harness.h.time.ms += 1_000
  }, 50)
  await expect
    .poll(() => sink.received)
    .toHaveLength(1)
    .finally(() => clearInterval(passing))
  await deliverer.stop()
})

test('a backlog larger than one transaction becomes dead when its endpoint is disabled, and is not sent when it is enabled', async () => {
  const harness = await openDeliveryHarness()
  const sink = await openSink()
  const endpoint = await harness.endpoint(sink.url)
  const ada = await harness.user('ada')
  await harness.events(ada, 1)
  change(
    harness,
    `INSERT INTO delivery (user_id, sequence, endpoint_id, team_id, state, due_at)
     WITH RECURSIVE number(n) AS (SELECT 2 UNION ALL SELECT n+1 FROM number WHERE n<4500)
     SELECT user_id, n, endpoint_id, team_id, state, due_at FROM delivery, number`,
  )
  const { webhooks, deliveries } = harness.h.engine.context.store
  const { endpoint_id: endpointId } = endpoint
  const { teamId } = harness.h.team
  await webhooks.disable(teamId, endpointId, 'manual', harness.h.time.ms)
  expect(await deliveries.figures()).toMatchObject({ waiting: 0, dead: 4_500 })
  // as left by a process that was killed midway
  change(harness, "UPDATE delivery SET state='waiting' WHERE sequence>1000")
  await webhooks.enable(teamId, endpointId, harness.h.time.ms)
  expect(await deliveries.figures()).toMatchObject({ waiting: 0, dead: 4_500 })
})
