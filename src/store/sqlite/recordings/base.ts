/** Writes a recording's initial state: a copy of the store without secrets and without rows that belong only to the original. */
import { rmSync } from 'node:fs'
import type { SnapshotMoment } from '../../snapshot.ts'
import { SqliteDatabase } from '../database.ts'
import { copyDatabaseTo } from '../snapshots/copy.ts'
import { SNAPSHOT_SETTING } from '../snapshots/moment.ts'

const LEFT_OUT: readonly string[] = ['api_key', 'endpoint', 'delivery', 'failed_attempt']

/**
 * Writes the copy, and returns the number of the last entry whose change is in the copy. Throws the same errors as copyDatabaseTo, and
 * leaves no file behind.
 */
export async function copyBase(database: string, path: string, at: SnapshotMoment): Promise<number> {
  await copyDatabaseTo(database, path, at)
  try {
    const copy = new SqliteDatabase({ path, waitForLock: 'blocking', durable: false })
    try {
      const last = copy.transactNow(() => {
        for (const table of LEFT_OUT) copy.run(`DELETE FROM ${table}`)
        clearAudit(copy)
        copy.run("DELETE FROM job WHERE user_id=''")
        copy.run('DELETE FROM setting WHERE name=?', SNAPSHOT_SETTING)
        const row = copy.get<{ last: number }>('SELECT max(last) AS last FROM recording')
        copy.run('DELETE FROM recording')
        return row?.last ?? 0
      })
      copy.exec('VACUUM')
      return last
    } finally {
      copy.close()
    }
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

/** Empties the audit trail in a copy, which must not contain one. To do so, drops the triggers that protect it and creates them again. */
function clearAudit(copy: SqliteDatabase): void {
  const triggers = copy.all<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE type='trigger' AND tbl_name='audit'",
  )
  for (const { name } of triggers) copy.exec(`DROP TRIGGER "${name}"`)
  copy.run('DELETE FROM audit')
  for (const { sql } of triggers) copy.exec(sql)
}
