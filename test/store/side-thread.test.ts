/** The second handle, in a separate thread: it reports the same errors as the first. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, it } from 'vitest'
import { openSideThread } from '../../src/store/sqlite/side-thread.ts'
import { temporaryFolder } from '../kit/folder.ts'

it('reports a damaged file like any other handle, and ends', async () => {
  const path = join(temporaryFolder(), 'svc.db')
  writeFileSync(path, 'no database'.repeat(2_000))
  const side = await openSideThread(path)
  await expect(side.rows('PRAGMA integrity_check')).rejects.toMatchObject({ code: 'data_damaged' })
  await side.close()
})

it('returns null if a lock blocks it, and continues afterwards, on a path with spaces and quotes', async () => {
  const path = join(temporaryFolder(), `a b'c"d.db`)
  const other = new DatabaseSync(path)
  other.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1); BEGIN EXCLUSIVE')
  const side = await openSideThread(path)
  expect(await side.rows('SELECT a FROM t')).toBeNull()
  other.exec('ROLLBACK')
  expect(await side.rows('SELECT a FROM t')).toEqual([{ a: 1 }])
  await side.close()
  other.close()
})
