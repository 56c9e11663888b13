/** Keeps the content of imported files, sealed and in parts, if the team is configured for it, and reads it again. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import type { ImportedFile, KeptImportFile } from '../../store/data-write.ts'
import type { EngineContext, TeamCall } from '../context.ts'
import { NONCE_BYTES, Sealing } from '../sealing.ts'
import { cancelled } from './import-file.ts'

const PART_BYTES = 1024 * 1024
/** Size above which the content of a file is not kept: 4 GiB. */
const MOST_BYTES = 4 * 1024 ** 3
/** Number of files that the removal of old ones looks at together. */
const FILES_AT_ONCE = 500

const sealing = new Sealing('imported files')

/** Why the content of a file was not kept, for the report. Null if it was, or if the team keeps no files. */
export type NotKept = 'larger than 4 GiB' | 'data of several users' | null

export interface FileFacts extends ImportedFile {
  readonly isKept: boolean
  readonly notKept: NotKept
}

/** Returns a file's facts without keeping its content. Throws ServiceError `cancelled`. */
export async function describeFile(path: string, call: TeamCall, notKept: NotKept = null): Promise<FileFacts> {
  const digest = createHash('sha256')
  let bytes = 0
  for await (const chunk of contentOf(path, call)) {
    digest.update(chunk)
    bytes += chunk.length
  }
  return { sha256: digest.digest('hex'), bytes, isKept: false, notKept }
}

/**
 * Stores a file's content if the team keeps it, before its import is stored. After an error, nothing is left of it. Throws ServiceError
 * `cancelled` and any store error.
 */
export async function keepFile(
  engine: EngineContext,
  call: TeamCall,
  {
    userId,
    importId,
    path,
    sizeBytes,
  }: { readonly userId: UserId; readonly importId: string; readonly path: string; readonly sizeBytes: number },
): Promise<FileFacts> {
  if (call.team.keepImportDays === null) return describeFile(path, call)
  if (sizeBytes > MOST_BYTES) return describeFile(path, call, 'larger than 4 GiB')
  const digest = createHash('sha256')
  const at = engine.wall.now()
  let [bytes, part] = [0, 0]
  try {
    for await (const chunk of contentOf(path, call)) {
      digest.update(chunk)
      bytes += chunk.length
      const sealed = sealing.seal(engine, boundTo(userId, importId, part), chunk, engine.random.bytes(NONCE_BYTES))
      await engine.store.imports.addFilePart(userId, { importId, part, at, sealed })
      part++
    }
  } catch (error) {
    await forgetFile(engine, userId, importId)
    throw error
  }
  return { sha256: digest.digest('hex'), bytes, isKept: part > 0, notKept: null }
}

/** Removes the content of a file whose import was not stored. What cannot be removed now is removed with the old files. */
export async function forgetFile(engine: EngineContext, userId: UserId, importId: string): Promise<void> {
  await engine.store.imports.removeFile(userId, importId).catch(() => {})
}

/**
 * Yields the content of a kept file. Throws ServiceError `data_damaged` if it is not the content that was imported, and `not_found` if it is
 * no longer kept.
 */
export async function* keptContent(
  engine: EngineContext,
  { userId, importId, file }: { readonly userId: UserId; readonly importId: string; readonly file: ImportedFile },
): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256')
  for (let [part, bytes] = [0, 0]; bytes < file.bytes; part++) {
    const sealed = await engine.store.imports.filePart(userId, importId, part)
    if (sealed === null) throw noLongerKept()
    const chunk = opened(engine, boundTo(userId, importId, part), sealed)
    digest.update(chunk)
    bytes += chunk.length
    yield chunk
  }
  if (digest.digest('hex') !== file.sha256) throw damagedContent()
}

/** Removes the files that are no longer kept. Returns their number. */
export async function removeOldFiles(engine: EngineContext, signal?: AbortSignal): Promise<number> {
  const { imports } = engine.store
  let removed = 0
  for (let last: KeptImportFile | null = null; ; ) {
    signal?.throwIfAborted()
    const files: KeptImportFile[] = await imports.files(last, FILES_AT_ONCE)
    for (const file of files) if (await imports.removeOldFile(file.userId, file, engine.wall.now())) removed++
    last = files.at(-1) ?? null
    if (last === null) return removed
  }
}

async function* contentOf(path: string, { signal }: TeamCall): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path, { highWaterMark: PART_BYTES })) {
    if (signal?.aborted) throw cancelled()
    yield chunk as Uint8Array // a stream without an encoding yields bytes
  }
}

function opened(engine: EngineContext, bound: string, sealed: Uint8Array): Uint8Array {
  try {
    return sealing.open(engine, bound, sealed)
  } catch (cause) {
    throw damagedContent(cause)
  }
}

function noLongerKept(): ServiceError {
  return new ServiceError('not_found', 'The content of the import is no longer kept.', {
    suggestions: ['Import the file again.'],
  })
}

function damagedContent(cause?: unknown): ServiceError {
  return new ServiceError(
    'data_damaged',
    'The kept content of the import is damaged, or was sealed with another master key.',
    {
      suggestions: ['Import the file again.'],
      cause,
    },
  )
}

function boundTo(userId: UserId, importId: string, part: number): string {
  return `${userId}\0${importId}\0${part}`
}
