/** A snapshot on its way into a file: private, whole or not there, and never over another file unasked. */
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { linkSynced, renameSynced } from '../../core/synced-file.ts'

export interface SavedSnapshot {
  readonly file: string
  readonly bytes: number
}

/** What a database file begins with; its size stands behind it, in pages. */
const MAGIC = 'SQLite format 3\u0000'
const HEAD_BYTES = 32

/** What must never be replaced under a data folder that is at work. */
const LIVE_FILES = ['svc.db', 'svc.db-wal', 'svc.db-shm', 'master.key']

/** Throws ServiceError `conflict` when there is a file that may not be replaced, `usage` for what cannot be one. */
export async function checkSnapshotFile(file: string, mayReplace: boolean, dataDir: string): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (!found) return
  if (found.isDirectory()) throw new ServiceError('usage', `${file} is a folder; FILE is the name of a file.`)
  // a rename would put a file in the place of the device
  if (!found.isFile()) {
    throw new ServiceError('usage', `${file} is not a file that could be replaced.`, {
      suggestions: ['To send a snapshot on, name - as the file: svc engine snapshot export - | …'],
    })
  }
  if (!mayReplace) throw taken(file)
  const live = await Promise.all(LIVE_FILES.map(name => stat(path.join(dataDir, name)).catch(() => undefined)))
  const isLive = live.some(each => each?.ino === found.ino && each.dev === found.dev)
  if (!isLive && !(await stat(`${file}-wal`).catch(() => undefined))) return
  throw new ServiceError(
    'conflict',
    `${file} belongs to a data folder in use: replacing it would damage what is there.`,
    {
      suggestions: ['Name another file.'],
    },
  )
}

/** Throws what the pieces throw, `bad_response` when they are no whole snapshot, `conflict`, `usage` or `disk_full`. */
export async function saveSnapshot(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
  options: { readonly mayReplace: boolean; readonly onBytes: (bytes: number) => void },
): Promise<SavedSnapshot> {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`)
  // what could not be made is not to be removed: in a folder that may not be entered that would fail again
  const handle = await attempt(file, () => open(draft, 'wx', 0o600))
  try {
    let bytes: number
    try {
      bytes = await write(handle, file, pieces, options.onBytes)
      await attempt(file, () => handle.sync())
    } finally {
      await handle.close()
    }
    // unlike a rename, a link does not take the place of a file that came meanwhile
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
  if (sizeSaid(head) === bytes) return bytes
  throw new ServiceError('bad_response', 'The snapshot that was sent is not whole; nothing was kept.', {
    suggestions: ['Try again.'],
  })
}

/** The size of a database file as its first bytes say it. */
function sizeSaid(head: Buffer): number | undefined {
  if (head.length < HEAD_BYTES || head.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined
  const page = head.readUInt16BE(16)
  return head.readUInt32BE(28) * (page === 1 ? 65_536 : page)
}

async function attempt<T>(file: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (isDiskFull(cause)) throw new ServiceError('disk_full', `The disk is full: ${file} was not written.`, { cause })
    if (code === 'EEXIST') throw taken(file)
    throw new ServiceError('usage', `The file ${file} cannot be written (${code ?? 'unknown'}).`, {
      suggestions: ['Check that its folder exists and can be written to.'],
      cause,
    })
  }
}

function taken(file: string): ServiceError {
  return new ServiceError('conflict', `There is a file ${file} already.`, {
    suggestions: ['Name another one, or replace it with --force.'],
  })
}
