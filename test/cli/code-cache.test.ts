/** The code cache: commands work whatever is at its path, and a file that fails the check is removed. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { times } from '../kit/effort.ts'
import { binary, type Run, root, Sandbox } from '../kit/sandbox.ts'
import { seed } from '../kit/seed.ts'

vi.setConfig({ testTimeout: 600_000 })
const FLIPS = times(30)

const sandbox = new Sandbox()
const COMMAND = ['timeseries', 'resources']
const KIND = 'timeseries-resources'
let hash = ''
let good: Run
/** The cache file that the first run wrote. */
let whole: Buffer
const cacheName = (kind: string, version = process.version) => `${hash}-${version}-${process.arch}-${kind}.v8`
const run = (folder: string) => sandbox.run(COMMAND, { env: { SVC_CACHE_DIR: folder } })

/** Creates a cache folder with these bytes as the command's cache and, if `shared` is given, as the shared one. */
function makeCacheFolder(name: string, own: Uint8Array | null, shared: Uint8Array | null = null): string {
  const folder = path.join(sandbox.folder, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  if (own !== null) writeFileSync(path.join(folder, cacheName(KIND)), own, { mode: 0o600 })
  if (shared !== null) writeFileSync(path.join(folder, cacheName('_shared')), shared, { mode: 0o600 })
  return folder
}

/** Returns whether a file ends with the checksum of its content, its length and the versions that created it. */
function verifies(file: string): boolean {
  const bytes = readFileSync(file)
  const data = bytes.subarray(0, -4)
  const maker = `${hash} ${process.version} ${process.versions.v8} ${process.arch}`
  return bytes.readUInt32LE(data.length) === crc32(data, crc32(`${maker} ${data.length}`))
}

beforeAll(async () => {
  hash = (JSON.parse(readFileSync(path.join(root, 'dist', 'svc.json'), 'utf8')) as { hash: string }).hash
  const folder = path.join(sandbox.folder, 'first')
  good = await run(folder)
  expect(good).toMatchObject({ status: 0, stderr: '' })
  whole = readFileSync(path.join(folder, cacheName(KIND)))
}, 120_000)

/** Returns a generator with the same numbers for the same seed; good enough to choose positions. */
function numbersFrom(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe(`a damaged file, seed ${seed}`, () => {
  test(`with one bit flipped, ${FLIPS} times, is replaced, and the command works as usual`, async () => {
    const next = numbersFrom(seed)
    const flips = Array.from({ length: FLIPS }, (_, number) => {
      const at = Math.floor(next() * whole.length)
      return { number, at, bit: Math.floor(next() * 8), isShared: number % 3 === 0 }
    })
    const worker = async (): Promise<void> => {
      for (let flip = flips.pop(); flip !== undefined; flip = flips.pop()) {
        const damaged = Buffer.from(whole)
        damaged[flip.at] = (damaged[flip.at] as number) ^ (1 << flip.bit)
        const name = `flip-${flip.number}`
        const folder = flip.isShared ? makeCacheFolder(name, null, damaged) : makeCacheFolder(name, damaged)
        expect(await run(folder), `byte ${flip.at}, bit ${flip.bit}`).toEqual(good)
        for (const each of readdirSync(folder)) expect(verifies(path.join(folder, each)), name).toBe(true)
        expect(existsSync(path.join(folder, cacheName(KIND)))).toBe(true)
        rmSync(folder, { recursive: true })
      }
    }
    await Promise.all([worker(), worker()])
  })

  test.each([
    ['is empty', () => Buffer.alloc(0)],
    ['has one byte', () => Buffer.of(7)],
    ['is a checksum alone', () => whole.subarray(-4)],
    ['ends in the middle', () => whole.subarray(0, whole.length >> 1)],
    ['lacks its last byte', () => whole.subarray(0, -1)],
    ['has a byte too many', () => Buffer.concat([whole, Buffer.of(0)])],
    ['has a block of zeros', () => Buffer.from(whole).fill(0, whole.length >> 1, (whole.length >> 1) + 512)],
    ['holds anything else', () => Buffer.from('not a cache, whatever its name says')],
  ])('that %s is replaced', async (_how, damaged) => {
    const folder = makeCacheFolder('damaged', damaged(), damaged())
    expect(await run(folder)).toEqual(good)
    expect(readdirSync(folder).toSorted()).toEqual([cacheName('_shared'), cacheName(KIND)].toSorted())
    for (const each of readdirSync(folder)) expect(verifies(path.join(folder, each))).toBe(true)
    // and is then used without being rewritten
    const written = readFileSync(path.join(folder, cacheName(KIND)))
    expect(await run(folder)).toEqual(good)
    expect(readFileSync(path.join(folder, cacheName(KIND))).equals(written)).toBe(true)
  })
})

describe('a file that is not a cache of this bundle and this Node', () => {
  test.each([
    ['another Node', () => `${hash} v20.0.0 ${process.versions.v8} ${process.arch}`],
    ['another V8', () => `${hash} ${process.version} 1.2.3 ${process.arch}`],
    ['another bundle', () => `${'0'.repeat(32)} ${process.version} ${process.versions.v8} ${process.arch}`],
  ])('but of %s is replaced although its checksum is correct', async (_whose, maker) => {
    const data = whole.subarray(0, -4)
    const sealed = Buffer.from(whole)
    sealed.writeUInt32LE(crc32(data, crc32(`${maker()} ${data.length}`)), data.length)
    const folder = makeCacheFolder('foreign', sealed)
    expect(await run(folder)).toEqual(good)
    expect(verifies(path.join(folder, cacheName(KIND)))).toBe(true)
  })

  test('but a non-empty folder, a FIFO or a link is replaced', async () => {
    const folder = makeCacheFolder('strange', null)
    const file = path.join(folder, cacheName(KIND))
    mkdirSync(path.join(file, 'inside'), { recursive: true })
    expect(await run(folder)).toEqual(good)
    expect(verifies(file)).toBe(true)
    if (process.platform === 'win32') return
    rmSync(file)
    await once(spawn('mkfifo', [file]), 'exit')
    expect(await run(folder)).toEqual(good)
    expect(verifies(file)).toBe(true)
    const elsewhere = path.join(sandbox.folder, 'elsewhere')
    writeFileSync(elsewhere, whole)
    rmSync(file)
    symlinkSync(elsewhere, file)
    expect(await run(folder)).toEqual(good)
    expect(lstatSync(file).isFile()).toBe(true)
    expect(readFileSync(elsewhere).equals(whole)).toBe(true)
  })
})

describe.skipIf(process.platform === 'win32')('the permissions of the cache', () => {
  test('give access to a new folder and its files to the user only', async () => {
    const folder = path.join(sandbox.folder, 'fresh', 'deep')
    expect(await run(folder)).toEqual(good)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const each of readdirSync(folder)) expect(statSync(path.join(folder, each)).mode & 0o777).toBe(0o600)
  })

  test.each(['770', '777', '1777'])('of a folder with mode %s prevent it from being used', async mode => {
    // a file that is read and fails the check is removed: these stay unchanged
    const damaged = Buffer.from('anything')
    const folder = makeCacheFolder('open', damaged, damaged)
    chmodSync(folder, Number.parseInt(mode, 8))
    expect(await run(folder)).toEqual(good)
    expect(readdirSync(folder)).toHaveLength(2)
    for (const each of readdirSync(folder)) expect(readFileSync(path.join(folder, each)).equals(damaged)).toBe(true)
    chmodSync(folder, 0o700)
  })

  test('that let others write to a file cause it to be replaced with one that they cannot write to', async () => {
    const folder = makeCacheFolder('loose', whole)
    const file = path.join(folder, cacheName(KIND))
    chmodSync(file, 0o666)
    expect(await run(folder)).toEqual(good)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('are not undermined by a link in place of the temporary file: it is not followed', async () => {
    const folder = makeCacheFolder('linked', null)
    const precious = path.join(sandbox.folder, 'precious')
    writeFileSync(precious, 'mine')
    const child = spawn(
      process.execPath,
      [
        '-e',
        `require('node:fs').symlinkSync(${JSON.stringify(precious)}, ${JSON.stringify(path.join(folder, cacheName(KIND)))} + '.' + process.pid + '.tmp');
        process.argv.splice(1, 0, ${JSON.stringify(binary)});
        require(process.argv[1])`,
        ...COMMAND,
      ],
      { env: { ...sandbox.env, SVC_CACHE_DIR: folder }, stdio: 'ignore' },
    )
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(readFileSync(precious, 'utf8')).toBe('mine')
  })
})

describe('a cache folder that cannot be written to', () => {
  test('because it is a file or inside one is ignored', async () => {
    const file = path.join(sandbox.folder, 'a-file')
    writeFileSync(file, '')
    for (const folder of [file, path.join(file, 'below')]) expect(await run(folder)).toEqual(good)
  })

  test.skipIf(process.platform === 'win32')(
    'because it is read-only is ignored, including damaged files in it',
    async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'svc-read-only-'))
      const file = path.join(folder, cacheName(KIND))
      const damaged = whole.subarray(0, -1)
      writeFileSync(file, damaged, { mode: 0o600 })
      // root can write everywhere, so another user has to run it
      const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
      if (other.uid !== undefined) for (const each of [folder, file]) chownSync(each, other.uid, other.gid)
      chmodSync(folder, 0o500)
      const env = { ...sandbox.env, SVC_CACHE_DIR: folder, SVC_CONFIG_DIR: folder, SVC_DATA_DIR: folder }
      const child = spawnSync(process.execPath, [binary, ...COMMAND], { cwd: folder, env, encoding: 'utf8', ...other })
      expect({ status: child.status, stdout: child.stdout, stderr: child.stderr }).toEqual(good)
      expect(readFileSync(file).equals(damaged)).toBe(true)
      chmodSync(folder, 0o700)
      rmSync(folder, { recursive: true })
    },
  )
})

test('processes that start together leave complete files and nothing else', async () => {
  const folder = path.join(sandbox.folder, 'together')
  const runs = await Promise.all(Array.from({ length: 6 }, () => run(folder)))
  for (const each of runs) expect(each).toEqual(good)
  expect(readdirSync(folder).toSorted()).toEqual([cacheName('_shared'), cacheName(KIND)].toSorted())
  for (const each of readdirSync(folder)) expect(verifies(path.join(folder, each))).toBe(true)
})

test('a complete cache that was moved into place is used', async () => {
  const [folder, other] = [makeCacheFolder('moved', null), makeCacheFolder('other', whole)]
  const file = path.join(folder, cacheName(KIND))
  copyFileSync(path.join(other, cacheName(KIND)), `${file}.part`)
  renameSync(`${file}.part`, file)
  chmodSync(file, 0o600)
  expect(await run(folder)).toEqual(good)
  expect(readFileSync(file).equals(whole)).toBe(true)
  expect(readdirSync(folder)).toEqual([cacheName(KIND)])
})
