/** Copies a database from a file, or from a zip file, to a private file that nobody else changes. */
import { open } from 'node:fs/promises'
import { fileHead, filePieces, type Piece } from '../bytes/file-pieces.ts'
import { isZip, ZipArchive } from '../bytes/zip-entry.ts'
import type { ImportContext, ImportFile } from '../importer.ts'
import { refused } from './reader.ts'

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1')
const HEADER_BYTES = 100
/** Positions in a database's header: https://sqlite.org/fileformat2.html#the_database_header. */
const AT = { pageBytes: 16, readVersion: 19, changes: 24, pages: 28, changesWithPages: 92 } as const
const LARGEST_PAGE_BYTES = 65_536
/** The newest file format: databases with a write-ahead log. */
const NEWEST_VERSION = 2

/** Returns whether these are the first bytes of a SQLite database. */
export function isDatabase(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, MAGIC.length)).equals(MAGIC)
}

/**
 * Copies the database to `target`, and yields the number of bytes of the file read so far. In a zip file, `isWanted` chooses the entry.
 * Throws ServiceError `invalid_file` for a file without a database, a damaged zip file, and a database that is cut off or encrypted.
 */
export async function* copyDatabase(
  file: ImportFile,
  target: string,
  isWanted: (name: string) => boolean,
  { signal }: Pick<ImportContext, 'signal'>,
): AsyncGenerator<number> {
  if (!isZip(await fileHead(file.path, MAGIC.length))) {
    yield* written(filePieces(file, signal), target)
    return
  }
  const zip = await ZipArchive.open(file.path, signal)
  try {
    const name = zip.names.find(isWanted)
    const pieces = name === undefined ? undefined : zip.pieces(name)
    if (pieces === undefined) throw refused('is missing from the zip file')
    yield* written(pieces, target)
  } finally {
    zip.close()
  }
}

async function* written(pieces: AsyncIterable<Piece>, target: string): AsyncGenerator<number> {
  const copy = await open(target, 'wx+', 0o600)
  try {
    let sizeBytes = 0
    for await (const { bytes, bytesRead } of pieces) {
      await copy.write(bytes)
      sizeBytes += bytes.length
      yield bytesRead
    }
    const header = Buffer.alloc(HEADER_BYTES)
    const { bytesRead } = await copy.read(header, 0, HEADER_BYTES, 0)
    checkHeader(header.subarray(0, bytesRead), sizeBytes)
  } finally {
    await copy.close()
  }
}

function checkHeader(header: Buffer, sizeBytes: number): void {
  if (!isDatabase(header) || header.length < HEADER_BYTES) throw refused('is another kind of file, or it is encrypted')
  if (header.readUInt8(AT.readVersion) > NEWEST_VERSION) throw refused('has a version of SQLite that is not known')
  // 1 stands for 65,536, which does not fit in two bytes
  const stated = header.readUInt16BE(AT.pageBytes)
  const pageBytes = stated === 1 ? LARGEST_PAGE_BYTES : stated
  const pages =
    header.readUInt32BE(AT.changes) === header.readUInt32BE(AT.changesWithPages) ? header.readUInt32BE(AT.pages) : 0
  if (sizeBytes < pages * pageBytes) throw refused('is cut off: the file is smaller than its header states')
}
