/** Manages the data folder: its files, their modes, and a running server's mark. */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { folderIsFull, isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { makeFolder } from '../../core/synced-file.ts'
import { type FileIds, fileIds, isFileIds } from './file-ids.ts'

export interface DataFolder {
  readonly path: string
  readonly database: string
  /** Private folder for files that are still being written. */
  readonly scratch: string
}

/**
 * Time after which an unchanged scratch file is considered abandoned. Such files are written continuously, so the process that wrote it has
 * ended, whichever machine it was on.
 */
const ABANDONED_MS = 5 * 60_000

/**
 * Creates the folder (mode 0700) if it does not exist, and removes the files of killed processes from its scratch folder. Throws
 * ServiceError `data_folder` if the folder cannot be used.
 */
export function openDataFolder(path: string): DataFolder {
  const folder = dataFolderAt(path)
  try {
    makeFolder(folder.scratch)
    removeAbandoned(folder.scratch)
  } catch (error) {
    throw dataFolderError(path, error)
  }
  return folder
}

/** Returns a data folder's paths, whether or not the folder exists. */
export function dataFolderAt(path: string): DataFolder {
  return { path, database: join(path, 'svc.db'), scratch: scratchFolder(path) }
}

/** Returns the paths of the folder and of the files in it that contain data or keys. */
export function privatePaths(path: string): readonly string[] {
  const folder = dataFolderAt(path)
  return [path, folder.database, keyPath(folder)]
}

/** Returns a data folder's scratch folder, which contains incomplete files. */
export function scratchFolder(dataFolder: string): string {
  return join(dataFolder, 'scratch')
}

/** Returns a name for a file in the scratch folder. The name shows which process the file belongs to. */
export function scratchName(kind: 'import' | 'upload' | 'copy' | 'snapshot' | 'key' | 'mark' | 'probe'): string {
  processScope ??= readProcessScope()
  return `${kind}-${process.pid}-${processScope}-${randomBytes(6).toString('hex')}`
}

// global, because it is a fact about the process
let processScope: string | undefined

/** Returns a text that identifies where this process's ID is valid: on one machine, in one container. */
function readProcessScope(): string {
  let namespace = ''
  try {
    namespace = readlinkSync('/proc/self/ns/pid')
  } catch {
    // only Linux has namespaces
  }
  return createHash('sha256').update(`${hostname()} ${namespace}`).digest('hex').slice(0, 8)
}

/** Removes the files of processes that have ended, because health data must not remain on the disk when an import is killed. */
export function removeAbandoned(scratch: string): void {
  const names = readdirSync(scratch)
  if (names.length > 0) processScope ??= readProcessScope()
  for (const name of names) {
    const [, number, where] = name.split('-')
    const pid = Number(number)
    if (!Number.isSafeInteger(pid) || pid < 1 || isRunning(pid)) continue
    const file = join(scratch, name)
    // a process in another container is not visible, but its writes are
    if (where === processScope || isOld(file)) rmSync(file, { recursive: true, force: true })
  }
}

function isOld(file: string): boolean {
  const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  return Date.now() - touched > ABANDONED_MS
}

/** Returns whether a process is running on this machine, under any user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Returns an error about a file in the data folder that says what to do. */
export function dataFolderError(path: string, error: unknown): ServiceError {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (isDiskFull(error)) return folderIsFull(path, error)
  const why: Readonly<Record<string, string>> = {
    EACCES: 'no permission to write there',
    ENOENT: 'a folder cannot be created there',
    EPERM: 'no permission to write there',
    EROFS: 'the file system is read-only',
    ENOTDIR: 'part of the path is a file',
    EEXIST: 'a file with that name already exists',
  }
  return new ServiceError(
    'data_folder',
    `The data folder ${path} cannot be used: ${why[code] ?? `the system reported ${code || 'an unknown error'}`}.`,
    {
      suggestions: ['Choose another folder with --data-dir or SVC_DATA_DIR, or change its permissions.'],
      cause: error,
    },
  )
}

/** Returns the path of a SQLite store's master key (master-key.ts). */
export function keyPath(folder: DataFolder): string {
  return join(folder.path, 'master.key')
}

interface ServerMark {
  readonly url: string
  readonly pid: number
  /** Whether the server serves the console. */
  readonly hasConsole?: boolean
  /** Files that the server has open. Absent if the server is an older version. */
  readonly files?: FileIds
}

const MARK = 'serve.json'

/**
 * Records that a server is running on this folder, so that embedded commands can build links to it and see which files it has open. Throws
 * ServiceError `disk_full` or `data_folder`.
 */
export function markServer(folder: DataFolder, url: string, hasConsole: boolean): void {
  const path = join(folder.path, MARK)
  const mark: ServerMark = { url, pid: process.pid, hasConsole, files: fileIds(folder.database) }
  try {
    writeFileSync(path, JSON.stringify(mark), { mode: 0o600 })
  } catch (error) {
    rmSync(path, { force: true })
    throw dataFolderError(folder.path, error)
  }
}

/** Removes the mark if it still belongs to this process. */
export function unmarkServer(folder: DataFolder): void {
  if (readMark(folder)?.pid === process.pid) rmSync(join(folder.path, MARK), { force: true })
}

/** Returns the URL of the server that is running on this folder, or null. */
export function runningServer(folder: DataFolder): string | null {
  const mark = readMark(folder)
  if (!mark) return null
  return isRunning(mark.pid) ? mark.url : null
}

/** Returns the console URL of the server that is running on this folder, or null. */
export function runningConsole(folder: DataFolder): string | null {
  const mark = readMark(folder)
  return mark?.hasConsole && isRunning(mark.pid) ? `${mark.url}/console` : null
}

/** Returns the process ID and open files of another server that is running on this folder, or null if there is none. */
export function otherServer(folder: DataFolder): { readonly pid: number; readonly files: FileIds } | null {
  const mark = readMark(folder)
  if (!mark?.files || mark.pid === process.pid || !isRunning(mark.pid)) return null
  return { pid: mark.pid, files: mark.files }
}

function readMark(folder: DataFolder): ServerMark | undefined {
  try {
    const mark: unknown = JSON.parse(readFileSync(join(folder.path, MARK), 'utf8'))
    if (typeof mark !== 'object' || mark === null) return undefined
    const { url, pid, hasConsole, files } = mark as Partial<ServerMark>
    if (typeof url !== 'string' || typeof pid !== 'number') return undefined
    return { url, pid, hasConsole: hasConsole === true, ...(isFileIds(files) ? { files } : {}) }
  } catch {
    return undefined
  }
}
