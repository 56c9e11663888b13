/** A store that the logic's statements empty looks the same as one that SQLite has reset. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, it } from 'vitest'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import { emptyStore } from '../../../src/store/logic/emptying.ts'
import { openDatabase } from '../../../src/store/sqlite/opening.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { EMPTIED_TABLES, KEPT_TABLES } from '../../../src/store/tables/catalogue.ts'
import { type Move, Mover } from '../../engine/recordings/recording-moves.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { openHarness } from '../../kit/harness.ts'

const MOVES: readonly Move['kind'][] = ['query', 'push', 'import', 'link', 'order', 'simulate', 'advance', 'run due']
/** The tables of recordings, which only SQLite has. */
const OF_SQLITE = ['recording', 'recording_entry']

/** Returns every row of every table. */
function rowsIn(folder: string): Record<string, unknown[]> {
  const db = new DatabaseSync(join(folder, 'svc.db'), { readOnly: true })
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name")
    .all() as { name: string }[]
  const rows = Object.fromEntries(tables.map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]))
  db.close()
  return rows
}

it('leaves the same data as a reset of SQLite, and counts users and the epoch', async () => {
  const h = await openHarness()
  const mover = new Mover(h)
  await mover.make({ kind: 'create', who: 0, what: 0 })
  await mover.make({ kind: 'demo', who: 1, what: 0 })
  for (const kind of MOVES) await mover.make({ kind, who: 0, what: 0 } as Move)
  await h.engine.close()
  const [byLogic, bySqlite] = [temporaryFolder(), temporaryFolder()]
  for (const folder of [byLogic, bySqlite]) cpSync(h.dataDir, folder, { recursive: true })

  const db = openDatabase({ folder: openDataFolder(byLogic), waitForLock: 'blocking' })
  const emptied = await db.write(() => emptyStore())
  db.close()
  const store = openSqliteStore({ folder: openDataFolder(bySqlite), waitForLock: 'blocking' })
  expect(emptied).toEqual(await store.snapshots.reset())
  await store.close()

  expect(emptied.usersBefore).toBeGreaterThan(0)
  const before = rowsIn(h.dataDir)
  expect(Object.keys(before)).toEqual(
    [...[...EMPTIED_TABLES, ...KEPT_TABLES].map(({ name }) => name), ...OF_SQLITE].sort(),
  )
  expect(EMPTIED_TABLES.filter(({ name }) => before[name]?.length).length).toBeGreaterThan(10)
  expect(rowsIn(byLogic)).toEqual(rowsIn(bySqlite))
})
