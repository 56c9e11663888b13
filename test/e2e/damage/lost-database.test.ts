import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { times } from '../../kit/effort.ts'
import { expectRefusal } from '../../kit/refusal.ts'
import { root, Sandbox } from '../../kit/sandbox.ts'

const sandbox = new Sandbox()
/** A folder with two users, and a snapshot from when there was only one. */
const whole = path.join(sandbox.folder, 'whole')
/** A folder with another store. */
const other = path.join(sandbox.folder, 'other')
let count = 0

beforeAll(async () => {
  const env = { SVC_DATA_DIR: whole }
  await sandbox.json(['user', 'create', 'ada'], { env })
  await sandbox.json(['engine', 'snapshot', 'save', 'early'], { env })
  await sandbox.json(['user', 'create', 'bob'], { env })
  await sandbox.json(['engine', 'snapshot', 'save', 'late'], { env })
  await sandbox.json(['user', 'create', 'zoe', '--data-dir', other])
})

function copyFolder(folder: string): string {
  const copy = path.join(sandbox.folder, `copy-${count++}`)
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true })
  return copy
}
const file = (folder: string, name: string) => path.join(folder, name)
const storeId = (folder: string) => readFileSync(file(folder, 'store.id'), 'utf8').trim()
const run = (folder: string, ...args: string[]) => sandbox.run([...args, '--data-dir', folder])

async function listUsers(folder: string): Promise<string[]> {
  const { users } = await sandbox.json<{ users: { client_user_id: string }[] }>(['user', 'list', '--data-dir', folder])
  return users.map(user => user.client_user_id).sort()
}

type Damage = (folder: string) => void
const LOSSES: readonly (readonly [string, Damage, RegExp])[] = [
  ['missing', folder => rmSync(file(folder, 'svc.db')), /svc\.db is missing/],
  ['emptied', folder => writeFileSync(file(folder, 'svc.db'), ''), /svc\.db is empty/],
  [
    'of another store',
    folder => copyFileSync(file(other, 'svc.db'), file(folder, 'svc.db')),
    /belongs to another store/,
  ],
  [
    'of an older svc',
    folder => copyFileSync(path.join(root, 'test/fixtures/data-folder-v5/svc.db'), file(folder, 'svc.db')),
    /created by an older svc/,
  ],
]

describe.each(LOSSES)('a database that is %s', (_what, damage, says) => {
  test('is refused by every command, and nothing changes', async () => {
    const folder = copyFolder(whole)
    damage(folder)
    const before = existsSync(file(folder, 'svc.db')) ? readFileSync(file(folder, 'svc.db')) : null
    for (const command of [
      ['user', 'create', 'eve'],
      ['user', 'list'],
      ['engine', 'status'],
      ['engine', 'check'],
      ['engine', 'snapshot', 'list'],
      ['engine', 'reset', '--yes'],
      ['serve', '--port', '0'],
    ]) {
      expectRefusal(await run(folder, ...command), 2, [says, /snapshot restore late --yes --data-dir/, /early/])
    }
    const after = existsSync(file(folder, 'svc.db')) ? readFileSync(file(folder, 'svc.db')) : null
    expect(after).toEqual(before)
    const json = await sandbox.run(['user', 'list', '--json', '--data-dir', folder])
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'data_damaged', category: 'usage' } })
  })

  test('is replaced by a snapshot with the command in the message, and kept', async () => {
    const folder = copyFolder(whole)
    damage(folder)
    const lost = existsSync(file(folder, 'svc.db')) ? readFileSync(file(folder, 'svc.db')) : null
    const { stderr } = await run(folder, 'user', 'list')
    const command = /run: svc (engine snapshot restore .*)$/m.exec(stderr)?.[1] ?? ''
    const restored = await sandbox.run(command.split(' '))
    expect(restored.status, restored.stderr).toBe(0)
    expect(await listUsers(folder)).toEqual(['ada', 'bob'])
    expect(storeId(folder)).toBe(storeId(whole))
    const aside = readdirSync(folder).filter(name => name.startsWith('svc.db.lost-'))
    expect(aside.map(name => readFileSync(file(folder, name)))).toEqual(lost === null ? [] : [lost])
    for (const name of aside) expect(restored.stderr).toContain(name)
    expect(statSync(file(folder, 'svc.db')).mode & 0o777).toBe(0o600)
    expect(readdirSync(file(folder, 'scratch'))).toEqual([])
    expect(await sandbox.json(['engine', 'check', '--data-dir', folder])).toMatchObject({ ok: true })
  })
})

