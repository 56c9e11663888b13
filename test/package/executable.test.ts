/** The single executable, on a machine without Node: with an empty PATH and an empty home folder. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../kit/folder.ts'
import { MB, packageFile, run } from './packages.ts'

const svc = packageFile('svc')
const MOST_MB = 145
const MOST_COMPRESSED_MB = 45

/** A user who has nothing but a home folder. */
function user() {
  const home = temporaryFolder()
  const env = { HOME: home, PATH: '' }
  const cache = path.join(home, '.cache', 'svc')
  return {
    home,
    cache,
    svc: (...args: string[]) => run(svc, args, env, home),
    /** The native parts that were unpacked. */
    native: () =>
      readdirSync(cache, { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith('.node'))
        .map(name => path.join(cache, name)),
  }
}

describe('the single executable', () => {
  test('is one file within its size, and so is its download', () => {
    expect(statSync(svc).size / MB).toBeLessThan(MOST_MB)
    expect(statSync(packageFile('.xz')).size / MB).toBeLessThan(MOST_COMPRESSED_MB)
  })

  test('prints its version, help and documentation', async () => {
    const { svc, cache } = user()
    expect(await svc('--version')).toMatch(/^svc\/\S+ \S+ node-v22\./)
    expect(await svc('user', 'create', '--help')).toContain('USAGE')
    // neither needs native parts
    expect(() => readdirSync(cache)).toThrow('ENOENT')
    expect(await svc('docs', 'aggregate')).toContain('Aggregate queries')
    expect(JSON.parse(await svc('docs')).length).toBeGreaterThan(80)
  })

  test('stores and reads data, and filters it with jq', async () => {
    const { svc } = user()
    await svc('user', 'create', 'alice')
    await svc('link', 'demo', 'alice', 'oura')
    expect(await svc('user', 'list', '--jq', '.users[].client_user_id')).toBe('alice\n')
    const query = ['aggregate', 'query', 'alice', '--select', 'mean(sleep.efficiency)', '--past', '4w', '--output']
    expect((await svc(...query, 'csv')).split('\n').length).toBeGreaterThan(1)
    expect(await svc(...query, 'parquet')).toMatch(/^PAR1[\s\S]*PAR1$/)
  })

  test('unpacks its native parts into a folder that only the user can read and write', async () => {
    const { svc, cache, native } = user()
    await svc('user', 'list')
    expect(native().length).toBe(2)
    const folders = readdirSync(cache, { recursive: true, withFileTypes: true }).filter(each => each.isDirectory())
    for (const { parentPath, name } of folders) expect(statSync(path.join(parentPath, name)).mode & 0o077).toBe(0)
  })

  test.each([
    ['damaged', (file: string) => writeFileSync(file, readFileSync(file).fill(0, 4096, 8192))],
    ['cut off', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 1000))],
    ['writable for others', (file: string) => chmodSync(file, 0o666)],
  ])('replaces native parts that are %s', async (_what, change) => {
    const { svc, native } = user()
    await svc('user', 'list')
    const before = native().map(file => readFileSync(file))
    for (const file of native()) change(file)
    await svc('user', 'list')
    expect(native().map(file => readFileSync(file).equals(before.shift() as Buffer))).toEqual([true, true])
    for (const file of native()) expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('refuses a cache folder that other users can write to, and says what to do', async () => {
    const { svc, cache } = user()
    mkdirSync(cache, { recursive: true })
    chmodSync(cache, 0o777)
    await expect(svc('user', 'list')).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: `svc could not unpack its native parts: other users can write to ${cache}. It needs a folder that only you can write to. Set SVC_CACHE_DIR to such a folder.\n`,
    })
  })
})
