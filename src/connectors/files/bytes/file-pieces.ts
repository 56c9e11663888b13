/** Reads a file, or its unpacked content, in pieces for an importer. */
import { type FileHandle, open } from 'node:fs/promises'
import { ServiceError } from '../../../core/errors.ts'
import { TimeSlice } from '../../../core/time-slice.ts'
import type { ImportFile } from '../importer.ts'

const READ_BYTES = 1_048_576
/** Size of a piece that is processed at once. */
const PIECE_BYTES = 32 * 1024

export interface Piece {
  /** Valid until the next piece is requested. */
  readonly bytes: Uint8Array
  /** Number of bytes of the file itself, packed or not, that have been read. */
  readonly bytesRead: number
}

/** Yields the bytes of a plain file. Throws ServiceError `invalid_file` if it cannot be read, and `cancelled` if the signal aborts. */
export async function* filePieces(file: ImportFile, signal: AbortSignal | undefined): AsyncGenerator<Piece> {
  const cutting = new PieceCutter(signal)
  if (file.bytes !== undefined) {
    yield* cutting.pieces(file.bytes, end => end)
    return
  }
  const handle = await open(file.path).catch(rethrowUnreadable)
  try {
    // the next piece is read while this one is processed
    let [buffer, spare] = [Buffer.allocUnsafe(READ_BYTES), Buffer.allocUnsafe(READ_BYTES)]
    let position = 0
    let reading = readPiece(handle, buffer, position)
    for (;;) {
      checkCancelled(signal)
      const bytesRead = await reading
      if (bytesRead === 0) return
      const bytes = buffer.subarray(0, bytesRead)
      reading = readPiece(handle, spare, position + bytesRead)
      yield* cutting.pieces(bytes, end => position + end)
      position += bytesRead
      ;[buffer, spare] = [spare, buffer]
    }
  } finally {
    await handle.close()
  }
}

/** Divides the bytes read into pieces that each take little time, and lets other work run between them. */
export class PieceCutter {
  private readonly slice = new TimeSlice()
  private readonly signal: AbortSignal | undefined

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal
  }

  /** `bytesRead` returns the number of file bytes read at an offset into these bytes. */
  async *pieces(bytes: Uint8Array, bytesRead: (end: number) => number): AsyncGenerator<Piece> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      if (this.slice.isOver) {
        await this.slice.rest()
        checkCancelled(this.signal)
      }
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      yield { bytes: piece, bytesRead: bytesRead(at + piece.length) }
    }
  }
}

function readPiece(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  const reading = handle.read(buffer, 0, buffer.length, position).then(({ bytesRead }) => bytesRead, rethrowUnreadable)
  // not awaited if the reader stops early
  reading.catch(() => {})
  return reading
}

/** Returns at most the first `sizeBytes` bytes of a file. */
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
  if (signal?.aborted) throw new ServiceError('cancelled', 'The import was cancelled. Nothing was stored.')
}

/** Converts the system's error about a file (missing, a folder, no permission) to an error that the user can act on, and throws it. */
function rethrowUnreadable(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  if (code === undefined) throw error
  const why = READ_PROBLEMS[code] ?? `the system reports ${code}`
  throw new ServiceError('invalid_file', `The file cannot be read: ${why}.`, { cause: error })
}

const READ_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
}
