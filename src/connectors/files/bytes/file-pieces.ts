/** A file, or what is packed in it, as pieces of bytes for an importer. */
import { type FileHandle, open } from 'node:fs/promises'
import { ServiceError } from '../../../core/errors.ts'
import type { ImportFile } from '../importer.ts'

const PIECE_BYTES = 1_048_576

export interface Piece {
  /** Valid until the next piece is asked for. */
  readonly bytes: Uint8Array
  /** How far into the file itself, packed or not, reading has come. */
  readonly bytesRead: number
}

/** The bytes of a plain file. Throws ServiceError `invalid_file` when it cannot be read, `cancelled` when the signal says so. */
export async function* filePieces(file: ImportFile, signal: AbortSignal | undefined): AsyncGenerator<Piece> {
  const handle = await open(file.path).catch(rethrowUnreadable)
  try {
    // the next piece is read while this one is worked on
    let [buffer, spare] = [Buffer.allocUnsafe(PIECE_BYTES), Buffer.allocUnsafe(PIECE_BYTES)]
    let position = 0
    let reading = readPiece(handle, buffer, position)
    for (;;) {
      checkCancelled(signal)
      const bytesRead = await reading
      if (bytesRead === 0) return
      position += bytesRead
      const bytes = buffer.subarray(0, bytesRead)
      reading = readPiece(handle, spare, position)
      yield { bytes, bytesRead: position }
      ;[buffer, spare] = [spare, buffer]
    }
  } finally {
    await handle.close()
  }
}

function readPiece(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  const reading = handle.read(buffer, 0, buffer.length, position).then(({ bytesRead }) => bytesRead, rethrowUnreadable)
  // nobody waits for it when the reader stops early
  reading.catch(() => {})
  return reading
}

/** The first bytes of a file, at most `sizeBytes`. */
export async function fileHead(path: string, sizeBytes: number): Promise<Uint8Array> {
  const handle = await open(path).catch(rethrowUnreadable)
  try {
    const buffer = Buffer.alloc(sizeBytes)
    const { bytesRead } = await handle.read(buffer, 0, sizeBytes, 0).catch(rethrowUnreadable)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

export function checkCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new ServiceError('cancelled', 'The import was cancelled; nothing of it was kept.')
}

/** What the system says about a file (it is gone, a folder, not ours to read) as an error the user can act on. */
function rethrowUnreadable(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  if (code === undefined) throw error
  const why = READ_PROBLEMS[code] ?? `the system says ${code}`
  throw new ServiceError('invalid_file', `The file cannot be read: ${why}.`, { cause: error })
}

const READ_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
}
