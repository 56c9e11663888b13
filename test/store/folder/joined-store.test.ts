/** The marker file that binds a data folder to a PostgreSQL store. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stateOfFolder } from '../../../src/engine/folder.ts'
import { openEngine } from '../../../src/engine/open.ts'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import { joinStore, refuseOtherStore, refuseSqliteFolder } from '../../../src/store/folder/joined-store.ts'
import { readStoreMark, writeStoreMark } from '../../../src/store/folder/store-mark.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const ID = 'ab'.repeat(16)
const OTHER_ID = 'cd'.repeat(16)
const URL = 'postgres://svc@db.example.com:5432/svc?sslmode=require'

const newFolder = () => openDataFolder(temporaryFolder())

describe('a folder of a PostgreSQL store', () => {
  it('gets a private marker file with the ID and the URL, and nothing else', () => {
    const folder = newFolder()
    joinStore(folder, ID, URL)
    expect(readStoreMark(folder)).toEqual({ kind: 'joined', storeId: ID, url: URL })
    const file = join(folder.path, 'store.id')
    expect(readFileSync(file, 'utf8')).toBe(`${ID}\n${URL}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder.path).sort()).toEqual(['scratch', 'store.id'])
    expect(readdirSync(folder.scratch)).toEqual([])
  })

  it('keeps its marker file when it is opened again, and follows a store that has moved', () => {
    const folder = newFolder()
    joinStore(folder, ID, URL)
    const { ino } = statSync(join(folder.path, 'store.id'))
    joinStore(folder, ID, URL)
    expect(statSync(join(folder.path, 'store.id')).ino).toBe(ino)
    const moved = 'postgres://svc@other.example.com:5432/svc'
    joinStore(folder, ID, moved)
    expect(readStoreMark(folder)).toEqual({ kind: 'joined', storeId: ID, url: moved })
  })

  it('is refused for another store, and for a database without a store', () => {
    const folder = newFolder()
    joinStore(folder, ID, URL)
    const elsewhere = 'postgres://svc@elsewhere:5432/svc'
    expect(() => joinStore(folder, OTHER_ID, elsewhere)).toThrow(
      `belongs to the store ${URL}. The given store is ${elsewhere}, and that is another store.`,
    )
    expect(() => refuseOtherStore(folder, { storeId: null, url: elsewhere })).toThrow(
      /that database does not contain a store/,
    )
    expect(readStoreMark(folder)).toEqual({ kind: 'joined', storeId: ID, url: URL })
  })

  it('is refused without --store, and the message contains the flag', async () => {
    const folder = newFolder()
    joinStore(folder, ID, URL)
    const opening = openEngine({ dataDir: folder.path, store: null, waitForLock: 'blocking' })
    await expect(opening).rejects.toMatchObject({
      code: 'data_folder',
      message: `The data folder ${folder.path} belongs to the PostgreSQL store ${URL}.`,
      suggestions: [expect.stringContaining(`--store '${URL}'`), expect.any(String)],
    })
    await expect(stateOfFolder(folder.path)).rejects.toMatchObject({ code: 'data_folder' })
    expect(existsSync(folder.database)).toBe(false)
  })

  it('can contain a key file, which is not used', () => {
    const folder = newFolder()
    writeFileSync(join(folder.path, 'master.key'), `${'00'.repeat(32)}\n`)
    expect(() => joinStore(folder, ID, URL)).not.toThrow()
  })
})

describe('a folder of a SQLite store', () => {
  const refused = /contains its own SQLite store/

  it('is refused for a PostgreSQL store', async () => {
    const folder = newFolder()
    const engine = await openEngine({ dataDir: folder.path, store: null, waitForLock: 'blocking' })
    await engine.close()
    expect(() => refuseSqliteFolder(folder)).toThrow(refused)
    expect(() => joinStore(folder, ID, URL)).toThrow(refused)
    expect(readStoreMark(folder).kind).toBe('made')
  })

  it('is refused if its database is lost, if its store is incomplete, or if it has no marker file', () => {
    const lost = newFolder()
    writeStoreMark(lost, ID)
    const begun = newFolder()
    writeFileSync(join(begun.path, 'store.id'), '')
    const unmarked = newFolder()
    writeFileSync(unmarked.database, 'SQLite format 3')
    const copied = newFolder()
    writeFileSync(`${copied.database}.schema-3-x`, '')
    for (const folder of [lost, begun, unmarked, copied]) expect(() => refuseSqliteFolder(folder)).toThrow(refused)
  })
})
