/** A database without rowids finds rows by their keys: the check of checksums finds the same damage either way. */
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time.ts'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import { checkChecksums, type StoredRows } from '../../../src/store/logic/check/checksums.ts'
import { KeyedRows } from '../../../src/store/logic/check/keyed-rows.ts'
import { OwnRows } from '../../../src/store/sqlite/check/own-rows.ts'
import type { SqliteDatabase } from '../../../src/store/sqlite/database.ts'
import { openDatabase } from '../../../src/store/sqlite/opening.ts'
import type { StoreProblem } from '../../../src/store/upkeep.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { buildBatch, storeWithUser, USER, writing } from '../user-store.ts'

const START = Date.UTC(2026, 0, 1)
const DAYS = 130

/** Returns the problems that are found in a store of 130 chunks after this damage. */
async function problemsAfter(sql: string, rowsOf: (db: SqliteDatabase) => StoredRows): Promise<StoreProblem[]> {
  const dataDir = temporaryFolder()
  const store = await storeWithUser(dataDir)
  const series = { resource: 'heartrate', type: null, provider: 'whoop', sourceType: 'watch' } as const
  const samples = Array.from({ length: DAYS }, (_, i) => ({ start: START + i * DAY_MS, value: 60 }))
  await store.data.write(USER, writing([buildBatch(series, samples)]))
  await store.close()
  const raw = new DatabaseSync(join(dataDir, 'svc.db'))
  raw.exec(sql)
  raw.close()
  const db = openDatabase({ folder: openDataFolder(dataDir), waitForLock: 'blocking' })
  const found: StoreProblem[] = []
  for await (const problem of checkChecksums(db, rowsOf(db))) found.push(problem)
  db.close()
  return found
}

it.each([
  ['nothing', 'SELECT 1', 0],
  ['a row on each page', 'UPDATE chunk SET rev=rev+1 WHERE n=1', DAYS],
  ['a blob', `UPDATE chunk SET data=CAST(substr(data,1,40)||x'07' AS BLOB) WHERE chunk_start=${START}`, 1],
  ['a user and the event counters', 'UPDATE user SET created_on=1, event_floor=1', 2],
])('the same problems are found by key after damage to %s', async (_name, sql, count) => {
  const byKey = await problemsAfter(sql, db => new KeyedRows(db))
  expect(byKey).toHaveLength(count)
  expect(byKey).toEqual(await problemsAfter(sql, db => new OwnRows(db)))
})
