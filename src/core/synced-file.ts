/** Files whose content and name survive a power cut: a link or rename is on the disk only once its folder is synced. */
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** What systems answer that cannot sync a folder, or may not read one that can be written. */
const CANNOT_SYNC: ReadonlySet<string | undefined> = new Set([
  'EACCES',
  'EBADF',
  'EINVAL',
  'EISDIR',
  'ENOTSUP',
  'EPERM',
])

/** Puts the names in a folder on the disk. Throws what the system says of a broken disk. */
export function syncFolder(folder: string): void {
  // Windows cannot open one, and keeps names by itself
  if (process.platform === 'win32') return
  try {
    syncFile(folder, 'r')
  } catch (error) {
    if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code)) throw error
  }
}

/** Makes a folder for its owner alone (mode 0700), and what is missing above it. Throws what the system says. */
export function makeFolder(path: string): void {
  // level by level: mkdir's own `recursive` never returns where a folder that is there answers ENOENT, as in /proc
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // another process was quicker
    if (!isFolder(path)) throw error
  }
  syncFolder(parent)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Puts the content of a file that others have written on the disk. */
export function syncFile(path: string, flags: 'r' | 'r+' = 'r+'): void {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Gives a file that is on the disk its name, in the place of whatever has it. */
export function renameSynced(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(to))
}

/** Gives a file that is on the disk another name. Throws EEXIST where there is a file of that name: it stays. */
export function linkSynced(from: string, to: string): void {
  linkSync(from, to)
  syncFolder(dirname(to))
}

/** Writes a new private file (mode 0600) to the disk. Nothing is left of it when that fails. */
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
