/** Writes files whose content and name survive a power cut. A link or rename is on the disk only after its folder is synced. */
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Error codes from systems that cannot sync a folder, or cannot open a writable folder for reading. */
const CANNOT_SYNC: ReadonlySet<string | undefined> = new Set([
  'EACCES',
  'EBADF',
  'EINVAL',
  'EISDIR',
  'ENOTSUP',
  'EPERM',
])

/** Syncs a folder's names to the disk. Throws the system's error if the disk is broken. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder, but saves names without a sync
  if (process.platform === 'win32') return
  try {
    syncFile(folder, 'r')
  } catch (error) {
    if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code)) throw error
  }
}

/** Creates a folder that only its owner can access (mode 0700), and any missing parent folders. Throws the system's errors. */
export function makeFolder(path: string): void {
  // create one level at a time, because mkdir's own `recursive` never returns if an existing folder returns ENOENT, as in /proc
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // another process created the folder first
    if (!isFolder(path)) throw error
  }
  syncFolder(parent)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Syncs the content of a file that was already written to the disk. */
export function syncFile(path: string, flags: 'r' | 'r+' = 'r+'): void {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Renames a synced file, replacing any file with the new name. */
export function renameSynced(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(to))
}

/** Gives a synced file a second name. Throws EEXIST if the name is taken, and leaves the existing file unchanged. */
export function linkSynced(from: string, to: string): void {
  linkSync(from, to)
  syncFolder(dirname(to))
}

/** Writes a new private file (mode 0600) and syncs it to the disk. Leaves no file behind on failure. */
export function writePrivate(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    try {
      writeSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}
