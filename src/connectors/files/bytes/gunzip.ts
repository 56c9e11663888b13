/** Unpacking gzipped files: any format may come as `.gz`. The file is hostile until shown otherwise. */
import { createReadStream } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, type Gunzip, gunzipSync } from 'node:zlib'
import { ServiceError } from '../../../core/errors.ts'
import { checkCancelled } from './file-pieces.ts'

const MIB = 1_048_576
/** What a gzipped file may unpack to. */
const MAX_BYTES = 8 * 1024 * MIB
/** Beyond `FREE_BYTES` unpacked, it may be this many times the packed size, as in a zip. */
const MAX_RATIO = 200
const FREE_BYTES = 64 * MIB
const HEAD_BYTES = 4096
/** A head of 4 KiB cannot unpack to more than some 4 MiB. */
const MAX_HEAD_BYTES = 8 * MIB
const PIECE_BYTES = 256 * 1024

/** Whether the first bytes are those of a gzip file. */
export function isGzip(head: Uint8Array): boolean {
  return head.length >= 3 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 8
}

/** The first bytes (up to 4 KiB) of what is packed in a file with this head; none when it cannot be unpacked. */
export function gunzipHead(head: Uint8Array): Uint8Array {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_HEAD_BYTES }
    return gunzipSync(head, options).subarray(0, HEAD_BYTES)
  } catch {
    return new Uint8Array(0)
  }
}

/**
 * Unpacks the gzip file at `path` to a new private file at `target`. Throws ServiceError `invalid_file` for a file that is cut
 * short, damaged, followed by something else, packed twice, or unpacks to more than 8 GiB or, beyond 64 MiB, to more than 200
 * times its size; `cancelled` when the signal says so. Nothing is left at `target` then. What the system says of the target
 * (a full disk) is thrown as it is.
 */
export async function gunzipFile(path: string, target: string, signal: AbortSignal | undefined): Promise<void> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES })
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield* unpackedPieces(path, gunzip)
    await checkEnd(path, gunzip.bytesWritten)
  }
  await writeNew(target, whole(), signal).catch(error => {
    throw readable(error)
  })
}

/**
 * What can be unpacked of a damaged or cut gzip file, written to a new private file at `target`: for who wants to keep what
 * stands before the damage, which `gunzipFile` has named. A hostile file stays refused.
 */
export async function gunzipBeginning(path: string, target: string, signal: AbortSignal | undefined): Promise<void> {
  // with it an early end is an end
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES, finishFlush: constants.Z_SYNC_FLUSH })
  const untilDamaged = async function* (): AsyncGenerator<Buffer> {
    try {
      yield* unpackedPieces(path, gunzip)
    } catch (error) {
      if (!isDamage(error)) throw error
    }
  }
  await writeNew(target, untilDamaged(), signal)
}

/** Writes what is unpacked to a new private file; nothing is left of it when that fails. */
async function writeNew(target: string, bytes: AsyncIterable<Buffer>, signal: AbortSignal | undefined): Promise<void> {
  checkCancelled(signal)
  const handle = await open(target, 'wx', 0o600)
  try {
    await pipeline(bytes, handle.createWriteStream(), { signal })
  } catch (error) {
    await rm(target, { force: true })
    checkCancelled(signal)
    throw error
  }
}

/** The unpacked bytes of a file as long as they can be those of an honest one. */
async function* unpackedPieces(path: string, gunzip: Gunzip): AsyncGenerator<Buffer> {
  const packed = createReadStream(path)
  packed.on('error', error => gunzip.destroy(error))
  packed.pipe(gunzip)
  let unpacked = 0
  try {
    for await (const bytes of gunzip as AsyncIterable<Buffer>) {
      if (unpacked === 0 && isGzip(bytes)) throw refused('holds another gzip file; a file may be packed once')
      unpacked += bytes.length
      if (unpacked > MAX_BYTES) throw refused('unpacks to more than 8 GiB, which is the most that is taken')
      if (unpacked > FREE_BYTES && unpacked > gunzip.bytesWritten * MAX_RATIO) {
        throw refused(`unpacks to more than ${MAX_RATIO} times its size; no export does`)
      }
      yield bytes
    }
  } finally {
    packed.destroy()
    gunzip.destroy()
  }
}

/** The packed data must reach to the end of the file; only zeros may fill it up. */
async function checkEnd(path: string, usedBytes: number): Promise<void> {
  if (usedBytes >= (await stat(path)).size) return
  for await (const bytes of createReadStream(path, { start: usedBytes }) as AsyncIterable<Buffer>) {
    if (bytes.some(byte => byte !== 0)) throw refused('has something behind its end')
  }
}

function readable(error: unknown): unknown {
  if (!isDamage(error)) return error
  return refused(error.code === 'Z_BUF_ERROR' ? 'is cut off' : 'is damaged: it cannot be unpacked', error)
}

/** Whether the bytes cannot be unpacked; what the system says of a file is something else. */
function isDamage(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

function refused(what: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_file', `The gzip file ${what}.`, {
    suggestions: ['Import the whole file as it was exported; nothing of this one was kept.'],
    cause,
  })
}
