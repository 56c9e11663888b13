/** On Citus, a server connects to the machine with the rows of a user, and the audit entry of a change is there, too. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { makeUuid, type UserId } from '../../../src/core/ids.ts'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { openEngine } from '../../../src/engine/open.ts'
import { DirectPools } from '../../../src/store/postgres/cluster/direct-pools.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { hasCitus, startCitus } from '../../kit/postgres/citus.mjs'
import { buildPush } from './pushes.ts'

const ENTRIES = "SELECT object::json->>'user_id', entry_id FROM audit"
/** The machine of a row, by the table and the value that it is distributed by. */
const placeOf = (table: string, value: string): string =>
  `SELECT nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
   WHERE shardid=get_shard_id_for_distribution_column('"${table}"', '${value}')`
/** Connections of svc itself; those of Citus have names that contain the number of the process they come from. */
const OURS = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name='svc'"

describe.skipIf(!hasCitus())('a server on Citus', { timeout: 120_000 }, () => {
  it('changes a user and writes the audit entry on one machine, over a connection to it', async () => {
    process.env['SVC_MASTER_KEY'] = '11'.repeat(32)
    atEndOfFile(() => delete process.env['SVC_MASTER_KEY'])
    const cluster = await startCitus({ isDurable: false, settings: { 'citus.shard_count': 8 } })
    atEndOfFile(() => cluster.stop())
    await cluster.createDatabase('placed', "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
    const open = () =>
      openEngine({
        dataDir: temporaryFolder(),
        store: parseStoreUrl(cluster.url('placed')),
        waitForLock: 'async',
        note: () => {},
      })
    // the tables exist when the second one learns where they are
    await (await open()).close()
    const engine = await open()
    const { teamId } = await engine.localTeam()
    const { store } = engine.context
    const users = Array.from({ length: 12 }, () => randomUUID() as UserId)
    for (const userId of users) {
      const entry = {
        ...{ entryId: makeUuid(randomBytes(16), 7), teamId, at: 1, actor: 'local', operation: 'user.create' },
        ...{ object: { user_id: userId }, outcome: 'ok' },
      }
      const user = {
        ...{ userId, teamId, clientUserId: userId, createdOn: 1, fallbackTimeZone: null, fallbackBirthDate: null },
        ...{ ingestionStart: null, ingestionEnd: null, deletedAt: null },
      }
      await store.auditing(() => entry).store.users.create(user)
      expect(await store.users.find(teamId, userId)).toMatchObject({ clientUserId: userId })
    }
    const ask = (text: string): Promise<string> => cluster.coordinator.sqlIn('placed', text)
    const entries = (await ask(ENTRIES)).trim().split('\n')
    expect(entries).toHaveLength(users.length)
    const machines = new Set<string>()
    for (const line of entries) {
      const [userId = '', entryId = ''] = line.split('|')
      const machine = await ask(placeOf('user', userId))
      expect(await ask(placeOf('audit', entryId))).toBe(machine)
      machines.add(machine)
    }
    expect(machines.size).toBe(2)
    for (const worker of cluster.workers) expect(Number((await worker.sqlIn('placed', OURS)).trim())).toBeGreaterThan(0)
    await engine.close()
  })
})

describe.skipIf(!hasCitus())('moving a user to another machine', { timeout: 180_000 }, () => {
  it('loses no change that is made meanwhile', async () => {
    process.env['SVC_MASTER_KEY'] = '11'.repeat(32)
    atEndOfFile(() => delete process.env['SVC_MASTER_KEY'])
    const cluster = await startCitus({ isDurable: false, settings: { 'citus.shard_count': 4, fsync: 'off' } })
    atEndOfFile(() => cluster.stop())
    await cluster.createDatabase('moved', "TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
    const engine = await openEngine({
      dataDir: temporaryFolder(),
      store: parseStoreUrl(cluster.url('moved')),
      waitForLock: 'async',
      note: () => {},
    })
    const { teamId } = await engine.localTeam()
    const { store } = engine.context
    const userId = randomUUID() as UserId
    await store.users.create({
      ...{ userId, teamId, clientUserId: 'ada', createdOn: 1, fallbackTimeZone: null, fallbackBirthDate: null },
      ...{ ingestionStart: null, ingestionEnd: null, deletedAt: null },
    })
    let isMoving = true
    let written = 0
    const write = async (): Promise<void> => {
      while (isMoving) await store.data.write(userId, buildPush(teamId, [written++]))
    }
    const writers = Array.from({ length: 12 }, write)
    const ask = (text: string): Promise<string> => cluster.coordinator.sqlIn('moved', text)
    for (let move = 0; move < 3; move++) {
      const from = Number(await ask(placeOf('user', userId)))
      const to = cluster.workers.map(({ port }) => port).find(port => port !== from)
      const shard = `get_shard_id_for_distribution_column('"user"', '${userId}')`
      await ask(
        `SELECT citus_move_shard_placement(${shard}, '127.0.0.1', ${from}, '127.0.0.1', ${to}, 'force_logical')`,
      )
    }
    isMoving = false
    await Promise.all(writers)
    const [events, last] = (
      await ask('SELECT (SELECT count(*) FROM outbox WHERE user_id=u.user_id), event_sequence FROM "user" u')
    ).split('|')
    expect([Number(events), Number(last)]).toEqual([written, written])
    expect(Number(await ask('SELECT sum(n) FROM chunk'))).toBe(written)
    await engine.close()
  })
})

describe('connections to the machines of a cluster', () => {
  /** A pool that connects, or not, when the test says so. */
  function slowPool() {
    let resolve = (_client: string): void => {}
    let reject = (_error: Error): void => {}
    const connecting = new Promise<string>((...settle) => {
      ;[resolve, reject] = settle
    })
    const pool = { totalCount: 0, connect: vi.fn(() => connecting) }
    const opened: string[] = []
    const direct = new DirectPools(async (host, port) => {
      opened.push(`${host} ${port}`)
      return pool as unknown as Pool // only these parts are used
    })
    return { direct, pool, opened, resolve, reject }
  }

  it('are not tried again for a while if a machine refuses them', async () => {
    const { direct, pool, opened, reject } = slowPool()
    reject(new Error('no pg_hba.conf entry for host'))
    expect(await direct.connect('fe80::1:5432')).toBeNull()
    expect(await direct.connect('fe80::1:5432')).toBeNull()
    expect(opened).toEqual(['fe80::1 5432'])
    expect(pool.connect).toHaveBeenCalledTimes(1)
  })

  it('are waited for by one transaction until the first one is open', async () => {
    const { direct, resolve } = slowPool()
    const first = direct.connect('a:1')
    expect(await direct.connect('a:1')).toBeNull()
    resolve('connected')
    expect([await first, await direct.connect('a:1')]).toEqual(['connected', 'connected'])
  })

  it('are tried again at once if all of them were in use', async () => {
    const { direct, pool, resolve } = slowPool()
    resolve('connected')
    const found: unknown[] = [await direct.connect('a:1')]
    pool.totalCount = 16
    pool.connect.mockRejectedValueOnce(new Error('timeout exceeded when trying to connect'))
    found.push(await direct.connect('a:1'), await direct.connect('a:1'))
    expect(found).toEqual(['connected', null, 'connected'])
  })
})
