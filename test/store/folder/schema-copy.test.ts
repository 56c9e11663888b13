/** A database of an older schema is copied before it is changed: privately, once, and completely or not at all. */
import { spawn } from 'node:child_process'
import { closeSync, cpSync, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { root } from '../../kit/sandbox.ts'

function oldFolder(): string {
  const folder = temporaryFolder()
  cpSync(join(root, 'test', 'fixtures', 'data-folder-v1'), folder, { recursive: true })
  return folder
}
const open = (folder: string) => openSqliteStore({ folder: openDataFolder(folder), waitForLock: 'blocking' })
const copiesIn = (folder: string) => readdirSync(folder).filter(name => name.includes('.schema-'))

describe('the copy made before a migration', () => {
  it('contains the old data, and nobody else can read it', async () => {
    const folder = oldFolder()
    const before = process.umask(0o022)
    try {
      await open(folder).close()
    } finally {
      process.umask(before)
    }
    const [name = '', ...others] = copiesIn(folder)
    expect(others).toEqual([])
    expect(name).toMatch(/^svc\.db\.schema-1-/)
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, 'scratch'))).toEqual([])
    const copy = new DatabaseSync(join(folder, name), { readOnly: true })
    expect(copy.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
    expect(copy.prepare('SELECT count(*) AS users FROM user').get()).toEqual({ users: 3 })
    copy.close()
  })

  it('is made once when two processes open the folder together', async () => {
    const { bundled } = await import(pathToFileURL(join(root, 'test', 'bench', 'bundle.mjs')).href)
    const { path } = await bundled('store-entry.ts')
    const folder = oldFolder()
    const script = `
      const { openDataFolder, openSqliteStore } = require(process.argv[1])
      while (Date.now() < Number(process.argv[3])) {}
      openSqliteStore({ folder: openDataFolder(process.argv[2]), waitForLock: 'blocking' }).close()`
    const together = `${Date.now() + 1_500}`
    const codes = await Promise.all(
      [1, 2].map(
        () =>
          new Promise(resolve => {
            const child = spawn(process.execPath, ['-e', script, path, folder, together], { stdio: 'inherit' })
            child.once('exit', resolve)
          }),
      ),
    )
    expect(codes).toEqual([0, 0])
    expect(copiesIn(folder).length).toBe(1)
    expect(readdirSync(join(folder, 'scratch'))).toEqual([])
  })

  it('leaves nothing behind if it cannot be completed, and nothing is changed', () => {
    const folder = oldFolder()
    const path = join(folder, 'svc.db')
    const raw = new DatabaseSync(path)
    const { rootpage } = raw.prepare(`SELECT rootpage FROM sqlite_schema WHERE name='chunk'`).get() as {
      rootpage: number
    }
    raw.close()
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(4096, 0xee), 0, 4096, (rootpage - 1) * 8192)
    closeSync(file)
    expect(() => open(folder)).toThrow(expect.objectContaining({ code: 'data_damaged' }))
    expect(copiesIn(folder)).toEqual([])
    expect(readdirSync(join(folder, 'scratch'))).toEqual([])
    const after = new DatabaseSync(path)
    expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 })
    after.close()
  })
})
