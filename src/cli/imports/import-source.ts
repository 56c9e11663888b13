/** The input of `svc import`: a regular file, or stdin or a FIFO as a stream that must not stall. */
import { constants, fstatSync, openSync, type Stats } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { Socket } from 'node:net'
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { ByteSource } from '../../contract/kernel/operation.ts'
import { ServiceError } from '../../core/errors.ts'

export interface StreamRules {
  /** Maximum time to wait for the next bytes. */
  readonly stallMs: number
  readonly signal: AbortSignal
}

/** The path that a shell passes for `<(command)`. */
const OPEN_FILE = /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/
/** Whether the system reports an end of file for a FIFO that no process has opened for writing yet. */
const WAITS_FOR_WRITER = process.platform === 'linux'
const REOPEN_MS = 50

/**
 * statfs(2) types of file systems whose files Linux generates when they are read. They look like regular files, but expose process
 * environments with keys, memory, and endless streams.
 */
const MADE_UP: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x62656570, // configfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0xcafe4a11, // bpf
  0xde5e81e4, // efivarfs
  0x6165676c, // pstore
  0xf97cff8c, // selinuxfs
  0x6e736673, // namespaces
])

/**
 * Returns the source of a FILE argument. Throws ServiceError `usage` for a missing or unreadable file, a folder, a device, a socket, or a
 * file of /proc and the like; `missing_input` for a terminal. The stream throws `timeout` if no data arrives for too long, and `cancelled`
 * on Ctrl-C.
 */
export async function importSource(given: string, rules: StreamRules): Promise<ByteSource> {
  if (given === '-' || given === '/dev/stdin') return standardInput(rules)
  const inherited = OPEN_FILE.exec(given)?.[1]
  const file = path.resolve(given)
  const found = await stat(file).catch(error => {
    throw unreadable(given, error)
  })
  if (found.isFIFO()) {
    const open = inherited === undefined ? () => openFifo(given, file) : () => openStream(Number(inherited))
    return { kind: 'stream', stream: pieces(open, given, rules, inherited === undefined && !WAITS_FOR_WRITER) }
  }
  if (!found.isFile()) throw new ServiceError('usage', `${given} is ${fileKind(found)}. Use a file or a pipe.`)
  await access(file, constants.R_OK).catch(error => {
    throw unreadable(given, error)
  })
  // Check the target of a link, because /dev/fd/3 in a shell may be a file.
  const { type } = await statfs(file).catch(error => {
    throw unreadable(given, error)
  })
  if (process.platform === 'linux' && MADE_UP.has(type)) {
    throw new ServiceError('usage', `${given} is not a regular file: the system generates it when it is read.`, {
      suggestions: ['Use a file on a disk. Files in /proc, /sys and the like cannot be imported.'],
    })
  }
  return { kind: 'file', path: file }
}

function standardInput(rules: StreamRules): ByteSource {
  if (process.stdin.isTTY) {
    throw new ServiceError('missing_input', '- reads from stdin, but stdin is a terminal.', {
      suggestions: ['Pipe the file in: `… | svc import - --user USER`.'],
    })
  }
  const found = fstatSync(0)
  if (found.isDirectory() || found.isCharacterDevice() || found.isBlockDevice()) {
    throw new ServiceError('usage', `Stdin is ${fileKind(found)}. Use a pipe or a file.`)
  }
  return { kind: 'stream', stream: pieces(() => process.stdin, 'stdin', rules, false) }
}

/** Opens a FIFO. Without O_NONBLOCK, the process would block, and ignore Ctrl-C, until another process opens the FIFO for writing. */
function openFifo(given: string, file: string): Readable {
  try {
    return openStream(openSync(file, constants.O_RDONLY | constants.O_NONBLOCK))
  } catch (error) {
    throw unreadable(given, error)
  }
}

function openStream(fd: number): Readable {
  return new Socket({ fd, readable: true, writable: false })
}

/** Yields the bytes. With `reopens`, an end of file before the first byte means that no process has written yet. */
async function* pieces(
  open: () => Readable,
  name: string,
  rules: StreamRules,
  reopens: boolean,
): AsyncGenerator<Uint8Array> {
  const watch = new StallWatch(name, rules)
  let stream: Readable | undefined
  try {
    for (let isEmpty = true; ; ) {
      stream = open()
      const bytes = stream[Symbol.asyncIterator]()
      for (;;) {
        const next = await watch.next(bytes.next(), isEmpty)
        if (next.done) break
        isEmpty = false
        yield next.value as Uint8Array
      }
      if (!isEmpty || !reopens) return
      stream.destroy()
      await watch.next(new Promise(resolve => setTimeout(resolve, REOPEN_MS)), true)
    }
  } catch (error) {
    throw error instanceof ServiceError ? error : unreadable(name, error)
  } finally {
    stream?.destroy()
  }
}

/** Waits for one promise at a time, but never longer than the rules allow. Time between waits is not counted. */
class StallWatch {
  private readonly name: string
  private readonly rules: StreamRules
  /** Time when the wait for the first byte started. Reopening does not reset it. */
  private since: number | undefined

  constructor(name: string, rules: StreamRules) {
    this.name = name
    this.rules = rules
  }

  async next<T>(coming: Promise<T>, isFirst: boolean): Promise<T> {
    const { stallMs, signal } = this.rules
    this.since ??= Date.now()
    const leftMs = isFirst ? Math.max(1, this.since + stallMs - Date.now()) : stallMs
    let timer: NodeJS.Timeout | undefined
    let onAbort = (): void => {}
    const end = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(stalled(this.name, stallMs)), leftMs)
      onAbort = () => reject(new ServiceError('cancelled', 'Cancelled. Nothing from the file was stored.'))
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
    })
    try {
      return await Promise.race([coming, end])
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }
}

function stalled(name: string, stallMs: number): ServiceError {
  return new ServiceError('timeout', `No data arrived from ${name} for ${stallMs / 1000} s. Nothing was stored.`, {
    suggestions: ['Check the program that writes the data, or wait longer with --stall-timeout.'],
  })
}

function fileKind(found: Stats): string {
  if (found.isDirectory()) return 'a folder'
  return found.isSocket() ? 'a socket' : 'a device'
}

function unreadable(name: string, error: unknown): ServiceError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === '') throw error
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ServiceError('usage', `The file ${name} does not exist.`, {
      suggestions: ['Check the path.'],
      cause: error,
    })
  }
  const why = code === 'EACCES' || code === 'EPERM' ? 'no permission to read it' : `the system reported ${code}`
  return new ServiceError('usage', `${name} cannot be read: ${why}.`, { cause: error })
}
