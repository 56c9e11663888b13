/** A file that was linked or renamed is on disk under its name when the step is done. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { saveFile } from '../../src/cli/output/output-file.ts'
import { saveSnapshot } from '../../src/cli/output/snapshot-file.ts'
import { saveExport } from '../../src/cli/samples/export-folder.ts'
import { linkSynced, makeFolder, renameSynced, syncFolder, writePrivate } from '../../src/core/synced-file.ts'
import { saveProfile } from '../../src/profile/profile-store.ts'
import { openDataFolder } from '../../src/store/folder/data-folder.ts'
import { masterKey } from '../../src/store/folder/master-key.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../kit/folder.ts'

const { steps, opened } = vi.hoisted(() => ({ steps: [] as string[], opened: new Map<number, string>() }))

/** The real functions, recording in which order names were changed and folders synced. */
vi.mock('node:fs', async importActual => {
  const real = await importActual<typeof import('node:fs')>()
  return {
    ...real,
    openSync: (...args: Parameters<typeof real.openSync>) => {
      const fd = real.openSync(...args)
      opened.set(fd, `${args[0]}`)
      return fd
    },
    fsyncSync: (fd: number) => {
      steps.push(`sync ${opened.get(fd)}`)
      real.fsyncSync(fd)
    },
    renameSync: (from: string, to: string) => {
      real.renameSync(from, to)
      steps.push(`name ${to}`)
    },
    linkSync: (from: string, to: string) => {
      real.linkSync(from, to)
      steps.push(`name ${to}`)
    },
  }
})

let folder = ''
beforeEach(() => {
  folder = temporaryFolder()
  steps.length = 0
})

/** Checks that the last step for a name in the folder was a sync of the folder. */
function expectSynced(path: string, within: string): void {
  const named = steps.lastIndexOf(`name ${path}`)
  expect(steps.slice(named + 1), `${path} in ${steps.join('\n')}`).toContain(`sync ${within}`)
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

describe.skipIf(process.platform === 'win32')('the folder of a file', () => {
  it('is synced after a rename and after a link', () => {
    writePrivate(join(folder, 'a'), 'text')
    expect(steps).toEqual([`sync ${join(folder, 'a')}`])
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600)
    linkSynced(join(folder, 'a'), join(folder, 'b'))
    renameSynced(join(folder, 'b'), join(folder, 'c'))
    expect(steps.slice(1)).toEqual([
      `name ${join(folder, 'b')}`,
      `sync ${folder}`,
      `name ${join(folder, 'c')}`,
      `sync ${folder}`,
    ])
    expect(() => linkSynced(join(folder, 'a'), join(folder, 'c'))).toThrow(/EEXIST/)
  })

  it('is synced after a folder was created in it', () => {
    makeFolder(join(folder, 'x', 'y'))
    expect(steps).toEqual([`sync ${folder}`, `sync ${join(folder, 'x')}`])
    expect(statSync(join(folder, 'x', 'y')).mode & 0o777).toBe(0o700)
  })

  it('is synced for a result, a snapshot, an export, a profile, the master key, the marker file and a named snapshot', async () => {
    await saveFile(join(folder, 'answer.csv'), pieces('a,b\n'))
    expectSynced(join(folder, 'answer.csv'), folder)

    const whole = Buffer.alloc(512)
    whole.write('SQLite format 3\0', 'latin1')
    whole.writeUInt16BE(512, 16)
    whole.writeUInt32BE(1, 28)
    const save = (name: string, mayReplace: boolean) =>
      saveSnapshot(join(folder, name), pieces(whole.toString('latin1')), { mayReplace, onBytes: () => {} })
    await save('one.db', false)
    expectSynced(join(folder, 'one.db'), folder)
    await save('one.db', true)
    expectSynced(join(folder, 'one.db'), folder)

    const out = join(folder, 'export')
    const head = '{"svc_export":1,"exported_at":"2026-11-20T12:00:00+00:00","user_id":"u"}\n'
    const end = '{"svc_export_end":1,"samples":{},"summaries":{},"streams":0}\n'
    await saveExport(out, pieces(head + end), new AbortController().signal, () => {})
    for (const name of ['data.ndjson', 'user.json', 'manifest.json']) expectSynced(join(out, name), out)

    process.env['SVC_CONFIG_DIR'] = join(folder, 'config')
    await saveProfile('mine', { baseUrl: 'https://example.com', apiKey: 'sk_us_0123456789abcdef' })
    // conf renames and opens its file itself
    expect(steps).toContain(`sync ${join(folder, 'config')}`)

    const data = openDataFolder(join(folder, 'data'))
    const store = openSqliteStore({ folder: data, waitForLock: 'blocking' })
    expectSynced(join(data.path, 'store.id'), data.path)
    masterKey(data, undefined)
    expectSynced(join(data.path, 'master.key'), data.path)
    await store.snapshots.save('kept', { real: 0, now: 0 }, false)
    expectSynced(join(data.path, 'snapshots', 'kept.db'), join(data.path, 'snapshots'))
    await store.close()
  })

  it('need not be readable', () => {
    expect(() => syncFolder(join(folder, 'gone'))).toThrow(/ENOENT/)
  })
})

describe.skipIf(process.platform === 'win32')('an output file', () => {
  const modeOf = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8)

  it('is synced, and private whatever the umask', async () => {
    const before = process.umask(0o022)
    try {
      await saveFile(join(folder, 'new.csv'), pieces('a'))
    } finally {
      process.umask(before)
    }
    expect(modeOf('new.csv')).toBe('600')
  })

  it.each([0o600, 0o640, 0o644])('keeps its mode %o', async mode => {
    const before = process.umask(0o077)
    try {
      writeFileSync(join(folder, 'old.csv'), 'before')
      const { chmodSync } = await import('node:fs')
      chmodSync(join(folder, 'old.csv'), mode)
      await saveFile(join(folder, 'old.csv'), pieces('after'))
    } finally {
      process.umask(before)
    }
    expect(modeOf('old.csv')).toBe(mode.toString(8))
    expect(readFileSync(join(folder, 'old.csv'), 'utf8')).toBe('after')
  })

  it('stays unchanged if the result breaks off', async () => {
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half')
      throw new Error('the connection is gone')
    }
    await expect(saveFile(join(folder, 'new.csv'), breaking())).rejects.toThrow(/gone/)
    expect(existsSync(join(folder, 'new.csv'))).toBe(false)
  })
})
