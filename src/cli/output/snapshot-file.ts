/** Writes a snapshot to a private file, completely or not at all, and never overwrites another file without --force. */
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { linkSynced, renameSynced } from '../../core/synced-file.ts'
import { HEAD_BYTES, isInUse, sizeInHead } from '../../store/folder/database-file.ts'

export interface SavedSnapshot {
  readonly file: string
  readonly bytes: number
}

/** Throws ServiceError `conflict` for a file that may not be replaced, and `usage` for a path that cannot be a file. */
export async function checkSnapshotFile(file: string, mayReplace: boolean, dataDir: string): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (!found) return
  if (found.isDirectory()) throw new ServiceError('usage', `${file} is a folder. FILE must be a file name.`)
  // A rename would replace the device with a file.
  if (!found.isFile()) {
    throw new ServiceError('usage', `${file} is not a regular file and cannot be replaced.`, {
      suggestions: ['To pipe a snapshot, use - as the file: svc engine snapshot export - | …'],
    })
  }
  if (!mayReplace) throw taken(file)
  if (!(await isInUse(file, dataDir))) return
  throw new ServiceError('conflict', `${file} belongs to a data folder in use. Replacing it would damage the data.`, {
    suggestions: ['Choose another file.'],
  })
}

/**
 * Saves a snapshot. Throws any error of the pieces, and ServiceError `bad_response` if they are not a complete snapshot, `conflict`,
 * `usage` or `disk_full`.
 */
export async function saveSnapshot(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  options: { readonly mayReplace: boolean; readonly onBytes: (bytes: number) => void },
): Promise<SavedSnapshot> {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`)
  // Outside the try block: if the file cannot be opened, there is nothing to remove, and trying could fail again.
  const handle = await attempt(file, () => open(draft, 'wx', 0o600))
  try {
    let bytes: number
    try {
      bytes = await write(handle, file, pieces, options.onBytes)
      await attempt(file, () => handle.sync())
    } finally {
      await handle.close()
    }
    // Unlike a rename, a link does not replace a file that was created in the meantime.
    const publish = options.mayReplace ? renameSynced : linkSynced
    await attempt(file, async () => publish(draft, file))
    return { file: path.resolve(file), bytes }
  } finally {
    await rm(draft, { force: true })
  }
}

async function write(
  handle: FileHandle,
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): Promise<number> {
  let head = Buffer.alloc(0)
  let bytes = 0
  for await (const piece of pieces) {
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, piece.subarray(0, HEAD_BYTES)])
    await attempt(file, () => handle.writeFile(piece))
    bytes += piece.length
    onBytes(bytes)
  }
  if (sizeInHead(head) === bytes) return bytes
  throw new ServiceError('bad_response', 'The received snapshot is incomplete. Nothing was kept.', {
    suggestions: ['Try again.'],
  })
}

async function attempt<T>(file: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (isDiskFull(cause)) throw new ServiceError('disk_full', `The disk is full. ${file} was not written.`, { cause })
    if (code === 'EEXIST') throw taken(file)
    throw new ServiceError('usage', `The file ${file} cannot be written (${code ?? 'unknown'}).`, {
      suggestions: ['Check that its folder exists and can be written to.'],
      cause,
    })
  }
}

function taken(file: string): ServiceError {
  return new ServiceError('conflict', `The file ${file} already exists.`, {
    suggestions: ['Choose another file, or overwrite this one with --force.'],
  })
}
