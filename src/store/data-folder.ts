/** The data folder: its files, their modes, the master key and the mark of a running server. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { folderIsFull, isDiskFull } from '../core/disk-full.ts'
import { ServiceError } from '../core/errors.ts'

export interface DataFolder {
  readonly path: string
  readonly database: string
  /** Private folder for files on their way in. */
  readonly scratch: string
}

/** Files on their way in are written to all the time: one that was left alone for so long has lost its process. */
const ABANDONED_MS = 5 * 60_000

/**
 * Makes the folder (mode 0700) where it is absent, and takes away what killed processes left in its scratch folder. Throws
 * ServiceError `data_folder` when it cannot be used.
 */
export function openDataFolder(path: string): DataFolder {
  const scratch = scratchFolder(path)
  try {
    makeFolder(scratch)
    removeAbandoned(scratch)
  } catch (error) {
    throw dataFolderError(path, error)
  }
  return { path, database: join(path, 'svc.db'), scratch }
}

/** Of a data folder: where files lie that are not whole yet. */
export function scratchFolder(dataFolder: string): string {
  return join(dataFolder, 'scratch')
}

/** Name of a file in the scratch folder: it says whose it is. */
export function scratchName(kind: 'import' | 'upload' | 'copy' | 'snapshot' | 'probe'): string {
  return `${kind}-${process.pid}-${randomBytes(6).toString('hex')}`
}

/** Health data must not lie about because an import was killed: takes the files of processes that are gone away. */
export function removeAbandoned(scratch: string): void {
  for (const name of readdirSync(scratch)) {
    const pid = Number(name.split('-')[1])
    if (!Number.isSafeInteger(pid) || pid < 1 || isRunning(pid)) continue
    const file = join(scratch, name)
    // a process in another container is not seen, but what it writes is
    const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - touched > ABANDONED_MS) rmSync(file, { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Level by level: mkdir's own `recursive` never returns where a folder that is there answers ENOENT, as in /proc. */
function makeFolder(path: string): void {
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // another process was quicker
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** What went wrong with a file of the data folder, as an error the user can act on. */
export function dataFolderError(path: string, error: unknown): ServiceError {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (isDiskFull(error)) return folderIsFull(path, error)
  const why: Readonly<Record<string, string>> = {
    EACCES: 'no permission to write there',
    ENOENT: 'no folder can be made there',
    EPERM: 'no permission to write there',
    EROFS: 'the file system is read-only',
    ENOTDIR: 'a part of the path is a file',
    EEXIST: 'a file of that name is in the way',
  }
  return new ServiceError(
    'data_folder',
    `The data folder ${path} cannot be used: ${why[code] ?? `the system answered ${code || 'an unknown error'}`}.`,
    {
      suggestions: ['Choose another folder with --data-dir or SVC_DATA_DIR, or change its permissions.'],
      cause: error,
    },
  )
}

/**
 * The 32-byte key that signs cursors and seals secrets: SVC_MASTER_KEY (64 hex digits or base64 of 32 bytes), else a 0600 file
 * beside the database, made at first use (design 10).
 */
export function masterKey(folder: DataFolder, fromEnvironment: string | undefined): Uint8Array {
  if (fromEnvironment) {
    const key = Buffer.from(fromEnvironment, /^[0-9a-fA-F]{64}$/.test(fromEnvironment) ? 'hex' : 'base64')
    if (key.length !== 32)
      throw new ServiceError('usage', 'SVC_MASTER_KEY must be 32 bytes: 64 hex digits, or their base64.')
    return key
  }
  const path = join(folder.path, 'master.key')
  try {
    return readKey(path) ?? makeKey(path)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw dataFolderError(folder.path, error)
  }
}

function readKey(path: string): Uint8Array | undefined {
  try {
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
    if (key.length === 32) return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  throw new ServiceError('data_folder', `${path} does not hold a key of 64 hex digits.`, {
    suggestions: ['Restore the file, or remove it: cursors issued before stop working.'],
  })
}

/** Two processes may get here at once: `wx` lets one win, and the other reads what it wrote. */
function makeKey(path: string): Uint8Array {
  const key = randomBytes(32)
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    const file = openSync(draft, 'wx', 0o600)
    try {
      writeFileSync(file, `${key.toString('hex')}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return linkOrRead(draft, path) ?? key
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

function linkOrRead(draft: string, path: string): Uint8Array | undefined {
  const existing = readKey(path)
  if (existing) {
    rmSync(draft, { force: true })
    return existing
  }
  renameSync(draft, path)
  return readKey(path)
}

interface ServerMark {
  readonly url: string
  readonly pid: number
}

const MARK = 'serve.json'

/** Says that a server runs on this folder, so that embedded commands can build links to it. Throws `disk_full` or `data_folder`. */
export function markServer(folder: DataFolder, url: string): void {
  const mark = join(folder.path, MARK)
  try {
    writeFileSync(mark, JSON.stringify({ url, pid: process.pid } satisfies ServerMark), { mode: 0o600 })
  } catch (error) {
    rmSync(mark, { force: true })
    throw dataFolderError(folder.path, error)
  }
}

/** Takes the mark back, if it is still ours. */
export function unmarkServer(folder: DataFolder): void {
  if (readMark(folder)?.pid === process.pid) rmSync(join(folder.path, MARK), { force: true })
}

/** URL of the server that runs on this folder, or null. */
export function runningServer(folder: DataFolder): string | null {
  const mark = readMark(folder)
  if (!mark) return null
  return isRunning(mark.pid) ? mark.url : null
}

function readMark(folder: DataFolder): ServerMark | undefined {
  try {
    const mark: unknown = JSON.parse(readFileSync(join(folder.path, MARK), 'utf8'))
    if (typeof mark !== 'object' || mark === null) return undefined
    const { url, pid } = mark as Partial<ServerMark>
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : undefined
  } catch {
    return undefined
  }
}
