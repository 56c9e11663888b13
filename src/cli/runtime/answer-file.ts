/** Where an answer that comes in pieces goes: stdout, or a file that is written whole or not at all. */
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
export type Pieces = AsyncIterable<string | Uint8Array>

/** What was written, as --json prints it. */
export interface SavedFile {
  readonly file: string
  readonly bytes: number
}

/** Throws ServiceError `usage` when stdout is a terminal, on which the bytes of `format` would wreak havoc; `file` is how a file is named. */
export function checkRedirected(format: string, file = '-o FILE'): void {
  if (!process.stdout.isTTY) return
  throw new ServiceError('usage', `${format} is binary and does not go to a terminal.`, {
    suggestions: [`Name a file with ${file}, or send it on: … > FILE`],
  })
}

/**
 * Throws ServiceError `usage` when the ending of a file stands for another format than the one asked for: a file that lies about
 * itself helps nobody. `formats` is by ending; other endings take any format.
 */
export function checkEnding(file: string, asked: string, formats: Readonly<Record<string, string>>): void {
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
  const meant = formats[ending]
  if (meant === undefined || meant === asked) return
  throw new ServiceError('usage', `--output ${asked} and a file that ends with .${ending} contradict each other.`, {
    suggestions: [
      'Leave out --output: the ending says what the file is.',
      `Name a file with another ending for ${asked}.`,
    ],
  })
}

/** Writes as fast as it is read: no more than a piece waits in memory. A reader that goes away ends the process (main.ts). */
export async function writeStdout(pieces: Pieces): Promise<void> {
  for await (const piece of pieces) {
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
    // without a turn of the event loop neither a closed pipe nor Ctrl-C would be noticed before the end
    await new Promise(resolve => setImmediate(resolve))
  }
}

/**
 * Writes a file that is on the disk, under its name, when this returns. A new one is private, because answers hold health data; one
 * that is replaced keeps its mode. Throws what the pieces throw, and ServiceError `usage` or `disk_full`; then there is no file, or
 * the one of before.
 */
export async function saveFile(file: string, pieces: Pieces): Promise<SavedFile> {
  const found = await checkTarget(file)
  const isNew = !found || found.isFile()
  const target = isNew ? path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`) : file
  let bytes = 0
  // what could not be made is not to be removed: in a folder that may not be entered that would fail again
  const handle = await attempt(file, () => open(target, 'w', PRIVATE))
  try {
    try {
      // who has opened a file of theirs to others keeps it so
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

/** What is there. A pipe or a device is written to as it is; a file is replaced once it is complete. */
async function checkTarget(file: string): Promise<Stats | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory()) throw new ServiceError('usage', `${file} is a folder; -o takes the name of a file.`)
  return found
}

async function attempt<T>(file: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    if (isDiskFull(cause)) throw new ServiceError('disk_full', `The disk is full: ${file} was not written.`, { cause })
    throw new ServiceError('usage', `The file ${file} cannot be written.`, {
      suggestions: ['Check that its folder exists and can be written to.'],
      cause,
    })
  }
}
