/** Provides an import's bytes as a regular file: first writes a stream to a private file, and unpacks gzip. */
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileHead } from '../../connectors/files/bytes/file-pieces.ts'
import type { Importer, ImportFile } from '../../connectors/files/importer.ts'
import type { ByteSource } from '../../contract/kernel/operation.ts'
import { isDiskFull } from '../../core/disk-full.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import { dataFolderError, scratchName } from '../../store/folder/data-folder.ts'
import type { CallContext, EngineContext } from '../context.ts'

/** A file that an importer can read. */
export interface ReadableImport {
  readonly file: ImportFile
  readonly importer: Importer
  /** Why only the beginning could be unpacked, or null if everything was unpacked. */
  readonly damage: ServiceError | null
  /** Returns the path for another private file, which is removed after the import. */
  readonly scratchFile: () => string
  /** The file as it was received, before it was unpacked. */
  readonly received: ImportFile
}

export interface FileOptions {
  /** The requested format. If undefined, it is detected from the content. */
  readonly format: string | undefined
  /** Whether a table is read with a mapping, regardless of its content. */
  readonly isMapped: boolean
  readonly keepPartial: boolean
}

/**
 * Calls `use` with the source's file, and always removes the files that were created for it. Throws ServiceError `cancelled`, `disk_full`,
 * or `invalid_file` for a file of unknown format or a damaged or hostile gzip file.
 */
export async function withImportFile<T>(
  engine: EngineContext,
  call: CallContext,
  source: ByteSource,
  fileOptions: FileOptions,
  use: (readable: ReadableImport) => Promise<T>,
): Promise<T> {
  const made: string[] = []
  const scratch = (): string => {
    const path = join(engine.scratchDir, scratchName('upload'))
    made.push(path)
    return path
  }
  try {
    const path = source.kind === 'file' ? source.path : await received(source.stream, scratch(), call)
    const file = { path, sizeBytes: (await stat(path)).size }
    return await use({ ...(await unpacked(path, scratch, fileOptions, call)), scratchFile: scratch, received: file })
  } catch (error) {
    if (call.signal?.aborted) throw cancelled(error)
    if (isDiskFull(error)) throw dataFolderError(engine.scratchDir, error)
    throw error
  } finally {
    for (const path of made) await rm(path, { force: true })
  }
}

export function cancelled(cause?: unknown): ServiceError {
  return new ServiceError('cancelled', 'Cancelled; nothing from the file was stored.', { cause })
}

/** Writes a stream to a private file, because zip files are read from the end. */
async function received(stream: AsyncIterable<Uint8Array>, path: string, call: CallContext): Promise<string> {
  const target = createWriteStream(path, { mode: 0o600, flags: 'wx' })
  const bytes = Readable.from(counted(stream, call), { objectMode: true, highWaterMark: 4 })
  await pipeline(bytes, target, call.signal ? { signal: call.signal } : {})
  return path
}

async function* counted(stream: AsyncIterable<Uint8Array>, call: CallContext): AsyncIterable<Uint8Array> {
  let doneBytes = 0
  for await (const chunk of stream) {
    yield chunk
    doneBytes += chunk.length
    call.onProgress?.({ phase: 'receiving', doneBytes, totalBytes: 0, records: 0 })
  }
}

async function unpacked(
  path: string,
  scratch: () => string,
  fileOptions: FileOptions,
  call: CallContext,
): Promise<RecognizedFile> {
  const { HEAD_BYTES, importerFor } = await import('../../connectors/files/formats.ts')
  const head = await fileHead(path, HEAD_BYTES)
  const { gunzipBeginning, gunzipFile, gunzipHead, isGzip } = await import('../../connectors/files/bytes/gunzip.ts')
  if (!isGzip(head)) return recognized(path, head, fileOptions, call, null)
  const inner = gunzipHead(head)
  // a file of unknown format is not unpacked; if even its beginning cannot be unpacked, reading the whole file reports why
  if (inner.length > 0 && !isGzip(inner)) importerFor(inner, formatOf(inner, fileOptions))
  const target = scratch()
  const totalBytes = (await stat(path)).size
  call.onProgress?.({ phase: 'unpacking', doneBytes: 0, totalBytes, records: 0 })
  let damage: ServiceError | null = null
  try {
    await gunzipFile(path, target, call.signal)
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'invalid_file' && fileOptions.keepPartial)) throw error
    damage = error
    await gunzipBeginning(path, target, call.signal)
  }
  const start = await fileHead(target, HEAD_BYTES)
  if (damage && start.length === 0) throw damage
  return recognized(target, start, fileOptions, call, damage)
}

type RecognizedFile = Omit<ReadableImport, 'scratchFile' | 'received'>

async function recognized(
  path: string,
  head: Uint8Array,
  fileOptions: FileOptions,
  { signal }: CallContext,
  damage: ServiceError | null,
): Promise<RecognizedFile> {
  const { importerOfFile } = await import('../../connectors/files/formats.ts')
  const importer = await importerOfFile(path, head, formatOf(head, fileOptions), signal)
  if (importer.isWhole && fileOptions.keepPartial) throw notPartial(importer)
  return { file: { path, sizeBytes: (await stat(path)).size }, importer, damage }
}

function notPartial({ format }: Importer): ServiceError {
  const msg = `a damaged ${format} file cannot be imported in part, because its records are not in the order of the file`
  return invalid([{ loc: ['query', 'keep_partial'], msg, type: 'value_error' }])
}

/** Returns the format that the file must have; undefined if its content determines it. */
function formatOf(head: Uint8Array, { format, isMapped }: FileOptions): string | undefined {
  return format ?? (isMapped ? tableFormat(head) : undefined)
}

/** Returns a table's mapped format. JSON begins with a brace or bracket. */
function tableFormat(head: Uint8Array): string {
  const first = /[^\s\u00ef\u00bb\u00bf]/.exec(Buffer.from(head.subarray(0, 256)).toString('latin1'))?.[0]
  return first === '{' || first === '[' ? 'ndjson' : 'csv'
}
