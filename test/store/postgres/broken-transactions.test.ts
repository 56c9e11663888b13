/** A call whose transaction breaks in the middle is stored completely or not at all. */
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { shownStore } from '../../../src/core/store-url.ts'
import { CITUS_NODES } from '../../../src/store/postgres/server-facts.ts'
import { preparedText } from '../../../src/store/postgres/statement-texts.ts'
import { inBytes } from '../../engine/links/linked-user.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { IS_ON_POSTGRES, storeOptions } from '../../kit/postgres/database.ts'
import { IS_ON_CITUS } from '../../kit/postgres/maintenance.ts'

const HEART = {
  provider: 'polar',
  source_type: 'watch',
  resource: 'heartrate',
  timestamp: '2026-11-19T08:00:00Z',
  value: 60,
}

/** Opens an engine, and a separate connection to its database. */
async function open(): Promise<{ readonly svc: Harness; readonly database: pg.Client }> {
  const svc = await openHarness()
  const { store } = storeOptions(svc.dataDir)
  if (!store) throw new Error('the tests do not run over PostgreSQL')
  const database = new pg.Client({ connectionString: shownStore(store) })
  // the test breaks connections
  database.on('error', () => {})
  await database.connect()
  atEndOfFile(() => database.end())
  return { svc, database }
}

/**
 * Makes event inserts run something first, the given number of times; a sequence keeps its count after a rollback. Citus creates functions
 * and triggers on the workers, where the events are, but no sequence that no table uses.
 */
async function disturb(database: pg.Client, times: number, what: string): Promise<void> {
  const sequence = 'CREATE SEQUENCE disturbance'
  await database.query(IS_ON_CITUS ? `SELECT run_command_on_workers('${sequence}')` : sequence)
  await database.query(`
    CREATE FUNCTION disturb() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('public.disturbance') <= ${times} THEN ${what}; END IF;
        RETURN NEW;
      END $$`)
  await database.query('CREATE TRIGGER disturb BEFORE INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION disturb()')
}

const raising = (code: string): string => `RAISE EXCEPTION 'disturbed' USING ERRCODE = '${code}'`
const breaking = 'PERFORM pg_terminate_backend(pg_backend_pid())'
const ALWAYS = 1_000_000

async function newUser({ call }: Harness): Promise<string> {
  return (await call('user.create', { body: { client_user_id: 'ada' } })).user_id
}

const push = (userId: string) => ({ params: { user_id: userId }, body: inBytes({ samples: [HEART] }) })

/** A push also connects the provider, which is a separate event. */
const EVENTS_OF_PUSH = 2

/** Everything that a push writes. */
async function written(database: pg.Client) {
  const { rows } = await database.query(`SELECT (SELECT count(*)::int FROM chunk) AS chunks,
    (SELECT count(*)::int FROM series) AS series, (SELECT count(*)::int FROM outbox) AS events,
    (SELECT count(*)::int FROM event_waiting) + (SELECT count(*)::int FROM team_event) AS places`)
  return rows[0]
}

// SVC_TEST_STORE asks for tests over PostgreSQL
describe.skipIf(!IS_ON_POSTGRES)('a transaction', () => {
  it('that fails before it waits for a response leaves its connection as it was', async () => {
    const { svc, database } = await open()
    const { data } = svc.engine.context.store
    const { teamId } = await svc.engine.localTeam()
    const failing = {
      ...{ at: 0, teamId, summaries: [], streams: [], events: { kind: 'daily' as const }, connections: [] },
      ...{ consumeToken: null, importing: null },
      get batches(): never {
        throw new Error('unreadable')
      },
    }
    await expect(data.write((await newUser(svc)) as UserId, failing)).rejects.toThrow('unreadable')
    const { rows } = await database.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname=current_database() AND state LIKE 'idle in%'",
    )
    expect(rows).toEqual([{ n: 0 }])
  })
})

