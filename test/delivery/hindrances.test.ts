/** What must not stand in the way of deliveries: an event that is damaged, a clock that was wrong, a large backlog. */
import { expect, test, vi } from 'vitest'
import { Connection } from '../../src/store/sqlite/connection.ts'
import { openOffice } from './delivery-harness.ts'
import { openSink } from './sink.ts'

type Office = Awaited<ReturnType<typeof openOffice>>

function change(office: Office, sql: string, ...values: readonly (string | number)[]): void {
  const db = new Connection({ path: office.h.engine.folder.database, waitForLock: 'blocking', durable: true })
  db.run(sql, ...values)
  db.close()
}

test('an event that cannot be read is dead; the others of its user and of all others arrive', async () => {
  const office = await openOffice()
  const sink = await openSink()
  await office.endpoint(sink.url)
  const [ada, bob] = [await office.user('ada'), await office.user('bob')]
  const [damaged] = await office.events(ada, 1)
  await office.events(ada, 2)
  await office.events(bob, 5)
  const id = damaged?.eventId as string
  change(office, 'UPDATE outbox SET document=\'{"secret-name"\' WHERE event_id=?', id)
  const lines: string[] = []
  const deliverer = await office.deliver({ log: line => lines.push(line) })
  await vi.waitFor(() => expect(sink.received).toHaveLength(7), 10_000)
  await vi.waitFor(async () => expect((await office.h.engine.context.store.deliveries.figures()).dead).toBe(1), 10_000)
  await deliverer.stop()
  expect(lines.join('\n')).toMatch(/an event was given up: the event cannot be read: `svc engine check`/)
  expect(lines.join('\n')).not.toContain('secret-name')
})

test.each([
  ['of a process that was killed', 15_000],
  ['of one that was killed while the clock of the machine was a day ahead', 86_400_000],
])('leases %s are taken over by one that has nothing else to do', async (_whose, aheadMs) => {
  const office = await openOffice()
  const sink = await openSink()
  await office.endpoint(sink.url)
  await office.events(await office.user('ada'), 1)
  change(office, "INSERT INTO deliverer VALUES ('dead', ?)", office.h.time.ms + aheadMs)
  change(office, "UPDATE delivery SET leased_by='dead'")
  const deliverer = await office.deliver()
  const passing = setInterval(() => {
    office.h.time.ms += 1_000
  }, 50)
  await vi.waitFor(() => expect(sink.received).toHaveLength(1), 10_000).finally(() => clearInterval(passing))
  await deliverer.stop()
})

test('a backlog beyond one transaction is dead when its endpoint is disabled, and not sent when it is enabled', async () => {
  const office = await openOffice()
  const sink = await openSink()
  const endpoint = await office.endpoint(sink.url)
  const ada = await office.user('ada')
  await office.events(ada, 1)
  change(
    office,
    `INSERT INTO delivery (user_id, sequence, endpoint_id, team_id, state, due_at)
     WITH RECURSIVE number(n) AS (SELECT 2 UNION ALL SELECT n+1 FROM number WHERE n<4500)
     SELECT user_id, n, endpoint_id, team_id, state, due_at FROM delivery, number`,
  )
  const { webhooks, deliveries } = office.h.engine.context.store
  const { endpoint_id: endpointId } = endpoint
  const { teamId } = office.h.team
  await webhooks.disable(teamId, endpointId, 'manual', office.h.time.ms)
  expect(await deliveries.figures()).toMatchObject({ waiting: 0, dead: 4_500 })
  // as a process leaves them that was killed on the way
  change(office, "UPDATE delivery SET state='waiting' WHERE sequence>1000")
  await webhooks.enable(teamId, endpointId, office.h.time.ms)
  expect(await deliveries.figures()).toMatchObject({ waiting: 0, dead: 4_500 })
})
