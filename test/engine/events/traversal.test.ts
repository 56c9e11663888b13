/** Lists that match few of many events are read in portions, with the same result as a single read. */
import { expect, test } from 'vitest'
import { UNCHECKED_ROWS } from '../../../src/store/logic/rows/checked-rows.ts'
import { SqliteDatabase } from '../../../src/store/sqlite/database.ts'
import { openHarness } from '../../kit/harness.ts'

const MANY = 10_000

test('finds the few matches among many, in both orders and page by page, while other work continues', async () => {
  const h = await openHarness()
  const user = await h.call('user.create', { body: { client_user_id: 'ada' } })
  const other = await h.call('user.create', { body: { client_user_id: 'bob' } })
  const db = new SqliteDatabase({ path: h.engine.folder.database, waitForLock: 'blocking', durable: true })
  // as in a store from before there were checksums
  db.run('INSERT OR REPLACE INTO setting (name, value) VALUES (?, 1)', UNCHECKED_ROWS)
  for (const { user_id } of [user, other]) {
    db.transactNow(() => {
      db.run(
        `INSERT INTO outbox (user_id, sequence, event_id, team_id, type, at, n, document, arrival, client_user_id)
         WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM number WHERE n<?)
         SELECT ?, n, ?||'-'||n, ?, CASE WHEN n%3600=1 THEN 'provider.connection.error' ELSE 'provider.connection.created' END,
           ?, 1, '{}', 2*n+?, 'x' FROM number`,
        MANY,
        user_id,
        user_id,
        h.team.teamId,
        h.time.ms,
        user_id === user.user_id ? 0 : 1,
      )
      db.run('UPDATE user SET event_sequence=?, counters_checksum=NULL WHERE user_id=?', MANY, user_id)
    })
  }
  db.close()
  await h.settled()

  const { events } = h.engine.context.store
  const query = {
    teamId: h.team.teamId,
    types: ['*.error'],
    userId: null,
    since: null,
    until: null,
    state: null,
    endpointId: null,
    after: null,
  } as const
  const listed = async (more: object): Promise<number[]> =>
    (await events.list({ ...query, order: 'asc', limit: 100, ...more })).map(({ event }) => event.arrival)
  const all = [2, 3, 7_202, 7_203, 14_402, 14_403]
  let ticks = 0
  const ticking = setInterval(() => ticks++, 0)
  expect(await listed({})).toEqual(all)
  clearInterval(ticking)
  expect(ticks).toBeGreaterThan(2)
  expect(await listed({ order: 'desc' })).toEqual(all.toReversed())
  expect(await listed({ limit: 3 })).toEqual(all.slice(0, 3))
  expect(await listed({ limit: 3, after: { arrival: 7_202, sequence: 3_601 } })).toEqual(all.slice(3))
  expect(await listed({ userId: user.user_id })).toEqual([2, 7_202, 14_402])
  expect(await listed({ userId: user.user_id, order: 'desc', limit: 2 })).toEqual([14_402, 7_202])
  expect(await listed({ types: ['nothing'] })).toEqual([])
})
