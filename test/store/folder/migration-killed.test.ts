/** A migration that is killed at each of its statements in turn. */
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, it } from 'vitest'
import { openDataFolder } from '../../../src/store/folder/data-folder.ts'
import { SCHEMA_VERSION } from '../../../src/store/sqlite/schema.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { root } from '../../kit/sandbox.ts'

/** A process for each statement; on a busy machine that takes minutes. */
const MOST_MS = 600_000

const copiesIn = (folder: string) => readdirSync(folder).filter(name => name.includes('.schema-'))

it(
  'a migration that was killed at any step leaves one copy, and the folder opens',
  async () => {
    const { bundled } = await import(pathToFileURL(join(root, 'test', 'bench', 'bundle.mjs')).href)
    const { path } = await bundled('store-entry.ts')
    // kills itself instead of running a statement, or before it renames the copy
    const script = `
    const fs = require('node:fs')
    const sqlite = require('@photostructure/sqlite')
    let left = Number(process.argv[3])
    const killedIn = (object, name) => {
      const original = object[name].bind(object)
      const value = (...args) => {
        if (left-- === 0) process.kill(process.pid, 'SIGKILL')
        return original(...args)
      }
      // a native method cannot be assigned
      return Object.defineProperty(object, name, { value })
    }
    killedIn(fs, 'renameSync')
    const DatabaseSync = function (...args) {
      return killedIn(new sqlite.DatabaseSync(...args), 'exec')
    }
    require.cache[require.resolve('@photostructure/sqlite')].exports = { ...sqlite, DatabaseSync }
    const { openDataFolder, openSqliteStore } = require(process.argv[1])
    openSqliteStore({ folder: openDataFolder(process.argv[2]), waitForLock: 'blocking' }).close()`
    let kills = 0
    let withCopy = 0
    for (let step = 0; ; step++) {
      const folder = temporaryFolder()
      cpSync(join(root, 'test', 'fixtures', 'data-folder-v1'), folder, { recursive: true })
      const { signal } = spawnSync(process.execPath, ['-e', script, path, folder, `${step}`], { cwd: root })
      if (signal === null) break
      kills++
      if (copiesIn(folder).length > 0) withCopy++
      const notes: string[] = []
      openSqliteStore({
        folder: openDataFolder(folder),
        waitForLock: 'blocking',
        note: line => notes.push(line),
      }).close()
      expect(copiesIn(folder), `killed at step ${step}`).toHaveLength(1)
      expect(readdirSync(join(folder, 'scratch'))).toEqual([])
      const file = new DatabaseSync(join(folder, 'svc.db'), { readOnly: true })
      expect(file.prepare('SELECT count(*) AS users FROM user').get()).toEqual({ users: 3 })
      expect(file.prepare('PRAGMA user_version').get()).toEqual({ user_version: SCHEMA_VERSION })
      file.close()
    }
    // before the copy, between the copy and the commit, and after it
    expect(kills).toBeGreaterThan(withCopy)
    expect(withCopy).toBeGreaterThan(3)
  },
  MOST_MS,
)
