/** Replaces the current state with a snapshot's. */
import { copyFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ServiceError } from '../../../core/errors.ts'
import { dataFolderError, scratchFolder, scratchName } from '../../folder/data-folder.ts'
import { SESSION_LABEL } from '../../logic/teams/api-keys.ts'
import { EPOCH, STORE_ID } from '../../logic/teams/settings.ts'
import type { Replaced } from '../../snapshot.ts'
import { STAYING_TABLES, TABLES, tablesOfLife } from '../../tables/catalogue.ts'
import { FAULT } from '../../tables/server.ts'
import { API_KEY, SETTING } from '../../tables/teams.ts'
import { JOB } from '../../tables/users.ts'
import { SqliteDatabase } from '../database.ts'
import { SCHEMA_VERSION } from '../schema.ts'
import { sqlLiteral } from './copy.ts'
import { SNAPSHOT_SETTING } from './moment.ts'
import { type Replacement, type Run, replaceState } from './replacement.ts'

const listNames = (tables: readonly { readonly name: string }[]): readonly string[] => tables.map(({ name }) => name)
/** Tables that are filled separately or left empty. */
const OWN_WAY = listNames([SETTING, JOB, API_KEY, FAULT, ...tablesOfLife('passing')])
/** Tables that are left unchanged, because a token set or session in the snapshot may have since been refreshed or ended. */
const STAYING = listNames([...STAYING_TABLES.ofUsers, ...STAYING_TABLES.ofTeams])

/**
 * Restores a snapshot. `version` is its schema version. A snapshot with an older schema is migrated in a scratch copy. Throws the same
 * errors as replaceState, and ServiceError `conflict` if the snapshot is damaged or has a newer schema.
 */
export async function restoreState(
  path: string,
  version: number,
  options: Pick<Replacement, 'database' | 'owed' | 'signal'> & {
    /** Throws if the current state must not be replaced. The state does not change in the meantime. */
    readonly refuse?: (run: Run) => Promise<void>
  },
): Promise<Replaced> {
  if (version > SCHEMA_VERSION) {
    throw new ServiceError(
      'conflict',
      `The snapshot was created by a newer svc (schema ${version}; this version supports up to ${SCHEMA_VERSION}).`,
      { suggestions: ['Update svc.'] },
    )
  }
  const migrated = version < SCHEMA_VERSION ? migratedCopy(path, options.database) : null
  try {
    return await replaceState({
      ...options,
      before: async run => {
        await run(`ATTACH ${sqlLiteral(migrated ?? path)} AS saved`)
        await refuseDamaged(run)
      },
      inside: async (run, tables) => {
        await options.refuse?.(run)
        await copyState(run, tables)
      },
    })
  } finally {
    if (migrated !== null) rmSync(migrated, { force: true })
  }
}

function migratedCopy(path: string, database: string): string {
  const copy = join(scratchFolder(dirname(database)), scratchName('snapshot'))
  try {
    copyFileSync(path, copy)
  } catch (error) {
    rmSync(copy, { force: true })
    throw dataFolderError(dirname(database), error)
  }
  try {
    new SqliteDatabase({ path: copy, waitForLock: 'blocking', durable: false }).close()
  } catch (error) {
    rmSync(copy, { force: true })
    throw error
  }
  return copy
}

async function refuseDamaged(run: Run): Promise<void> {
  const rows = await run<{ quick_check: string }>('PRAGMA saved.quick_check(1)')
  if (rows[0]?.quick_check !== 'ok') throw damaged()
}

function damaged(): ServiceError {
  return new ServiceError('conflict', 'The snapshot is damaged; nothing was changed.', {
    suggestions: ['Restore another snapshot, and delete this one.'],
  })
}

