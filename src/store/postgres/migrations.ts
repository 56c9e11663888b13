/** Migrates a database to the newest schema, one process at a time, and checks whether the database belongs to svc. */
import { randomBytes } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { STORE_ID } from '../logic/teams/settings.ts'
import { countedColumns } from '../tables/catalogue.ts'
import { AUDIT } from '../tables/teams.ts'
import { distribution } from './schema/citus.ts'
import { APPEND_ONLY, NEW_DATABASE } from './schema/tables.ts'
import { BEFORE_STEPS, DISTRIBUTION_4, VERSION_4 } from './schema/version-4.ts'
import { DISTRIBUTION_5, VERSION_5 } from './schema/version-5.ts'
import { DISTRIBUTION_6, VERSION_6 } from './schema/version-6.ts'
import { DISTRIBUTION_7, VERSION_7 } from './schema/version-7.ts'
import {
  foreignDatabase,
  notCoordinator,
  OLDEST_SERVER,
  schemaTooNew,
  schemaUnreleased,
  serverTooOld,
} from './store-errors.ts'

/**
 * PostgreSQL schema version, which is independent of the SQLite schema version. Versions 1 and 2 were never released, and some stores with
 * version 3 were migrated from them.
 */
export const POSTGRES_SCHEMA = 7
/** The oldest version that can be migrated. */
const OLDEST_SCHEMA = 3

/** The steps from version to version. Each one is applied to the version before. */
const STEPS: readonly {
  readonly version: number
  readonly ddl: readonly string[]
  readonly distribution: readonly string[]
}[] = [
  { version: 4, ddl: VERSION_4, distribution: DISTRIBUTION_4 },
  { version: 5, ddl: VERSION_5, distribution: DISTRIBUTION_5 },
  { version: 6, ddl: VERSION_6, distribution: DISTRIBUTION_6 },
  { version: 7, ddl: VERSION_7, distribution: DISTRIBUTION_7 },
]

/** Timeout in milliseconds for a step, and for waiting while another process migrates. */
const MIGRATION_MS = 600_000
/** Settings for migration connections. */
export const PATIENT = {
  statement_timeout: MIGRATION_MS,
  lock_timeout: MIGRATION_MS,
  query_timeout: MIGRATION_MS,
} as const

interface FoundDatabase {
  readonly server: number
  readonly name: string
  /** Whether the database contains the table that marks it as an svc database. */
  readonly isOurs: boolean
  readonly tables: number
  readonly hasCitus: boolean
  /** Whether bytes are counted by triggers, as in earlier versions. */
  readonly hasCounters: boolean
  /** Number of text columns that are not compared byte by byte. */
  readonly otherTexts: number
}

/** Table with the schema version. A process that changes the tables locks its row. */
const MARK = 'svc_schema'

// read the mark and the number of tables from one snapshot, because to_regclass may use an older one, in which another node had not yet
// created them
const LOOK = `SELECT current_setting('server_version_num')::int AS server, current_setting('server_version') AS name,
  EXISTS (SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname=current_schema() AND tablename='${MARK}') AS "isOurs",
  (SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname=current_schema()) AS tables,
  EXISTS (SELECT 1 FROM pg_catalog.pg_extension WHERE extname='citus') AS "hasCitus",
  EXISTS (SELECT 1 FROM pg_catalog.pg_trigger WHERE tgrelid=to_regclass('"user"') AND tgname='count_user') AS "hasCounters",
  (SELECT count(*) FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class ON pg_class.oid=attrelid
   WHERE relnamespace=current_schema()::regnamespace AND relkind='r' AND attnum>0 AND NOT attisdropped
     AND atttypid='text'::regtype AND attcollation<>'pg_catalog."C"'::regcollation) AS "otherTexts"`

/** Returns the ID of the store in a database, or null if there is none. Changes nothing. */
export async function storeIn(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ isThere: boolean }>(`SELECT to_regclass('setting') IS NOT NULL AS "isThere"`)
  const { isOurs } = await look(pool)
  // a database whose first step was interrupted has the mark but no settings
  return isOurs && rows[0]?.isThere ? storeIdIn(pool) : null
}

/** Returns the version of the store's schema, or null if there is no store. Changes nothing. */
export async function schemaIn(database: Pick<PoolClient, 'query'>): Promise<number | null> {
  const { rows: found } = await database.query<{ isThere: boolean }>(
    `SELECT to_regclass('${MARK}') IS NOT NULL AS "isThere"`,
  )
  if (!found[0]?.isThere) return null
  const { rows } = await database.query<{ version: number }>(`SELECT version FROM ${MARK} WHERE id=1`)
  return rows[0]?.version || null
}

async function storeIdIn(database: Pick<PoolClient, 'query'>): Promise<string> {
  const { rows } = await database.query<{ value: string }>('SELECT value FROM setting WHERE name=$1', [STORE_ID])
  return rows[0]?.value ?? ''
}

const CREATE_MARK = `CREATE TABLE IF NOT EXISTS ${MARK} (id int PRIMARY KEY CHECK (id=1), version int NOT NULL)`

/** Facts about a database with the newest schema. */
export interface Migrated {
  readonly storeId: string
  readonly serverVersion: string
  readonly hasCitus: boolean
  /** Whether the user in the URL could change or remove lines of the audit trail. */
  readonly mayChangeAudit: boolean
}

