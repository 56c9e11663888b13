/** Writes a user's export into a folder: all of its files, or none. */
import { createHash } from 'node:crypto'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { makeFolder, renameSynced, syncFolder } from '../../core/synced-file.ts'
import { isRunning } from '../../store/folder/data-folder.ts'
import { isObject, tryParseJson } from '../runtime/json-text.ts'

/** All files of an export. The manifest comes last, because it marks the export as complete. */
const FILES = ['data.ndjson', 'user.json', 'manifest.json'] as const
type ExportFile = (typeof FILES)[number]
/** Matches the name of a file that is being written, with the ID of the writing process. */
const PART = /^\.(?:data\.ndjson|user\.json|manifest\.json)\.(\d+)\.part$/
/** Limit for the first and the last line of an export, far above their actual length. */
const LINE_LIMIT_BYTES = 256 * 1024
const LINE_FEED = 0x0a

/** The written export: the body of `--json` and, together with file sizes and hashes, the manifest. */
export interface SavedExport {
  readonly folder: string
  readonly user_id: string
  readonly exported_at: string
  readonly samples: Readonly<Record<string, number>>
  readonly summaries: Readonly<Record<string, number>>
  readonly streams: number
  readonly bytes: number
}

/** Returns the absolute path of a folder that an export can be written to, without creating it. Throws ServiceError `usage`. */
export async function checkExportFolder(given: string, mayReplace: boolean): Promise<string> {
  if (given === '') throw new ServiceError('usage', '-o needs a folder name.')
  const folder = path.resolve(given)
  let names: string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return folder
    throw unusable(given, error)
  }
  if (mayReplace || names.every(name => PART.test(name))) return folder
  throw new ServiceError('usage', `The folder ${given} is not empty.`, {
    suggestions: ['Choose a new folder, or write to this one with --force.'],
  })
}

/**
 * Writes the export that the service sends. Throws ServiceError `bad_response` if the export is incomplete, `cancelled`, `disk_full` and
 * `usage`; the folder is then unchanged.
 */
export async function saveExport(
  folder: string,
  bytes: AsyncIterable<Uint8Array> | Uint8Array,
  signal: AbortSignal,
  onLines: (count: number) => void,
): Promise<SavedExport> {
  try {
    makeFolder(folder)
    await removeAbandoned(folder)
    const data = await writeData(folder, bytes, signal, onLines)
    const { head, end } = data
    const { svc_export: version, exported_at, ...user } = head
    const counts = { samples: end.samples, summaries: end.summaries, streams: end.streams }
    const about = await writeJson(folder, 'user.json', user)
    await writeJson(folder, 'manifest.json', {
      svc_export: version,
      exported_at,
      user_id: head.user_id,
      ...counts,
      files: { 'data.ndjson': data.file, 'user.json': about },
    })
    // New data next to an old manifest would look complete.
    await rm(path.join(folder, 'manifest.json'), { force: true })
    syncFolder(folder)
    for (const name of FILES) renameSynced(partPath(folder, name), path.join(folder, name))
    return { folder, user_id: head.user_id, exported_at, ...counts, bytes: data.file.bytes }
  } catch (error) {
    for (const name of FILES) await rm(partPath(folder, name), { force: true }).catch(() => {})
    if (signal.aborted) throw new ServiceError('cancelled', 'Cancelled. Nothing was exported.', { cause: error })
    throw error instanceof ServiceError ? error : unusable(folder, error)
  }
}

interface WrittenFile {
  readonly bytes: number
  readonly sha256: string
}
interface Head {
  readonly svc_export: number
  readonly exported_at: string
  readonly user_id: string
}
type End = Pick<SavedExport, 'samples' | 'summaries' | 'streams'>

async function writeData(
  folder: string,
  bytes: AsyncIterable<Uint8Array> | Uint8Array,
  signal: AbortSignal,
  onLines: (count: number) => void,
): Promise<{ readonly file: WrittenFile; readonly head: Head; readonly end: End }> {
  const hash = createHash('sha256')
  let [sizeBytes, lines] = [0, 0]
  let [start, tail] = [Buffer.alloc(0), Buffer.alloc(0)]
  await writing(folder, 'data.ndjson', async handle => {
    for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
      if (signal.aborted) throw new ServiceError('cancelled', 'Cancelled.')
      await handle.writeFile(piece)
      hash.update(piece)
      sizeBytes += piece.length
      for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, at + 1)) lines++
      if (start.length < LINE_LIMIT_BYTES) start = Buffer.concat([start, piece.subarray(0, LINE_LIMIT_BYTES)])
      tail = Buffer.concat([tail, piece.subarray(-LINE_LIMIT_BYTES)]).subarray(-LINE_LIMIT_BYTES)
      onLines(lines)
    }
  })
  // the service writes these two lines, and data lines do not have these fields
  const head = parseLine(start.subarray(0, start.indexOf(LINE_FEED)), 'svc_export') as Head | undefined
  const end = parseLine(tail.subarray(tail.lastIndexOf(LINE_FEED, -2) + 1), 'svc_export_end') as End | undefined
  if (head === undefined || end === undefined || tail.at(-1) !== LINE_FEED) {
    throw new ServiceError('bad_response', 'The received export is incomplete or malformed.', {
      suggestions: ['Try again.'],
    })
  }
  return { file: { bytes: sizeBytes, sha256: hash.digest('hex') }, head, end }
}

async function writeJson(folder: string, name: ExportFile, value: unknown): Promise<WrittenFile> {
  const text = Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
  await writing(folder, name, handle => handle.writeFile(text))
  return { bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') }
}

/** Writes a private file under a temporary name, and returns when it is on disk. */
async function writing(folder: string, name: ExportFile, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(partPath(folder, name), 'wx', 0o600)
  try {
    await write(handle)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function partPath(folder: string, name: ExportFile): string {
  return path.join(folder, `.${name}.${process.pid}.part`)
}

/** Removes the files of a killed export, so that it leaves no health data behind. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(PART.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) continue
    await rm(path.join(folder, name), { force: true })
  }
}

function parseLine(line: Buffer, field: string): unknown {
  const value = tryParseJson(line.toString('utf8'))
  return isObject(value) && field in value ? value : undefined
}

function unusable(folder: string, error: unknown): ServiceError {
  const code = errorCode(error)
  if (isDiskFull(error)) {
    return new ServiceError('disk_full', `The disk that holds ${folder} is full. Nothing was exported.`, {
      cause: error,
    })
  }
  const why: Readonly<Record<string, string>> = {
    ENOENT: 'the folder cannot be created there',
    ENOTDIR: 'it is a file or is inside a file',
    EEXIST: 'a file with this name exists',
    EACCES: 'no permission to write there',
    EPERM: 'no permission to write there',
    EROFS: 'the file system is read-only',
  }
  if (code === '') throw error
  return new ServiceError(
    'usage',
    `The folder ${folder} cannot be written to: ${why[code] ?? `the system reported ${code}`}.`,
    {
      cause: error,
    },
  )
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