describe.skipIf(!IS_ON_POSTGRES)('a write', () => {
  it('needs no change to the schema while bytes are counted, nor to start or stop counting', async () => {
    const { svc, database } = await open()
    const { teamId } = await svc.engine.localTeam()
    const limit = (max_bytes: number | null) =>
      svc.call('team.update', { params: { team_id: teamId }, body: { max_bytes } })
    await database.query(`
      CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
      CREATE EVENT TRIGGER refuse ON ddl_command_start EXECUTE FUNCTION refuse()`)
    await limit(1_000_000)
    await svc.call('samples.push', push(await newUser(svc)))
    expect((await limit(2_000_000)).stored_bytes).toBeGreaterThan(0)
    expect((await limit(null)).stored_bytes).toBeNull()
    expect(await svc.call('engine.check', {})).toMatchObject({ ok: true })
  })

  it('is refused as a whole on a full disk, and succeeds when there is space', async () => {
    const { svc, database } = await open()
    const userId = await newUser(svc)
    const before = await written(database)
    await disturb(database, 1, raising('53100'))
    const refusal = await svc.refusal('samples.push', push(userId))
    expect(refusal).toMatchObject({ code: 'disk_full', status: 507, exitCode: 7 })
    expect(refusal.message).toBe('The disk of the PostgreSQL server is full. Nothing was partially written.')
    expect(await written(database)).toEqual(before)
    await svc.call('samples.push', push(userId))
    expect(await written(database)).toMatchObject({ chunks: 1, series: 1, events: before.events + EVENTS_OF_PUSH })
    expect(await svc.call('engine.check', {})).toMatchObject({ ok: true })
  })

  it('is refused as busy if another transaction locks its rows for too long', async () => {
    const { svc, database } = await open()
    const userId = await newUser(svc)
    await disturb(database, 1, raising('55P03'))
    const refusal = await svc.refusal('samples.push', push(userId))
    expect(refusal).toMatchObject({ code: 'store_busy', status: 503, exitCode: 7 })
    expect(refusal.message).toMatch(/locked the same rows.*nothing was written/)
    await svc.call('samples.push', push(userId))
  })

  it.each([
    ['its connection breaks', breaking],
    ['another transaction is in the way', raising('40001')],
    ['a deadlock ends it', raising('40P01')],
    ['the server shuts down', raising('57P01')],
  ])('happens once when %s in the middle', async (_, what) => {
    const { svc, database } = await open()
    const userId = await newUser(svc)
    const before = await written(database)
    await disturb(database, 2, what)
    await svc.call('samples.push', push(userId))
    await svc.settled()
    const events = before.events + EVENTS_OF_PUSH
    expect(await written(database)).toEqual({ chunks: 1, series: 1, events, places: events })
    expect(svc.engine.context.store.upkeep.wire()?.retries).toBeGreaterThanOrEqual(2)
    expect(await svc.call('engine.check', {})).toMatchObject({ ok: true })
  })

  it('fails in time, with nothing written, if its connection breaks again and again', async () => {
    const { svc, database } = await open()
    const userId = await newUser(svc)
    const before = await written(database)
    await disturb(database, ALWAYS, breaking)
    const began = performance.now()
    expect(await svc.refusal('samples.push', push(userId))).toMatchObject({ code: 'store_unreachable', status: 503 })
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(await written(database)).toEqual(before)
    // others are not refused because of it
    expect(await svc.call('user.get', { params: { user_id: userId } })).toMatchObject({ user_id: userId })
  })

  it('is not affected by connections that broke while idle', async () => {
    const { svc, database } = await open()
    const userId = await newUser(svc)
    await database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname=current_database() AND pid<>pg_backend_pid()',
    )
    await svc.call('samples.push', push(userId))
    expect(await written(database)).toMatchObject({ chunks: 1 })
  })
})

describe.skipIf(!IS_ON_POSTGRES)('the nodes of a Citus cluster', () => {
  it('are read from its tables, with the shards in use', async () => {
    const { database } = await open()
    // the columns of Citus 13 that are read
    await database.query(`
      CREATE TEMPORARY TABLE pg_dist_node (nodeid int, groupid int, isactive bool, noderole text);
      CREATE TEMPORARY TABLE pg_dist_placement (placementid bigint, shardid bigint, shardstate int, groupid int);
      INSERT INTO pg_dist_node VALUES (1, 0, true, 'primary'), (2, 1, true, 'primary'), (3, 2, false, 'primary'),
        (4, 1, true, 'secondary');
      INSERT INTO pg_dist_placement VALUES (1, 101, 1, 1), (2, 102, 1, 2), (3, 103, 1, 1), (4, 103, 4, 2), (5, 104, 1, 0)`)
    const { rows } = await database.query(preparedText(CITUS_NODES.text).text)
    expect(rows).toEqual([
      { isCoordinator: true, isActive: true, shards: 1 },
      { isCoordinator: false, isActive: true, shards: 2 },
      { isCoordinator: false, isActive: false, shards: 1 },
    ])
  })
})
