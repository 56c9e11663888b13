/** The tables that hold rows of users: the list from which a purge works names every one of them, with its key. */
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { USER_TABLES } from '../../../src/store/logic/rows/user-tables.ts'
import { SQLITE } from '../../../src/store/sqlite/dialect.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { storeWithUser } from '../user-store.ts'

/** What a purge leaves behind, and what it works from. */
const KEPT_TABLES = ['tombstone', 'job']

async function freshDatabase(): Promise<DatabaseSyncInstance> {
  const dataDir = temporaryFolder()
  const store = await storeWithUser(dataDir)
  await store.close()
  return new DatabaseSync(join(dataDir, 'svc.db'), { readOnly: true })
}

describe('the list of tables with rows of users', () => {
  it('names every table that has a column for them, in order', async () => {
    const db = await freshDatabase()
    const tables = db
      .prepare(
        `SELECT s.name FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS c
         WHERE s.type='table' AND c.name='user_id' ORDER BY s.name`,
      )
      .all() as { name: string }[]
    db.close()
    const names = tables.map(({ name }) => name).filter(name => !KEPT_TABLES.includes(name))
    expect(USER_TABLES.map(({ table }) => table)).toEqual(names)
  })

  it('states a key of each table, and finds rows by it or by the rowid', async () => {
    const db = await freshDatabase()
    const primaryKey = db.prepare('SELECT name FROM pragma_table_info(?) WHERE pk>0 ORDER BY pk')
    const uniqueKeys = db.prepare('SELECT name FROM pragma_index_list(?) WHERE "unique"=1 AND partial=0')
    const columns = db.prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno')
    const namesOf = (rows: unknown[]) => (rows as { name: string }[]).map(({ name }) => name)
    for (const { table, key } of USER_TABLES) {
      const primary = namesOf(primaryKey.all(table))
      const keys = namesOf(uniqueKeys.all(table)).map(index => namesOf(columns.all(index)))
      expect(keys, table).toContainEqual(key)
      if (primary.length > 0) expect(key, table).toEqual(primary)
      const rowKey = primary.length > 0 ? primary.map(name => `"${name}"`).join(', ') : 'rowid'
      expect(SQLITE.rowKey(table, key), table).toBe(rowKey)
    }
    db.close()
  })
})
