/** Where a snapshot may be written. */
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saveFile } from '../../../src/cli/output/output-file.ts'
import { checkSnapshotFile, saveSnapshot } from '../../../src/cli/output/snapshot-file.ts'
import { temporaryFolder } from '../../kit/folder.ts'

describe('a snapshot that may replace files', () => {
  const folder = temporaryFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  for (const name of ['data/svc.db', 'data/master.key', 'other.db', 'other.db-wal', 'old.db']) {
    writeFileSync(join(folder, name), 'x')
  }
  symlinkSync(join(data, 'svc.db'), join(folder, 'link.db'))
  const check = (name: string) => checkSnapshotFile(join(folder, name), true, data)

  it('accepts a new name, and the name of an ordinary file', async () => {
    await expect(check('new.db')).resolves.toBeUndefined()
    await expect(check('old.db')).resolves.toBeUndefined()
  })

  it.each(['data/svc.db', 'data/master.key', 'link.db', 'other.db'])('never replaces %s', async name => {
    await expect(check(name)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('in use') })
    expect(existsSync(join(folder, name))).toBe(true)
  })

  it.skipIf(!existsSync('/dev/null'))('never replaces a device', async () => {
    await expect(checkSnapshotFile('/dev/null', true, data)).rejects.toMatchObject({ code: 'usage' })
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })
})

/** A user ID that does not exist on this machine, because permissions do not apply to root. */
const NOBODY = 65_534

describe('a folder without write permission', () => {
  const folder = join(temporaryFolder(), 'locked')
  mkdirSync(folder)
  chmodSync(folder, 0)
  const isRoot = process.getuid?.() === 0
  beforeAll(() => {
    if (isRoot) process.seteuid?.(NOBODY)
  })
  afterAll(() => {
    if (isRoot) process.seteuid?.(0)
  })
  const file = join(folder, 'a')
  async function* nothing(): AsyncGenerator<Uint8Array> {}

  it('is a usage error for snapshots and results, not a bug', async () => {
    const options = { mayReplace: false, onBytes: () => undefined }
    await expect(saveSnapshot(file, nothing(), options)).rejects.toMatchObject({ code: 'usage' })
    await expect(saveFile(file, nothing())).rejects.toMatchObject({ code: 'usage' })
  })
})
