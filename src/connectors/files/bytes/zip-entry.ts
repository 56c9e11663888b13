/** Entries of a zip file as streams of bytes. The file is hostile until shown otherwise: nothing of it is written anywhere. */
import { crc32, createInflateRaw } from 'node:zlib'
import type { Entry, ZipFile } from 'yauzl'
import { ServiceError } from '../../../core/errors.ts'
import { checkCancelled, type Piece, PieceCutter } from './file-pieces.ts'

const MIB = 1_048_576
const GIB = 1024 * MIB
/** Beyond `FREE_BYTES` unpacked, an entry may be this many times its packed size: real exports reach about 40. */
const MAX_RATIO = 200
const FREE_BYTES = 64 * MIB
/** Unpacked size of all entries together. */
const MAX_TOTAL_BYTES = 64 * GIB
const MAX_ENTRIES = 100_000
/** How many entries are looked into for the wanted one. */
const MAX_CANDIDATES = 64
const HEAD_BYTES = 4096
const PIECE_BYTES = 256 * 1024
const STORED = 0
const DEFLATED = 8
/** General purpose flag: the sizes follow the data, so the local header has none. */
const SIZES_FOLLOW = 0x08
const ZIP64 = 0xffff_ffff

/** Whether the first bytes are those of a zip file (an empty one included). */
export function isZip(head: Uint8Array): boolean {
  if (head.length < 4 || head[0] !== 0x50 || head[1] !== 0x4b) return false
  return (head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6)
}

export interface FoundEntry {
  readonly name: string
  readonly pieces: AsyncGenerator<Piece>
}

/**
 * The entries of one zip file; `close` it. Whatever reads throws ServiceError `invalid_file` for a damaged or encrypted file,
 * names that climb out of the folder, sizes or checksums that are not true, and zip bombs (over 200:1 beyond 64 MiB, or over
 * 64 GiB in all).
 */
export class ZipArchive {
  private readonly zip: ZipFile
  private readonly entries: ReadonlyMap<string, Entry>
  private readonly signal: AbortSignal | undefined

  private constructor(zip: ZipFile, entries: readonly Entry[], signal: AbortSignal | undefined) {
    this.zip = zip
    this.entries = new Map(entries.map(entry => [nameOf(entry), entry]))
    this.signal = signal
  }

  static async open(path: string, signal: AbortSignal | undefined): Promise<ZipArchive> {
    const { openPromise } = await import('yauzl')
    const zip = await openPromise(path, {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: false,
    }).catch(rethrowDamaged)
    try {
      return new ZipArchive(zip, await checkedEntries(zip, signal), signal)
    } catch (error) {
      zip.close()
      throw error
    }
  }

  /** The first entry that ends in `extension` and whose head `isWanted` accepts; `wanted` names it for the message. */
  async find(extension: string, wanted: string, isWanted: (head: Uint8Array) => boolean): Promise<FoundEntry> {
    const names = [...this.entries.keys()]
    for (const name of names.filter(each => each.toLowerCase().endsWith(extension)).slice(0, MAX_CANDIDATES)) {
      const pieces = this.pieces(name) as AsyncGenerator<Piece>
      const head = await headOf(pieces)
      if (isWanted(head.bytes)) return { name, pieces: withHead(head, pieces) }
      await pieces.return(undefined)
    }
    if (!names.some(each => each.toLowerCase().endsWith('.zip'))) throw refused(`holds no ${wanted}`)
    throw refused(`holds no ${wanted}, but another zip file; unpack it and import the one inside`)
  }

  /** The bytes of the entry of that name, or undefined. */
  pieces(name: string): AsyncGenerator<Piece> | undefined {
    const entry = this.entries.get(name)
    return entry === undefined ? undefined : entryPieces(this.zip, entry, this.signal)
  }

  close(): void {
    this.zip.close()
  }
}

