/** The data folder: its files, their modes, the master key and the mark of a running server. */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { folderIsFull, isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { linkSynced, makeFolder, renameSynced, writePrivate } from '../../core/synced-file.ts'
import { type FileIds, fileIds, isFileIds } from './file-ids.ts'

export interface DataFolder {
  readonly path: string
  readonly database: string
  /** Private folder for files on their way in. */
  readonly scratch: string
}

/** Files on their way in are written to all the time: one that was left alone for so long has lost its process, wherever that ran. */
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
export function scratchName(kind: 'import' | 'upload' | 'copy' | 'snapshot' | 'key' | 'mark' | 'probe'): string {
  place ??= placeOfProcess()
  return `${kind}-${process.pid}-${place}-${randomBytes(6).toString('hex')}`
}

let place: string | undefined

/** Where the number of this process means a process: on one machine, and in one container of it. */
function placeOfProcess(): string {
  let namespace = ''
  try {
    namespace = readlinkSync('/proc/self/ns/pid')
  } catch {
    // only Linux has them
  }
  return createHash('sha256').update(`${hostname()} ${namespace}`).digest('hex').slice(0, 8)
}

/** Health data must not lie about because an import was killed: takes the files of processes that are gone away. */
export function removeAbandoned(scratch: string): void {
  const names = readdirSync(scratch)
  if (names.length > 0) place ??= placeOfProcess()
  for (const name of names) {
    const [, number, where] = name.split('-')
    const pid = Number(number)
    if (!Number.isSafeInteger(pid) || pid < 1 || isRunning(pid)) continue
    const file = join(scratch, name)
    // a process in another container is not seen, but what it writes is
    if (where === place || isOld(file)) rmSync(file, { force: true })
  }
}

function isOld(file: string): boolean {
  const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  return Date.now() - touched > ABANDONED_MS
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
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
  const path = keyPath(folder)
  try {
    return readKey(path) ?? makeKey(folder, path)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw dataFolderError(folder.path, error)
  }
}

export function keyPath(folder: DataFolder): string {
  return join(folder.path, 'master.key')
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

/** Two processes may get here at once: a link to a whole file lets one win, and the other reads what it wrote. */
function makeKey(folder: DataFolder, path: string): Uint8Array {
  const key = randomBytes(32)
  const draft = join(folder.scratch, scratchName('key'))
  writePrivate(draft, `${key.toString('hex')}\n`)
  try {
    linkSynced(draft, path)
    return key
  } catch (error) {
    if (isDiskFull(error)) throw error
    const other = readKey(path)
    if (other !== undefined) return other
    // a file system without links
    renameSynced(draft, path)
    return readKey(path) ?? key
  } finally {
    rmSync(draft, { force: true })
  }
}

interface ServerMark {
  readonly url: string
  readonly pid: number
  /** What the server has open; an older version did not say it. */
  readonly files?: FileIds
}

const MARK = 'serve.json'

/**
 * Says that a server runs on this folder, so that embedded commands can build links to it, and see what it has open. Throws
 * `disk_full` or `data_folder`.
 */
export function markServer(folder: DataFolder, url: string): void {
  const path = join(folder.path, MARK)
  const mark: ServerMark = { url, pid: process.pid, files: fileIds(folder.database) }
  try {
    writeFileSync(path, JSON.stringify(mark), { mode: 0o600 })
  } catch (error) {
    rmSync(path, { force: true })
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

/** The process of a server that runs on this folder, other than this one, and the files it has open; null when there is none. */
export function otherServer(folder: DataFolder): { readonly pid: number; readonly files: FileIds } | null {
  const mark = readMark(folder)
  if (!mark?.files || mark.pid === process.pid || !isRunning(mark.pid)) return null
  return { pid: mark.pid, files: mark.files }
}

function readMark(folder: DataFolder): ServerMark | undefined {
  try {
    const mark: unknown = JSON.parse(readFileSync(join(folder.path, MARK), 'utf8'))
    if (typeof mark !== 'object' || mark === null) return undefined
    const { url, pid, files } = mark as Partial<ServerMark>
    if (typeof url !== 'string' || typeof pid !== 'number') return undefined
    return isFileIds(files) ? { url, pid, files } : { url, pid }
  } catch {
    return undefined
  }
}
