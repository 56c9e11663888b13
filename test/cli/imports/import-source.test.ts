/** The input of `svc import`: ordinary files directly, FIFOs as streams that end, stall or are interrupted. */
import { spawnSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importSource } from '../../../src/cli/imports/import-source.ts'
import type { ByteSource } from '../../../src/contract/kernel/operation.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const folder = temporaryFolder()
const hasFifos = process.platform !== 'win32' && spawnSync('mkfifo', [join(folder, 'probe')]).status === 0
let made = 0

function fifo(): string {
  const path = join(folder, `fifo-${made++}`)
  spawnSync('mkfifo', [path])
  return path
}

function rules(stallMs = 5_000, signal = new AbortController().signal) {
  return { stallMs, signal }
}

async function readText(source: ByteSource): Promise<string> {
  if (source.kind !== 'stream') throw new Error('no stream')
  const chunks: Uint8Array[] = []
  for await (const chunk of source.stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

async function refusal(promise: Promise<unknown>): Promise<ServiceError> {
  const error = await promise.then(
    () => undefined,
    thrown => thrown,
  )
  if (error instanceof ServiceError) return error
  throw error ?? new Error('it was not refused')
}

/** Opens the writing end; a reader must exist. */
function writer(path: string): number {
  return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
}

const soon = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

test('a regular file is used directly', async () => {
  const path = join(folder, 'file')
  writeFileSync(path, 'x')
  expect(await importSource(path, rules())).toEqual({ kind: 'file', path })
})

test.each<[string, string, RegExp]>([
  ['a folder', folder, /is a folder/],
  ['nothing', join(folder, 'absent'), /does not exist/],
  ['what lies below a file', join(import.meta.filename, 'x'), /does not exist/],
])('%s is refused', async (_what, path, says) => {
  const error = await refusal(importSource(path, rules()))
  expect(error).toMatchObject({ code: 'usage', exitCode: 2, message: expect.stringMatching(says) })
})

test.skipIf(process.platform === 'win32')('a device is refused', async () => {
  const error = await refusal(importSource('/dev/zero', rules()))
  expect(error).toMatchObject({ code: 'usage', message: expect.stringMatching(/is a device/) })
})

describe.skipIf(process.platform !== 'linux')('a file whose content the system generates when it is read', () => {
  const own = [
    '/proc/self/environ',
    '/proc/self/mem',
    '/proc/self/pagemap',
    '/proc/cpuinfo',
    `/proc/${process.pid}/maps`,
    '/proc/self/root/proc/self/environ',
    '/sys/kernel/profiling',
    '/sys/devices/system/cpu/online',
  ]
  test.each(own.filter(path => existsSync(path)))('is refused: %s', async path => {
    const link = join(folder, `link-${made++}`)
    symlinkSync(path, link)
    for (const given of [path, link]) {
      expect(await refusal(importSource(given, rules()))).toMatchObject({
        code: 'usage',
        exitCode: 2,
        message: `${given} is not a regular file: the system generates it when it is read.`,
      })
    }
  })

  test('is distinguished from a file that a shell has opened, which is read', async () => {
    const path = join(folder, 'opened')
    writeFileSync(path, 'x')
    const fd = openSync(path, 'r')
    for (const given of [`/dev/fd/${fd}`, `/proc/self/fd/${fd}`, `/proc/self/root${path}`]) {
      expect(await importSource(given, rules())).toMatchObject({ kind: 'file' })
    }
    closeSync(fd)
  })
})

test.skipIf(process.platform === 'win32')('a socket is refused', async () => {
  const path = join(folder, 'socket')
  const server = createServer().listen(path)
  await new Promise(resolve => server.once('listening', resolve))
  expect(await refusal(importSource(path, rules()))).toMatchObject({ message: expect.stringMatching(/is a socket/) })
  server.close()
})

test.skipIf(!hasFifos)('a FIFO is read to its end, no matter when its writer opens it', async () => {
  const path = fifo()
  const text = readText(await importSource(path, rules()))
  await soon(100)
  const out = writer(path)
  writeSync(out, 'first ')
  await soon(50)
  writeSync(out, 'last')
  closeSync(out)
  expect(await text).toBe('first last')
})

test.skipIf(!hasFifos)('waiting for a FIFO without a writer ends', async () => {
  const error = await refusal(readText(await importSource(fifo(), rules(80))))
  expect(error).toMatchObject({ code: 'timeout', exitCode: 7, message: expect.stringMatching(/for 0\.08 s/) })
})

test.skipIf(!hasFifos)('reading a FIFO that stalls midway ends, without counting its reader’s time', async () => {
  const path = fifo()
  const source = await importSource(path, rules(500))
  if (source.kind !== 'stream') throw new Error('no stream')
  const bytes = source.stream[Symbol.asyncIterator]()
  const first = bytes.next()
  await soon(20)
  const out = writer(path)
  writeSync(out, 'one')
  await first
  await soon(700)
  writeSync(out, 'two')
  expect(String((await bytes.next()).value)).toBe('two')
  expect(await refusal(bytes.next())).toMatchObject({ code: 'timeout' })
  closeSync(out)
})

test.skipIf(!hasFifos)('an interrupt ends the wait', async () => {
  const controller = new AbortController()
  const text = readText(await importSource(fifo(), rules(60_000, controller.signal)))
  setTimeout(() => controller.abort(), 30)
  expect(await refusal(text)).toMatchObject({ code: 'cancelled', exitCode: 130 })
})