async function copyState(run: Run, tables: readonly string[]): Promise<void> {
  await keepAside(run)
  for (const table of tables) {
    await refuseOtherColumns(run, table)
    if (STAYING.includes(table)) continue
    if (table === 'setting') await copySettings(run)
    else if (table === 'job') await copyJobs(run)
    else await run(`DELETE FROM main."${table}"`)
    // copy whole rows, so that SQLite can copy them in their stored form
    if (!OWN_WAY.includes(table)) await run(`INSERT INTO main."${table}" SELECT * FROM saved."${table}"`)
  }
  await copyKeys(run)
  for (const { name } of STAYING_TABLES.ofUsers) {
    await run(`DELETE FROM main.${name} WHERE user_id NOT IN (SELECT user_id FROM main.user)`)
  }
  for (const { name } of STAYING_TABLES.ofTeams) {
    await run(`DELETE FROM main.${name} WHERE team_id NOT IN (SELECT team_id FROM main.team)`)
  }
  if ((await run('PRAGMA main.foreign_key_check')).length > 0) throw damaged()
  // work that began in the old state must not be finished in the new one
  for (const { name, lease } of TABLES) {
    if (lease !== undefined) await run(`UPDATE main.${name} SET ${lease}=NULL WHERE ${lease} IS NOT NULL`)
  }
  await run('UPDATE main.continuous_state SET rev=rev+(SELECT query_rev FROM temp.kept)')
  await run('UPDATE main.lab_order SET rev=rev+(SELECT order_rev FROM temp.kept)')
}

async function keepAside(run: Run): Promise<void> {
  await run('CREATE TEMP TABLE kept_key AS SELECT * FROM main.api_key')
  await run(
    `CREATE TEMP TABLE kept AS SELECT
       (SELECT coalesce(max(rev), 0)+1 FROM main.continuous_state) AS query_rev,
       (SELECT coalesce(max(rev), 0)+1 FROM main.lab_order) AS order_rev`,
  )
}

async function refuseOtherColumns(run: Run, table: string): Promise<void> {
  const columns = (schema: string) => `(SELECT group_concat(name) FROM pragma_table_info('${table}', '${schema}'))`
  const [row] = await run<{ same: number }>(`SELECT ${columns('main')} IS ${columns('saved')} AS same`)
  if (row?.same !== 1) throw damaged()
}

async function copySettings(run: Run): Promise<void> {
  await run(`DELETE FROM main.setting WHERE name NOT IN ('${EPOCH}', '${STORE_ID}')`)
  await run(
    `INSERT INTO main.setting SELECT * FROM saved.setting WHERE name NOT IN ('${EPOCH}', '${STORE_ID}', '${SNAPSHOT_SETTING}')`,
  )
}

/** Copies users' jobs. Jobs without a user concern the file. */
async function copyJobs(run: Run): Promise<void> {
  await run("DELETE FROM main.job WHERE user_id<>''")
  await run("INSERT INTO main.job SELECT * FROM saved.job WHERE user_id<>''")
}

/** Restores the snapshot's keys. Keys that have since been revoked stay revoked, and running servers keep their keys. */
async function copyKeys(run: Run): Promise<void> {
  const isSession = `label GLOB '${SESSION_LABEL}*'`
  const kept = (column: string) => `(SELECT ${column} FROM temp.kept_key AS kept WHERE kept.key_id=main.api_key.key_id)`
  await run(`INSERT INTO main.api_key SELECT * FROM saved.api_key WHERE NOT ${isSession}`)
  await run(
    `UPDATE main.api_key SET revoked_at=coalesce(revoked_at, ${kept('revoked_at')}),
       last_used_at=max(coalesce(last_used_at, 0), coalesce(${kept('last_used_at')}, 0))
     WHERE key_id IN (SELECT key_id FROM temp.kept_key)`,
  )
  await run('UPDATE main.api_key SET last_used_at=NULL WHERE last_used_at=0')
  await run("UPDATE temp.kept_key SET team_id=(SELECT value FROM main.setting WHERE name='local_team')")
  await run(`INSERT INTO main.api_key SELECT * FROM temp.kept_key WHERE ${isSession}`)
}
