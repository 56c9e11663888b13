/** Decompressing gzip files that may be hostile. */
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gunzipBeginning, gunzipFile, gunzipHead, isGzip } from '../../../src/connectors/files/bytes/gunzip.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const TEXT = '<gpx>hello</gpx>\n'

async function unpacked(packed: Uint8Array, signal?: AbortSignal): Promise<{ error: unknown; target: string }> {
  const folder = temporaryFolder()
  const target = join(folder, 'target')
  await writeFile(join(folder, 'packed.gz'), packed)
  const error = await gunzipFile(join(folder, 'packed.gz'), target, signal).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { error, target }
}

test('unpacks to a private file', async () => {
  const { error, target } = await unpacked(gzipSync(TEXT))
  expect(error).toBeUndefined()
  expect(await readFile(target, 'utf8')).toBe(TEXT)
  if (process.platform !== 'win32') expect((await stat(target)).mode & 0o777).toBe(0o600)
})

test('accepts several members in a row, and zeros after the last', async () => {
  const { error, target } = await unpacked(Buffer.concat([gzipSync('a'), gzipSync('b'), Buffer.alloc(600)]))
  expect(error).toBeUndefined()
  expect(await readFile(target, 'utf8')).toBe('ab')
})

test.each([
  ['cut off', gzipSync(TEXT.repeat(1000)).subarray(0, -5), /cut off/],
  ['damaged', Buffer.concat([gzipSync(TEXT).subarray(0, 12), Buffer.from('rubbish rubbish')]), /damaged/],
  ['of a wrong checksum', Buffer.concat([gzipSync(TEXT).subarray(0, -8), Buffer.alloc(8, 7)]), /damaged/],
  ['followed by garbage', Buffer.concat([gzipSync(TEXT), Buffer.from('garbage')]), /damaged|after its end/],
  [
    'followed by zeros and garbage',
    Buffer.concat([gzipSync(TEXT), Buffer.alloc(9), Buffer.from('x')]),
    /after its end/,
  ],
  ['packed twice', gzipSync(gzipSync(TEXT)), /another gzip file/],
])('refuses a file that is %s, and leaves nothing behind', async (_, packed, message) => {
  const { error, target } = await unpacked(packed)
  expect(error).toBeInstanceOf(ServiceError)
  expect((error as ServiceError).code).toBe('invalid_file')
  expect(String(error)).toMatch(message)
  expect(existsSync(target)).toBe(false)
})

test('unpacks the start of a truncated or damaged file, but nothing of a hostile one', async () => {
  const folder = temporaryFolder()
  const packed = join(folder, 'packed.gz')
  const beginning = async (bytes: Uint8Array, name: string): Promise<string> => {
    await writeFile(packed, bytes)
    await gunzipBeginning(packed, join(folder, name), undefined)
    return readFile(join(folder, name), 'utf8')
  }
  const long = TEXT.repeat(50_000)
  const cut = await beginning(gzipSync(long).subarray(0, -100), 'cut')
  expect(cut.length).toBeGreaterThan(0)
  expect(long.startsWith(cut)).toBe(true)
  // anything in the same piece of compressed bytes as the damage is lost with it
  const noise = Array.from({ length: 60_000 }, (_, i) => Math.sin(i).toString(36)).join('')
  const damaged = await beginning(Buffer.from(gzipSync(noise)).fill(0xff, 400_000), 'damaged')
  expect(damaged.length).toBeGreaterThan(400_000)
  expect(noise.startsWith(damaged.slice(0, 400_000))).toBe(true)
  await expect(beginning(gzipSync(gzipSync(TEXT)), 'twice')).rejects.toMatchObject({ code: 'invalid_file' })
  expect(existsSync(join(folder, 'twice'))).toBe(false)
})

test('refuses a bomb before it fills the disk', async () => {
  const { error, target } = await unpacked(gzipSync(Buffer.alloc(100 * 1_048_576)))
  expect(String(error)).toMatch(/more than 200 times its size/)
  expect(existsSync(target)).toBe(false)
})

test('stops when cancelled, and never overwrites a file', async () => {
  const controller = new AbortController()
  controller.abort()
  expect((await unpacked(gzipSync(TEXT), controller.signal)).error).toMatchObject({ code: 'cancelled' })
  const folder = temporaryFolder()
  const [packed, target] = [join(folder, 'a.gz'), join(folder, 'there')]
  await writeFile(packed, gzipSync(TEXT))
  await writeFile(target, 'mine')
  await expect(gunzipFile(packed, target, undefined)).rejects.toMatchObject({ code: 'EEXIST' })
  expect(await readFile(target, 'utf8')).toBe('mine')
})

test('returns the first unpacked bytes from the first bytes of the file', () => {
  const packed = gzipSync(Buffer.from(TEXT.repeat(5000)), { level: 1 })
  expect(isGzip(packed)).toBe(true)
  expect(isGzip(Buffer.from('PK\u0003\u0004'))).toBe(false)
  expect(isGzip(new Uint8Array(0))).toBe(false)
  const head = Buffer.from(gunzipHead(packed.subarray(0, 60)))
  expect(head.length).toBeGreaterThan(0)
  expect(TEXT.repeat(5000).startsWith(head.toString())).toBe(true)
  expect(gunzipHead(packed).length).toBe(4096)
  expect(gunzipHead(Buffer.from([0x1f, 0x8b, 8, 1, 2, 3])).length).toBe(0)
  expect(gunzipHead(new Uint8Array(0)).length).toBe(0)
})
