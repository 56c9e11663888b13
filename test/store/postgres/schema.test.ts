/** The schema of a PostgreSQL store: how it compares texts, and which databases are refused. */
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TeamId } from '../../../src/core/ids.ts'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { HOUR_MS } from '../../../src/core/time.ts'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import { POSTGRES_SCHEMA } from '../../../src/store/postgres/migrations.ts'
import { probeStore } from '../../../src/store/postgres/probe.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { tablesIn } from '../../../src/store/tables/catalogue.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { databaseUrl, TEST_STORE } from '../../kit/postgres/maintenance.ts'
import { BACK_TO_VERSION_3 } from './version-3.ts'
import { BACK_TO_VERSION_4 } from './version-4.ts'
import { BACK_TO_VERSION_5 } from './version-5.ts'
import { BACK_TO_VERSION_6 } from './version-6.ts'

const NAME = `svc_schema_${process.pid}`

describe.skipIf(TEST_STORE === undefined)('the schema on PostgreSQL', () => {
  const server = new pg.Client({ connectionString: TEST_STORE })
  let database: pg.Client

  beforeEach(async () => {
    if (database === undefined) await server.connect()
    await server.query(`CREATE DATABASE ${NAME}`)
    database = new pg.Client({ connectionString: databaseUrl(NAME) })
    await database.connect()
    await open().then(store => store.close())
  })

  afterEach(async () => {
    await database.end()
    await server.query(`DROP DATABASE ${NAME} WITH (FORCE)`)
  })

  const open = (note?: (line: string) => void) =>
    openPostgresStore({
      url: parseStoreUrl(databaseUrl(NAME)),
      folder: openDataFolder(temporaryFolder()),
      masterKeyCheck: 'the same',
      waitForLock: 'blocking',
      note,
    })

  it('has the tables and columns in the catalogue, and compares every text byte by byte', async () => {
    const { rows } = await database.query<{ table: string; column: string; type: string; collation: string | null }>(
      `SELECT table_name AS table, column_name AS column, data_type AS type, collation_name AS collation
       FROM information_schema.columns WHERE table_schema=current_schema() AND table_name<>'svc_schema'
       ORDER BY table_name, ordinal_position`,
    )
    const catalogue = tablesIn('postgres').flatMap(({ name, columns }) =>
      Object.keys(columns).map(each => `${name}.${each}`),
    )
    expect(rows.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(catalogue.sort())
    const texts = rows.filter(({ type }) => type === 'text')
    expect(texts.length).toBeGreaterThan(150)
    expect(texts.filter(({ collation }) => collation !== 'C')).toEqual([])
  })

  it('loses the triggers with which an earlier version counted bytes', async () => {
    for (const table of ['user', 'chunk']) {
      await database.query(`CREATE FUNCTION count_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
        CREATE TRIGGER count_${table} BEFORE INSERT ON "${table}" FOR EACH ROW EXECUTE FUNCTION count_${table}()`)
    }
    await open().then(store => store.close())
    const found = (what: string) =>
      database.query(`SELECT 1 FROM ${what} LIKE 'count\\_%'`).then(({ rowCount }) => rowCount)
    expect(await found('pg_trigger WHERE tgname')).toBe(0)
    expect(await found("pg_proc WHERE pronamespace='public'::regnamespace AND proname")).toBe(0)
    await open().then(store => store.close())
  })

  it('is migrated from version 3 by one of two processes, which says so, and keeps its series', async () => {
    for (const statement of BACK_TO_VERSION_3) await database.query(statement)
    await database.query(
      "INSERT INTO series (user_id, series_id, resource, type, provider, source_type) VALUES ('u', 1, 'steps', '', 'oura', 'ring')",
    )
    const probed = () => probeStore(parseStoreUrl(databaseUrl(NAME)), 10_000)
    expect((await probed()).schema).toEqual({ version: 3, newest: POSTGRES_SCHEMA, copies: [] })
    const notes: string[] = []
    const opened = [1, 2].map(() => open(line => notes.push(line)).then(store => store.close()))
    await Promise.all(opened)
    expect(notes).toEqual([
      expect.stringMatching(
        new RegExp(`^Migrated the store \\S+ from schema 3 to ${POSTGRES_SCHEMA}\\..* No copy was made`),
      ),
    ])
    expect((await probed()).schema.version).toBe(POSTGRES_SCHEMA)
    const { rows } = await database.query('SELECT series_id, app_id, device_id, kind FROM series')
    expect(rows).toEqual([{ series_id: '1', app_id: '', device_id: '', kind: '*' }])
    const { rows: columns } = await database.query(
      `SELECT table_name||'.'||column_name AS name FROM information_schema.columns WHERE table_schema=current_schema() AND table_name<>'svc_schema'`,
    )
    const catalogue = tablesIn('postgres').flatMap(({ name, columns: own }) =>
      Object.keys(own).map(each => `${name}.${each}`),
    )
    expect(columns.map(({ name }) => name).sort()).toEqual(catalogue.sort())
    const { rows: indexes } = await database.query("SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'series_by%'")
    expect(indexes).toEqual([
      {
        indexdef: expect.stringContaining('(user_id, resource, type, provider, source_type, app_id, device_id, kind)'),
      },
    ])
    const { rows: version } = await database.query('SELECT version FROM svc_schema')
    expect(version).toEqual([{ version: POSTGRES_SCHEMA }])
  })

  it('is migrated from version 4, and keeps its raw responses', async () => {
    for (const statement of BACK_TO_VERSION_4) await database.query(statement)
    await database.query(
      "INSERT INTO raw_answer (user_id, provider, answer_id, collection, at, sealed) VALUES ('u', 'oura', 'a', 'sleep', 1, '')",
    )
    await open().then(store => store.close())
    const { rows } = await database.query('SELECT answer_id, pull_id FROM raw_answer')
    expect(rows).toEqual([{ answer_id: 'a', pull_id: null }])
    expect((await database.query('SELECT count(*)::int AS files FROM import_file')).rows).toEqual([{ files: 0 }])
  })

  it('is migrated from version 5, and begins to count', async () => {
    for (const statement of BACK_TO_VERSION_5) await database.query(statement)
    const store = await open()
    const count = { teamId: 't' as TeamId, name: 'events', subject: '', n: 2 } as const
    for (const _ of [1, 2]) await store.counters.add([count], HOUR_MS)
    expect(await store.counters.daily(count.teamId, 0, null)).toEqual([{ day: 0, name: 'events', n: 4 }])
    await store.close()
  })

  it('is migrated from version 5, and keeps its console sessions', async () => {
    for (const statement of BACK_TO_VERSION_5) await database.query(statement)
    await database.query(
      "INSERT INTO console_session (hash, team_id, created_at, last_seen_at) VALUES ('h', 't', 1, 1)",
    )
    await open().then(store => store.close())
    const { rows } = await database.query('SELECT hash, person_id, browser FROM console_session')
    expect(rows).toEqual([{ hash: 'h', person_id: null, browser: '' }])
    expect((await database.query('SELECT count(*)::int AS people FROM console_person')).rows).toEqual([{ people: 0 }])
  })

  it('is migrated from version 6, and keeps its people, who have no passkeys', async () => {
    for (const statement of BACK_TO_VERSION_6) await database.query(statement)
    await database.query(
      "INSERT INTO console_person (person_id, team_id, name, role, created_on) VALUES ('p', 't', 'Ana', 'owner', 1)",
    )
    const store = await open()
    expect(await store.consolePeople.all()).toMatchObject([{ personId: 'p', name: 'Ana' }])
    expect(await store.consolePasskeys.all()).toEqual([])
    await store.close()
  })

  it.each([
    ['of version 1', 'UPDATE svc_schema SET version=1'],
    ['of version 2', 'UPDATE svc_schema SET version=2'],
    [
      'with texts in the order of a language',
      'ALTER TABLE live_connection ALTER COLUMN provider TYPE text COLLATE "default"',
    ],
  ])('is refused %s, with advice', async (_what, change) => {
    await database.query(change)
    await expect(open()).rejects.toMatchObject({
      code: 'store_unusable',
      message: expect.stringContaining('an unreleased version of svc'),
      suggestions: expect.arrayContaining([expect.stringContaining('Copy it into a data folder')]),
    })
  })
})
