/** Checks whether a folder's disk has free space. */
import { randomFillSync } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { scratchFolder, scratchName } from './data-folder.ts'

/** Number of bytes in the test file. More than a small write needs. */
const PROBE_BYTES = 256 * 1024

/** Less free space than this is worth a warning, because importing one large export takes more. */
export const LITTLE_BYTES = 500e6

/** Returns the free space on a folder's disk in bytes, as the system reports it. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/**
 * Returns whether a few bytes can be written, and removes them again. The free space that the system reports may be reserved for another
 * user or exceed a quota.
 */
export function hasRoom(folder: string): boolean {
  const scratch = scratchFolder(folder)
  const path = join(existsSync(scratch) ? scratch : folder, scratchName('probe'))
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      // from now on, the file disappears with the process, however the process ends
      rmSync(path, { force: true })
      // a compressing file system would accept zeros even on a full disk
      writeFileSync(file, randomFillSync(Buffer.alloc(PROBE_BYTES)))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return true
  } catch (error) {
    return !isDiskFull(error)
  }
}