async function* withHead(head: Piece, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  try {
    yield head
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** Reads the whole directory and refuses it as one: what it says of any entry must be possible. */
async function checkedEntries(zip: ZipFile, signal: AbortSignal | undefined): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  let total = 0
  try {
    for await (const entry of zip.eachEntry()) {
      checkCancelled(signal)
      if (entries.push(entry) > MAX_ENTRIES) throw refused(`holds more than ${MAX_ENTRIES} entries`)
      checkName(nameOf(entry))
      if (entry.isEncrypted()) throw refused('is encrypted; only zip files without a password can be read')
      checkRatio(entry.uncompressedSize, entry.compressedSize)
      total += entry.uncompressedSize
      if (total > MAX_TOTAL_BYTES) throw refused('unpacks to more than 64 GiB, which is the most that is taken')
    }
  } catch (error) {
    rethrowDamaged(error)
  }
  return entries
}

function nameOf(entry: Entry): string {
  // with decodeStrings off the library hands out bytes; names are compared and checked, never used as a path
  return Buffer.from(entry.fileNameRaw).toString('utf8').replaceAll('\\', '/')
}

function checkName(name: string): void {
  const climbs =
    name.startsWith('/') || /^[A-Za-z]:/.test(name) || name.split('/').includes('..') || name.includes('\0')
  if (climbs)
    throw refused('has an entry whose name leads out of its folder; only relative names without ".." are taken')
}

function checkRatio(unpacked: number, packed: number): void {
  if (unpacked > FREE_BYTES && unpacked > packed * MAX_RATIO) {
    throw refused(`unpacks to more than ${MAX_RATIO} times its size; no export does`)
  }
}

/** Unpacks one entry, checking as it goes what the directory said of it. */
async function* entryPieces(zip: ZipFile, entry: Entry, signal: AbortSignal | undefined): AsyncGenerator<Piece> {
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw refused('is packed by a method other than store and deflate')
  }
  const header = await zip.readLocalFileHeaderPromise(entry).catch(rethrowDamaged)
  const known = (header.generalPurposeBitFlag & SIZES_FOLLOW) === 0 && header.uncompressedSize !== ZIP64
  if (known && header.uncompressedSize !== entry.uncompressedSize) throw liesAboutSize()
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false }).catch(rethrowDamaged)
  const inflate = entry.compressionMethod === DEFLATED ? createInflateRaw({ chunkSize: PIECE_BYTES }) : undefined
  if (inflate !== undefined) {
    packed.on('error', error => inflate.destroy(error))
    packed.pipe(inflate)
  }
  const cutting = new PieceCutter(signal)
  let unpackedBytes = 0
  let crc = 0
  try {
    for await (const bytes of (inflate ?? packed) as AsyncIterable<Buffer>) {
      checkCancelled(signal)
      unpackedBytes += bytes.length
      if (unpackedBytes > entry.uncompressedSize) throw liesAboutSize()
      // by what was really unpacked: the stated packed size may be a lie too
      const bytesRead = inflate === undefined ? unpackedBytes : inflate.bytesWritten
      checkRatio(unpackedBytes, bytesRead)
      crc = crc32(bytes, crc)
      yield* cutting.pieces(bytes, () => bytesRead)
    }
  } catch (error) {
    rethrowDamaged(error)
  } finally {
    packed.unpipe()
    packed.destroy()
    inflate?.destroy()
  }
  if (unpackedBytes !== entry.uncompressedSize) throw liesAboutSize()
  if (crc !== entry.crc32) throw refused('is damaged: an entry does not have the checksum that it states')
}

/** The first pieces joined until they are a head. */
async function headOf(pieces: AsyncGenerator<Piece>): Promise<Piece> {
  let bytes = Buffer.alloc(0)
  let bytesRead = 0
  while (bytes.length < HEAD_BYTES) {
    const next = await pieces.next()
    if (next.done) break
    bytes = Buffer.concat([bytes, next.value.bytes])
    bytesRead = next.value.bytesRead
  }
  return { bytes, bytesRead }
}

function refused(what: string): ServiceError {
  return new ServiceError('invalid_file', `The zip file ${what}.`, {
    suggestions: [
      'Import the export.zip as the phone made it, or the export.xml inside it; nothing of this file was kept.',
    ],
  })
}

function liesAboutSize(): ServiceError {
  return refused('is damaged or hostile: an entry does not have the size that it states')
}

/** An error of the zip library or of the system means a file that cannot be read; an error of ours stays itself. */
function rethrowDamaged(error: unknown): never {
  if (error instanceof ServiceError) throw error
  throw new ServiceError('invalid_file', 'The zip file is damaged or cut off: it cannot be unpacked.', {
    suggestions: ['Export the data again and import the whole file; nothing of this one was kept.'],
    cause: error,
  })
}
