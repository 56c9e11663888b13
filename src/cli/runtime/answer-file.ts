/** Writes an answer that arrives in pieces to stdout, or to a file that is written completely or not at all. */
import { once } from 'node:events'
import type { Stats } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { renameSynced } from '../../core/synced-file.ts'

/** Mode of a new file. */
const PRIVATE = 0o600

/** Text, or bytes. */
export type Pieces = AsyncIterable<string | Uint8Array> | Iterable<string>

/** The file that was written, as --json prints it. */
export interface SavedFile {
  readonly file: string
  readonly bytes: number
}

/**
 * Throws ServiceError `usage` when stdout is a terminal, because the bytes of `format` would garble it; `file` is how the command names a
 * file.
 */
export function checkRedirected(format: string, file = '-o FILE'): void {
  if (!process.stdout.isTTY) return
  throw new ServiceError('usage', `${format} is binary and cannot be written to a terminal.`, {
    suggestions: [`Name a file with ${file}, or redirect the output: … > FILE`],
  })
}

/**
 * Throws ServiceError `usage` when the file extension stands for another format than the requested one. `formats` maps extensions to
 * formats; other extensions are allowed with any format.
 */
export function checkEnding(file: string, asked: string, formats: Readonly<Record<string, string>>): void {
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
  const meant = formats[ending]
  if (meant === undefined || meant === asked) return
  throw new ServiceError('usage', `--output ${asked} contradicts the extension .${ending} of the file.`, {
    suggestions: [
      'Leave out --output to use the format of the extension.',
      `Name a file with another extension to write ${asked}.`,
    ],
  })
}

/** Writes no faster than the reader reads: at most one piece waits in memory. A reader that goes away ends the process (main.ts). */
export async function writeStdout(pieces: Pieces): Promise<void> {
  for await (const piece of pieces) {
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
    // Give the event loop a turn, so that a closed pipe or Ctrl-C is noticed before the end.
    await new Promise(resolve => setImmediate(resolve))
  }
}

/**
 * Writes a file that is on disk, under its final name, when this returns. A new file is private, because answers hold health data; a
 * replaced file keeps its mode. Throws what the pieces throw, and ServiceError `usage` or `disk_full`; then the old file, if any, is
 * unchanged.
 */
export async function saveFile(file: string, pieces: Pieces): Promise<SavedFile> {
  const found = await checkTarget(file)
  const isNew = !found || found.isFile()
  const target = isNew ? path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`) : file
  let bytes = 0
  // Outside the try block: if the file cannot be opened, there is nothing to remove, and trying could fail again.
  const handle = await attempt(file, () => open(target, 'w', PRIVATE))
  try {
    try {
      // A file that its owner opened to others stays open.
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
    if (isNew) await attempt(file, async () => renameSynced(target, file))
  } catch (error) {
    if (isNew) await rm(target, { force: true })
    throw error
  }
  return { file, bytes }
}

/** Returns the existing target. A pipe or a device is written to directly; a file is replaced once the new one is complete. */
async function checkTarget(file: string): Promise<Stats | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory()) throw new ServiceError('usage', `${file} is a folder. -o needs the name of a file.`)
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
