/** Checks whether there is space on a folder's disk. */
import { randomFillSync } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { scratchFolder, scratchName } from './data-folder.ts'

/** Number of bytes for the test, which is more than a small write needs. */
const PROBE_BYTES = 256 * 1024

/**
 * Writes a few bytes and removes them again, because the free space that the system reports may be reserved for another user, or beyond a
 * quota.
 */
export function hasRoom(folder: string): boolean {
  const scratch = scratchFolder(folder)
  const path = join(existsSync(scratch) ? scratch : folder, scratchName('probe'))
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      // from now on, the file disappears with the process, however it ends
      rmSync(path, { force: true })
      // a compressing file system would accept zeros on a full disk
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
