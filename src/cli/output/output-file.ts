/** Writes a response that arrives in pieces to stdout, or to a file that is written completely or not at all. */
import { once } from 'node:events'
import type { Stats } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { renameSynced } from '../../core/synced-file.ts'
import { formatCount } from '../../core/text.ts'
import { type Facts, factSheet, type View } from '../../output/view.ts'

/** The name of stdout. It is never opened, because that would overwrite what stdout contains, and would fail if stdout is a socket. */
const STDOUT = '/dev/stdout'
/** Mode of a new file. */
const PRIVATE = 0o600

/** Text or bytes, in pieces. */
export type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string>

/** The file that was written, as --json prints it. */
export interface SavedFile {
  readonly file: string
  /** Number of rows; missing if the file does not consist of rows. */
  readonly rows?: number
  readonly bytes: number
}

/** Options for writing a file. */
export interface SaveOptions {
  /** Whether to replace an existing file. */
  readonly mayReplace: boolean
  /** Returns the number of rows in the file; called when all pieces are written. Undefined if the file does not consist of rows. */
  readonly countRows?: () => number | undefined
}

/**
 * Throws ServiceError `usage` when stdout is a terminal, because the bytes of `format` would garble it; `file` is the command's name for a
 * file.
 */
export function checkRedirected(format: string, file = '-o FILE'): void {
  if (!process.stdout.isTTY) return
  throw new ServiceError('usage', `${format} is binary and cannot be written to a terminal.`, {
    suggestions: [`Write to a file with ${file}, or redirect the output: … > FILE`],
  })
}

/**
 * Writes no faster than the reader reads, so at most one piece waits in memory. Returns the number of bytes. If the reader closes the pipe,
 * the process ends (main.ts).
 */
export async function writeStdout(pieces: Pieces): Promise<number> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
    // Wait one tick of the event loop, so that a closed pipe or Ctrl-C is noticed before the end.
    await new Promise(resolve => setImmediate(resolve))
  }
  return bytes
}

/**
 * Throws ServiceError `usage` for a folder, and for an existing file that may not be replaced. Pipes and devices, such as /dev/stdout, can
 * always be written to. Commands call this before they read any data.
 */
export async function checkOutFile(file: string, mayReplace: boolean): Promise<void> {
  if (file === STDOUT) return
  const found = await checkTarget(file)
  if (!found?.isFile() || mayReplace) return
  throw new ServiceError('usage', `The file ${file} already exists.`, {
    suggestions: ['Choose another file, or overwrite this one with --force.'],
  })
}

/**
 * Writes a file completely, and returns when it is on disk under its final name. A new file is private, because responses contain health
 * data; a replaced file keeps its mode. Throws any error of the pieces, and ServiceError `usage` or `disk_full`; an existing file is then
 * unchanged.
 */
export async function saveFile(
  file: string,
  pieces: Pieces,
  { mayReplace, countRows }: SaveOptions = { mayReplace: true },
): Promise<SavedFile> {
  if (file === STDOUT) return saved(file, await writeStdout(pieces), countRows)
  const found = await checkTarget(file)
  const isNew = !found || found.isFile()
  const target = isNew ? path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`) : file
  let bytes = 0
  // Outside the try block: if the file cannot be opened, there is nothing to remove, and trying could fail again.
  const handle = await attempt(file, () => open(target, 'w', PRIVATE))
  try {
    try {
      // A file that its owner made readable for others stays readable.
      if (isNew) await attempt(file, () => handle.chmod(found ? found.mode & 0o777 : PRIVATE))
      for await (const piece of pieces) {
        const data = typeof piece === 'string' ? Buffer.from(piece) : piece
        await attempt(file, () => handle.writeFile(data))
        bytes += data.length
      }
      if (isNew) await attempt(file, () => handle.sync())
    } finally {
      await handle.close()
    }
    // Do not replace a file that was created in the meantime either.
    await checkOutFile(file, mayReplace)
    if (isNew) await attempt(file, async () => renameSynced(target, file))
  } catch (error) {
    if (isNew) await rm(target, { force: true })
    throw error
  }
  return saved(file, bytes, countRows)
}

function saved(file: string, bytes: number, countRows?: () => number | undefined): SavedFile {
  const rows = countRows?.()
  return rows === undefined ? { file, bytes } : { file, rows, bytes }
}

/** Returns the view of a written file, with exact numbers in csv and grouped digits on a terminal. */
export function savedView(saved: SavedFile): View<Facts> {
  const facts = { ...saved }
  const rows = Object.entries(facts).map(([name, value]) => [
    name,
    typeof value === 'number' ? formatCount(value) : value,
  ])
  return { ...factSheet(facts), sheet: { head: ['field', 'value'], rows } }
}

/** Returns the existing target. A pipe or a device is written to directly. A file is replaced when the new file is complete. */
async function checkTarget(file: string): Promise<Stats | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory()) throw new ServiceError('usage', `${file} is a folder. -o needs a file name.`)
  return found
}

async function attempt<T>(file: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    if (isDiskFull(cause)) throw new ServiceError('disk_full', `The disk is full. ${file} was not written.`, { cause })
    throw new ServiceError('usage', `The file ${file} cannot be written.`, {
      suggestions: ['Check that its folder exists and can be written to.'],
      cause,
    })
  }
}