describe('restoring into a folder that lost its database', () => {
  test('asks for confirmation, and accepts only existing, intact snapshots', async () => {
    const folder = copyFolder(whole)
    rmSync(file(folder, 'svc.db'))
    writeFileSync(file(folder, 'snapshots/bad.db'), 'no database'.repeat(100))
    expectRefusal(await run(folder, 'engine', 'snapshot', 'restore', 'late'), 2, /--yes/)
    expectRefusal(await run(folder, 'engine', 'snapshot', 'restore', 'nope', '--yes'), 3, [
      /no snapshot/,
      /early, late/,
    ])
    expectRefusal(await run(folder, 'engine', 'snapshot', 'restore', 'bad', '--yes'), 5, /damaged; nothing was changed/)
    expect(existsSync(file(folder, 'svc.db'))).toBe(false)
    expectRefusal(await run(folder, 'user', 'list'), 2, /is missing/)
    expect((await run(folder, 'engine', 'snapshot', 'restore', 'early', '--yes')).status).toBe(0)
    expect(await listUsers(folder)).toEqual(['ada'])
  })

  test('that is killed leaves it lost or restored, never empty', async () => {
    for (const ms of [60, 120, 160, 200, 260, 340]) {
      const folder = copyFolder(whole)
      rmSync(file(folder, 'svc.db'))
      await killedAfter(ms, folder, ['engine', 'snapshot', 'restore', 'late', '--yes'])
      const list = await run(folder, 'user', 'list', '--json')
      if (list.status === 0) expect(await listUsers(folder)).toEqual(['ada', 'bob'])
      else expectRefusal(await run(folder, 'user', 'list'), 2, /snapshot restore late/)
    }
  })
})

