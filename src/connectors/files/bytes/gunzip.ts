/** Unpacks gzip files, because files of any format may be imported as `.gz`. Treats the file as hostile until it is checked. */
import { createReadStream } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, type Gunzip, gunzipSync } from 'node:zlib'
import { ServiceError } from '../../../core/errors.ts'
import { checkCancelled } from './file-pieces.ts'

const MIB = 1_048_576
/** Maximum unpacked size of a gzip file. */
const MAX_BYTES = 8 * 1024 * MIB
/** Maximum ratio of unpacked to packed size once `FREE_BYTES` have been unpacked, as for zip files. */
const MAX_RATIO = 200
const FREE_BYTES = 64 * MIB
const HEAD_BYTES = 4096
/** Maximum unpacked size of a head: 4 KiB of packed data cannot expand to more than about 4 MiB. */
const MAX_HEAD_BYTES = 8 * MIB
const PIECE_BYTES = 256 * 1024

/** Returns whether these are the first bytes of a gzip file. */
export function isGzip(head: Uint8Array): boolean {
  return head.length >= 3 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 8
}

/** Returns the first unpacked bytes (up to 4 KiB) of a gzip file that starts with this head; empty if it cannot be unpacked. */
export function gunzipHead(head: Uint8Array): Uint8Array {
  try {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_HEAD_BYTES }
    return gunzipSync(head, options).subarray(0, HEAD_BYTES)
  } catch {
    return new Uint8Array(0)
  }
}

/**
 * Unpacks the gzip file at `path` to a new private file at `target`. Throws ServiceError `invalid_file` for a file that is cut off,
 * damaged, followed by other data or packed twice, or that unpacks to more than 8 GiB or, beyond 64 MiB, to more than 200 times its size;
 * and ServiceError `cancelled` if the signal aborts. In these cases, no file is left at `target`. System errors about the target (such as a
 * full disk) are thrown unchanged.
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
 * Unpacks as much as possible of a damaged or cut-off gzip file to a new private file at `target`. Used to keep the content before the
 * damage, after `gunzipFile` has reported the damage. A hostile file is still refused.
 */
export async function gunzipBeginning(path: string, target: string, signal: AbortSignal | undefined): Promise<void> {
  // with this flush mode, an early end of the data is not an error
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

/** Writes the unpacked bytes to a new private file, which is removed on failure. */
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

/** Yields a file's unpacked bytes, as long as their size is plausible for a real file. */
async function* unpackedPieces(path: string, gunzip: Gunzip): AsyncGenerator<Buffer> {
  const packed = createReadStream(path)
  packed.on('error', error => gunzip.destroy(error))
  packed.pipe(gunzip)
  let unpacked = 0
  try {
    for await (const bytes of gunzip as AsyncIterable<Buffer>) {
      if (unpacked === 0 && isGzip(bytes))
        throw refused('contains another gzip file, but a file may be packed only once')
      unpacked += bytes.length
      if (unpacked > MAX_BYTES) throw refused('unpacks to more than 8 GiB, which is the limit')
      if (unpacked > FREE_BYTES && unpacked > gunzip.bytesWritten * MAX_RATIO) {
        throw refused(`unpacks to more than ${MAX_RATIO} times its size, which no real export does`)
      }
      yield bytes
    }
  } finally {
    packed.destroy()
    gunzip.destroy()
  }
}

/** Checks that the packed data reaches the end of the file; only zeros may follow it. */
async function checkEnd(path: string, usedBytes: number): Promise<void> {
  if (usedBytes >= (await stat(path)).size) return
  for await (const bytes of createReadStream(path, { start: usedBytes }) as AsyncIterable<Buffer>) {
    if (bytes.some(byte => byte !== 0)) throw refused('has other data after its end')
  }
}

function readable(error: unknown): unknown {
  if (!isDamage(error)) return error
  return refused(error.code === 'Z_BUF_ERROR' ? 'is cut off' : 'is damaged and cannot be unpacked', error)
}

/** Returns whether the bytes cannot be unpacked, as opposed to a system error about the file. */
function isDamage(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

function refused(what: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_file', `The gzip file ${what}.`, {
    suggestions: ['Import the whole file as it was exported. Nothing was stored.'],
    cause,
  })
}