/**
 * Migrates the database, using a pool with long timeouts. `shown` is the store's URL in errors, and `note` receives a line after the
 * migration. Throws ServiceError `store_unusable` or `data_too_new`.
 */
export async function migrate(pool: Pool, shown: string, note?: (line: string) => void): Promise<Migrated> {
  const found = await look(pool)
  if (found.server < OLDEST_SERVER * 10_000) throw serverTooOld(found.name, shown)
  if (!found.isOurs && Number(found.tables) > 0) throw foreignDatabase(shown)
  if (Number(found.otherTexts) > 0) throw schemaUnreleased(shown)
  const client = await pool.connect()
  try {
    // a table that exists only on this worker would prevent the cluster from creating its own table of that name
    if (!found.isOurs && found.hasCitus && !(await isCoordinator(client))) throw notCoordinator(shown)
    // concurrent creation fails in PostgreSQL's catalogue, and the second attempt finds the table
    if (!found.isOurs) await client.query(CREATE_MARK).catch(() => client.query(CREATE_MARK))
    const { storeId, version } = await toNewest(client, shown, found.hasCitus)
    if (version > 0 && version < POSTGRES_SCHEMA) {
      note?.(
        `Migrated the store ${shown} from schema ${version} to ${POSTGRES_SCHEMA}. An older svc cannot open it anymore. No copy was made.`,
      )
    }
    if (found.hasCounters) await dropCounters(client)
    const mayChangeAudit = found.hasCitus && (await mayChange(client))
    return { storeId, serverVersion: found.name, hasCitus: found.hasCitus, mayChangeAudit }
  } finally {
    client.release()
  }
}

/**
 * Removes the triggers with which earlier versions counted bytes, because every change would be counted twice. The schema's version does not
 * change, so a running node of an earlier version continues to work, but its changes are no longer counted. (If it sets the store's first
 * byte limit, it creates the triggers again, and the next process to open the store removes them.) Each statement is a transaction, because
 * several tables locked at once could be in the way of reads. The table `user` comes last: its trigger shows that there may be others.
 */
async function dropCounters(client: PoolClient): Promise<void> {
  for (const name of [...countedColumns().map(([table]) => table), 'user']) {
    await client.query(`DROP TRIGGER IF EXISTS count_${name} ON "${name}"`)
    await client.query(`DROP FUNCTION IF EXISTS count_${name}()`)
  }
}

async function mayChange(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT bool_or(has_table_privilege('${AUDIT.name}', privilege)) AS may FROM unnest('{UPDATE,DELETE,TRUNCATE}'::text[]) AS privilege`,
  )
  return rows[0]?.may === true
}

async function isCoordinator(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ is: boolean }>('SELECT citus_is_coordinator() AS is')
  return rows[0]?.is === true
}

async function look(pool: Pool): Promise<FoundDatabase> {
  const { rows } = await pool.query<FoundDatabase>(LOOK)
  return rows[0] as FoundDatabase // a SELECT without a table returns a row
}

/** A store, and the version of its schema before the migration; 0 if it was created. */
interface MigratedStore {
  readonly storeId: string
  readonly version: number
}

/** Migrates in one transaction, so that an interrupted process leaves nothing behind. */
async function toNewest(client: PoolClient, shown: string, hasCitus: boolean): Promise<MigratedStore> {
  await client.query('BEGIN')
  try {
    await client.query(`INSERT INTO ${MARK} (id, version) VALUES (1, 0) ON CONFLICT DO NOTHING`)
    const { rows } = await client.query<{ version: number }>(`SELECT version FROM ${MARK} WHERE id=1 FOR UPDATE`)
    const version = rows[0]?.version ?? 0
    if (version > POSTGRES_SCHEMA) throw schemaTooNew(shown, version, POSTGRES_SCHEMA)
    if (version > 0 && version < OLDEST_SCHEMA) throw schemaUnreleased(shown)
    if (version === 0) await create(client, hasCitus)
    else await migrateFrom(version, client, hasCitus)
    const storeId = await storeIdIn(client)
    await client.query('COMMIT')
    return { storeId, version }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

async function create(client: PoolClient, hasCitus: boolean): Promise<void> {
  await client.query(NEW_DATABASE)
  if (!hasCitus) await client.query(APPEND_ONLY)
  const storeId = randomBytes(16).toString('hex')
  await client.query('INSERT INTO setting (name, value) VALUES ($1, $2)', [STORE_ID, storeId])
  if (hasCitus) for (const statement of distribution(MARK)) await client.query(statement)
  await client.query(`UPDATE ${MARK} SET version=$1 WHERE id=1`, [POSTGRES_SCHEMA])
}

async function migrateFrom(found: number, client: PoolClient, hasCitus: boolean): Promise<void> {
  const steps = STEPS.filter(({ version }) => version > found)
  if (hasCitus && steps.length > 0) await client.query(BEFORE_STEPS)
  for (const { version, ddl, distribution: distributing } of steps) {
    for (const statement of ddl) await client.query(statement)
    if (hasCitus) for (const statement of distributing) await client.query(statement)
    await client.query(`UPDATE ${MARK} SET version=$1 WHERE id=1`, [version])
  }
}