describe('a folder from a version without marker files', () => {
  const old = (): string => copyFolder(path.join(root, 'test', 'fixtures', 'data-folder-v5'))

  test('gets a marker file when it is first opened', async () => {
    const folder = old()
    expect(existsSync(file(folder, 'store.id'))).toBe(false)
    expect((await listUsers(folder)).length).toBeGreaterThan(0)
    expect(storeId(folder)).toMatch(/^[0-9a-f]{32}$/)
    expect(statSync(file(folder, 'store.id')).mode & 0o777).toBe(0o600)
    rmSync(file(folder, 'svc.db'))
    expectRefusal(await run(folder, 'user', 'list'), 2, /is missing/)
  })

  test.each(['rm', 'empty'])(
    'that lost its database (%s) but has its key and snapshots does not count as new',
    async how => {
      const folder = copyFolder(whole)
      rmSync(file(folder, 'store.id'))
      writeFileSync(file(folder, 'master.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 })
      if (how === 'rm') rmSync(file(folder, 'svc.db'))
      else writeFileSync(file(folder, 'svc.db'), '')
      expectRefusal(await run(folder, 'user', 'list'), 2, /snapshot restore late/)
      expect((await run(folder, 'engine', 'snapshot', 'restore', 'late', '--yes')).status).toBe(0)
      expect(await listUsers(folder)).toEqual(['ada', 'bob'])
      expect(storeId(folder)).toMatch(/^[0-9a-f]{32}$/)
    },
  )

  test('that has only its key and an empty database does not count as new', async () => {
    const folder = path.join(sandbox.folder, `copy-${count++}`)
    mkdirSync(folder)
    writeFileSync(file(folder, 'master.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 })
    writeFileSync(file(folder, 'svc.db'), '')
    expectRefusal(await run(folder, 'user', 'list'), 2, [/is empty/, /no snapshots/])
    // a key that was put into a new folder does not mean that there was a store
    rmSync(file(folder, 'svc.db'))
    expect(await listUsers(folder)).toEqual([])
  })
})

describe('a marker file', () => {
  test.each([
    ['is missing', (folder: string) => rmSync(file(folder, 'store.id'))],
    ['is damaged', (folder: string) => writeFileSync(file(folder, 'store.id'), 'x'.repeat(20))],
    ['was never finished', (folder: string) => writeFileSync(file(folder, 'store.id'), '')],
  ])('that %s next to an intact database is rewritten', async (_what, damage) => {
    const folder = copyFolder(whole)
    damage(folder)
    expect(await listUsers(folder)).toEqual(['ada', 'bob'])
    expect(storeId(folder)).toBe(storeId(whole))
  })

  test('is created again, with a new ID if the database has lost its own', async () => {
    const folder = copyFolder(whole)
    rmSync(file(folder, 'store.id'))
    const db = new DatabaseSync(file(folder, 'svc.db'))
    db.exec("DELETE FROM setting WHERE name='store_id'")
    db.close()
    expect(await listUsers(folder)).toEqual(['ada', 'bob'])
    expect(storeId(folder)).toMatch(/^[0-9a-f]{32}$/)
    expect(await listUsers(folder)).toEqual(['ada', 'bob'])
  })

  test('is copied and moved with its folder', async () => {
    const copy = copyFolder(whole)
    const moved = `${copy}-moved`
    renameSync(copy, moved)
    expect(await listUsers(moved)).toEqual(['ada', 'bob'])
    expect(storeId(moved)).toBe(storeId(whole))
  })

  test('stays the same after a restore of another store and a reset', async () => {
    const folder = copyFolder(whole)
    mkdirSync(file(folder, 'snapshots'), { recursive: true })
    await sandbox.json(['engine', 'snapshot', 'save', 'zoe', '--data-dir', other])
    copyFileSync(file(other, 'snapshots/zoe.db'), file(folder, 'snapshots/zoe.db'))
    expect((await run(folder, 'engine', 'snapshot', 'restore', 'zoe', '--yes')).status).toBe(0)
    expect(await listUsers(folder)).toEqual(['zoe'])
    expect((await run(folder, 'engine', 'reset', '--yes')).status).toBe(0)
    expect(await listUsers(folder)).toEqual([])
    expect(storeId(folder)).toBe(storeId(whole))
  })
})

describe('a new folder', () => {
  test('is completed by the next command, no matter when the first one was killed', async () => {
    const kills = times(6)
    for (let i = 0; i < kills; i++) {
      const ms = 20 + Math.round((i * 280) / kills)
      const folder = path.join(sandbox.folder, `new-${ms}`)
      mkdirSync(folder)
      // as in a folder with only a key
      writeFileSync(file(folder, 'master.key'), `${'cd'.repeat(32)}\n`, { mode: 0o600 })
      await killedAfter(ms, folder, ['user', 'create', 'eve'])
      const users = await listUsers(folder)
      expect([[], ['eve']]).toContainEqual(users)
      expect(storeId(folder)).toMatch(/^[0-9a-f]{32}$/)
    }
  })

  test('is created once when several processes start together', async () => {
    const folder = path.join(sandbox.folder, 'together')
    const names = ['a', 'b', 'c', 'd']
    const runs = await Promise.all(names.map(name => run(folder, 'user', 'create', name)))
    expect(runs.map(({ status, stderr }) => [status, stderr])).toEqual(names.map(() => [0, '']))
    expect(await listUsers(folder)).toEqual(names)
    expect(storeId(folder)).toMatch(/^[0-9a-f]{32}$/)
  })
})

/** Ends a command with SIGKILL after this time, unless it has ended. */
async function killedAfter(ms: number, folder: string, args: readonly string[]): Promise<void> {
  const { child, ended } = sandbox.start([...args, '--data-dir', folder])
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  await ended
  clearTimeout(timer)
}
