/** Commands on a full disk: each reports the full disk and its path, exits with 7, and leaves no partial file. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../../kit/refusal.ts'
import { binary, type Run, root, Sandbox } from '../../kit/sandbox.ts'
import { hasSmallDisks, type SmallDisk, smallDisk } from '../../kit/small-disk.ts'

const sandbox = new Sandbox()
let disk: SmallDisk

beforeAll(async () => {
  writeFileSync(path.join(sandbox.folder, 'beats.ndjson'), heartRates.join(''))
})

function svc(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const [command, all] = disk.on(process.execPath, [binary, ...args])
  return spawnSync(command, all, { env: { ...sandbox.env, ...env }, cwd: sandbox.folder, encoding: 'utf8' })
}

/** Returns every file below a folder, by its path. */
function files(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  return found.filter(each => each.isFile()).map(each => path.relative(folder, path.join(each.parentPath, each.name)))
}

/** Noise, which does not compress. */
const heartRates = Array.from({ length: 40_000 }, (_, i) => {
  const timestamp = new Date(Date.UTC(2026, 9, 1) + i * 7000).toISOString()
  return `${JSON.stringify({ resource: 'heartrate', timestamp, value: 60 + Math.sin(i) })}\n`
})

describe.skipIf(!hasSmallDisks)('a full disk for results', () => {
  beforeAll(() => {
    disk = smallDisk(2 << 20)
    for (const args of [
      ['user', 'create', 'ada'],
      ['import', 'beats.ndjson', '--user', 'ada'],
      ['engine', 'snapshot', 'save', 'base'],
    ]) {
      const run = svc(args)
      expect(run.status, run.stderr).toBe(0)
    }
  })

  test.each([
    ['samples in a file', 'timeseries get ada heartrate --start 2026-10-01 -o FILE.csv'],
    ['the answer of a query', 'aggregate query ada --select heartrate --past 6mo --output csv -o FILE.csv'],
    ['an export', 'user export ada -o FILE'],
    ['a snapshot', 'engine snapshot export FILE.db'],
    ['headers', 'event sign --body beats.ndjson --headers-to FILE'],
  ])('%s', (_what, line) => {
    disk.free()
    const out = path.join('out', `${line.length}`)
    mkdirSync(path.join(disk.seen, out), { recursive: true })
    disk.fill(line.includes('sign') ? 0 : 64 * 1024)
    const args = line.split(' ').map(word => word.replace('FILE', path.join(disk.path, out, 'file')))
    const run = svc(args, { SVC_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 1).toString('base64')}` })
    expectRefusal(run, 7, [/disk .*full/, new RegExp(disk.path)])
    expect(files(path.join(disk.seen, out))).toEqual([])
  })
})

describe.skipIf(!hasSmallDisks)('a full disk for profiles', () => {
  test('prevents a new profile, is reported, and keeps the existing profiles', () => {
    disk = smallDisk(2 << 20)
    const env = { SVC_CONFIG_DIR: path.join(disk.path, 'config') }
    expect(svc(['profile', 'add', 'old', '--base-url', 'https://old.example'], env).status).toBe(0)
    disk.fill()
    const run = svc(['profile', 'add', 'new', '--base-url', 'https://new.example'], env)
    expect(run.status).toBe(7)
    expect(run.stderr).toMatch(/^Error: The disk is full: \S*profiles\.json was not written\.$/m)
    expect(run.stderr).not.toContain('permission')
    expect(files(path.join(disk.seen, 'config'))).toEqual(['profiles.json'])
    const { stdout } = svc(['profile', 'list', '--json'], env)
    expect(stdout).toContain('old.example')
    expect(stdout).not.toContain('new.example')
  })
})

describe.skipIf(!hasSmallDisks)('a full disk for the data folder', () => {
  const inData = () => ({ SVC_DATA_DIR: path.join(disk.path, 'data') })
  const inFolder = () => files(path.join(disk.seen, 'data')).filter(name => !/^svc\.db(-wal|-shm)?$/.test(name))

  test('prevents the creation of a new folder', () => {
    disk = smallDisk(2 << 20)
    disk.fill()
    expectRefusal(svc(['user', 'create', 'ada'], inData()), 7, [/disk that holds .* is full/, new RegExp(disk.path)])
    disk.free()
    expect(svc(['user', 'create', 'ada'], inData()).status).toBe(0)
  })

  test('prevents writes, which leave nothing behind and succeed when there is room', () => {
    disk = smallDisk(16 << 20)
    expect(svc(['user', 'create', 'ada'], inData()).status).toBe(0)
    expect(svc(['user', 'list'], inData()).status).toBe(0)
    const before = inFolder()
    disk.fill(48 * 1024)
    for (const args of [
      ['import', 'beats.ndjson', '--user', 'ada'],
      ['engine', 'snapshot', 'save', 'base'],
      ['engine', 'seed', '--people', '3'],
    ]) {
      expectRefusal(svc(args, inData()), 7, [/disk that holds .* is full/, new RegExp(disk.path)])
      expect(inFolder()).toEqual(before)
    }
    disk.free()
    expect(svc(['import', 'beats.ndjson', '--user', 'ada'], inData()).status).toBe(0)
    expect(svc(['engine', 'check', '--json'], inData()).stdout).toContain('"ok":true')
  })

  test('prevents a salvage from leaving a new folder', () => {
    disk = smallDisk(4 << 20)
    disk.fill(200 * 1024)
    const source = { SVC_DATA_DIR: path.join(root, 'test', 'fixtures', 'data-folder-v4') }
    const run = svc(['engine', 'salvage', '--to', path.join(disk.path, 'new')], source)
    expectRefusal(run, 7, [/disk that holds .* is full/, new RegExp(disk.path)])
    expect(readdirSync(disk.seen).filter(name => name === 'new')).toEqual([])
  })

  test('leaves a folder of an earlier schema unchanged, or migrates it without a copy', () => {
    disk = smallDisk(8 << 20)
    cpSync(path.join(root, 'test', 'fixtures', 'data-folder-v5'), path.join(disk.seen, 'data'), { recursive: true })
    const before = inFolder()
    // no space for the new schema, then not enough for a copy too
    let refused = 0
    for (let leave = 16 * 1024; ; leave += 96 * 1024) {
      disk.free()
      disk.fill(leave)
      const run = svc(['user', 'list', '--json'], inData())
      if (run.status === 0) {
        expect(run.stderr).toMatch(/from schema 5 to \d+\..* not enough free space to keep a copy/)
        break
      }
      expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: 'disk_full' } })
      expect(run.status).toBe(7)
      expect(inFolder()).toEqual(before)
      refused++
    }
    expect(refused).toBeGreaterThan(3)
    disk.free()
    const run = svc(['user', 'list', '--json'], inData())
    expect(run.status, run.stderr).toBe(0)
    expect(run.stdout).toContain('alice')
    expect(inFolder().filter(name => name.includes('.schema-'))).toEqual([])
  })
})
