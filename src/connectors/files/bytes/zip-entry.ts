/** Reads a zip file's entries as byte streams. Treats the file as hostile, so it does not write any of its content to disk. */
import { crc32, createInflateRaw } from 'node:zlib'
import type { Entry, ZipFile } from 'yauzl'
import { ServiceError } from '../../../core/errors.ts'
import { checkCancelled, type Piece, PieceCutter } from './file-pieces.ts'

const MIB = 1_048_576
const GIB = 1024 * MIB
/** Maximum ratio of an entry's unpacked size to its packed size, once `FREE_BYTES` have been unpacked. Real exports reach about 40. */
const MAX_RATIO = 200
const FREE_BYTES = 64 * MIB
/** Maximum unpacked size of all entries together. */
const MAX_TOTAL_BYTES = 64 * GIB
const MAX_ENTRIES = 100_000
/** Maximum number of entries that are opened to find the one wanted. */
const MAX_CANDIDATES = 64
const HEAD_BYTES = 4096
const PIECE_BYTES = 256 * 1024
const LEAST_PIECE_BYTES = 1024
const STORED = 0
const DEFLATED = 8
/** The file type in an entry's Unix mode, and its value for a symbolic link. */
const FILE_TYPE = 0o170000
const SYMBOLIC_LINK = 0o120000
/** Names of entries in archives that apps encrypt. */
const ENCRYPTED: readonly (readonly [app: string, entry: RegExp])[] = [
  ['Huawei Health', /^(?:HUAWEI_HEALTH_[^/]*\/)?(?:Health detail data|Motion path detail data|Sport per minute)/i],
  [
    'Zepp',
    /(?:^|\/)(?:ACTIVITY|ACTIVITY_MINUTE|ACTIVITY_STAGE|BODY|HEARTRATE|HEARTRATE_AUTO|SLEEP|SLEEP_MINUTE|SPORT|USER)(?:\/|_\d+\.csv)/,
  ],
]
/** General-purpose flag: the sizes follow the data instead of being in the local header. */
const SIZES_FOLLOW = 0x08
const ZIP64 = 0xffff_ffff

/** Returns whether these are the first bytes of a zip file, even of an empty one. */
export function isZip(head: Uint8Array): boolean {
  if (head.length < 4 || head[0] !== 0x50 || head[1] !== 0x4b) return false
  return (head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6)
}

export interface FoundEntry {
  readonly name: string
  readonly pieces: AsyncGenerator<Piece>
}

/**
 * A zip file's entries. Call `close` when done. Every read throws ServiceError `invalid_file` for a damaged or encrypted file, entry names
 * that lead out of the folder, symbolic links, wrong sizes or checksums, and zip bombs (more than 200:1 beyond 64 MiB, or more than 64 GiB in
 * total).
 */
export class ZipArchive {
  private readonly zip: ZipFile
  private readonly entries: ReadonlyMap<string, Entry>
  private readonly signal: AbortSignal | undefined

  private constructor(zip: ZipFile, entries: readonly Entry[], signal: AbortSignal | undefined) {
    this.zip = zip
    this.entries = new Map(entries.map(entry => [entryName(entry), entry]))
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

  /** The names of the entries that are files, in the order of the directory. */
  get names(): readonly string[] {
    return [...this.entries.keys()].filter(name => !name.endsWith('/'))
  }

  /** Returns what two entries with the same content have in common, as the directory states it. */
  fingerprint(name: string): string {
    const entry = this.entries.get(name)
    return `${entry?.uncompressedSize} ${entry?.crc32}`
  }

  /** Returns the sizes that the directory states for an entry, in bytes; 0 if there is no such entry. */
  sizeOf(name: string): { readonly unpacked: number; readonly packed: number } {
    const entry = this.entries.get(name)
    return { unpacked: entry?.uncompressedSize ?? 0, packed: entry?.compressedSize ?? 0 }
  }

  /** Returns the first entry whose name ends in `extension` and whose head `isWanted` accepts; `wanted` describes it in the error. */
  async find(extension: string, wanted: string, isWanted: (head: Uint8Array) => boolean): Promise<FoundEntry> {
    const { names } = this
    for (const name of names.filter(each => each.toLowerCase().endsWith(extension)).slice(0, MAX_CANDIDATES)) {
      const pieces = this.pieces(name) as AsyncGenerator<Piece>
      const head = await readHead(pieces)
      if (isWanted(head.bytes)) return { name, pieces: withHead(head, pieces) }
      await pieces.return(undefined)
    }
    if (!names.some(each => each.toLowerCase().endsWith('.zip'))) throw refused(`holds no ${wanted}`)
    throw refused(`holds no ${wanted}, but another zip file; unpack it and import the zip file inside`)
  }

  /** Returns the bytes of the entry with that name, or undefined. */
  pieces(name: string): AsyncGenerator<Piece> | undefined {
    const entry = this.entries.get(name)
    return entry === undefined ? undefined : entryPieces(this.zip, entry, this.signal)
  }

  /** Returns the names of the entries inside the folders of `folder` that end in `extension`, in alphabetical order. */
  namesBelow(folder: string, extension: string): readonly string[] {
    const isWanted = (name: string): boolean => name.startsWith(folder) && name.slice(folder.length).includes('/')
    return [...this.entries.keys()].filter(each => isWanted(each) && each.toLowerCase().endsWith(extension)).sort()
  }

  close(): void {
    this.zip.close()
  }
}

/** Returns the names of a zip file's files. Throws the errors of `ZipArchive`. */
export async function entryNames(path: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const zip = await ZipArchive.open(path, signal)
  zip.close()
  return zip.names
}

async function* withHead(head: Piece, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  try {
    yield head
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** Reads the whole directory. Refuses the file if an entry's details are impossible. */
async function checkedEntries(zip: ZipFile, signal: AbortSignal | undefined): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  let total = 0
  try {
    for await (const entry of zip.eachEntry()) {
      checkCancelled(signal)
      if (entries.push(entry) > MAX_ENTRIES)
        throw refused(`contains more than ${MAX_ENTRIES} entries, which is the limit`)
      checkName(entryName(entry))
      if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK) {
        throw refused('has an entry that is a symbolic link, but only files and folders are allowed')
      }
      if (entry.isEncrypted()) throw encrypted(entryName(entry))
      checkRatio(entry.uncompressedSize, entry.compressedSize)
      total += entry.uncompressedSize
      if (total > MAX_TOTAL_BYTES) throw refused('unpacks to more than 64 GiB, which is the limit')
    }
  } catch (error) {
    rethrowDamaged(error)
  }
  return entries
}

function entryName(entry: Entry): string {
  // with `decodeStrings` off, the library returns bytes; names are compared and checked, but never used as paths
  return Buffer.from(entry.fileNameRaw).toString('utf8').replaceAll('\\', '/')
}

function checkName(name: string): void {
  const climbs =
    name.startsWith('/') || /^[A-Za-z]:/.test(name) || name.split('/').includes('..') || name.includes('\0')
  if (climbs)
    throw refused('has an entry whose name leads out of its folder, but only relative names without ".." are allowed')
}

function checkRatio(unpacked: number, packed: number): void {
  if (unpacked > FREE_BYTES && unpacked > packed * MAX_RATIO) {
    throw refused(`unpacks to more than ${MAX_RATIO} times its size, which no real export does`)
  }
}

/** Unpacks one entry and checks it against the directory. */
async function* entryPieces(zip: ZipFile, entry: Entry, signal: AbortSignal | undefined): AsyncGenerator<Piece> {
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw refused('uses a compression method other than store and deflate')
  }
  const header = await zip.readLocalFileHeaderPromise(entry).catch(rethrowDamaged)
  const known = (header.generalPurposeBitFlag & SIZES_FOLLOW) === 0 && header.uncompressedSize !== ZIP64
  if (known && header.uncompressedSize !== entry.uncompressedSize) throw liesAboutSize()
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false }).catch(rethrowDamaged)
  // an archive may have 100,000 small entries, and each would otherwise allocate a whole piece
  const chunkSize = Math.min(PIECE_BYTES, Math.max(LEAST_PIECE_BYTES, entry.uncompressedSize + 1))
  const inflate = entry.compressionMethod === DEFLATED ? createInflateRaw({ chunkSize }) : undefined
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
      // based on the bytes actually read, because the packed size in the directory may also be false
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
  if (crc !== entry.crc32) throw refused('is damaged: the checksum of an entry does not match its contents')
}

/** Joins the first pieces until the head is complete. */
async function readHead(pieces: AsyncGenerator<Piece>): Promise<Piece> {
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
    suggestions: ['Import the archive as the provider or the phone created it. Nothing was stored.'],
  })
}

function encrypted(name: string): ServiceError {
  const app = ENCRYPTED.find(([, entry]) => entry.test(name))?.[0]
  const what = app === undefined ? 'encrypted' : `an encrypted export of ${app}`
  return new ServiceError(
    'invalid_file',
    `The zip file is ${what}, but only zip files without a password can be imported.`,
    { suggestions: ['Unpack it with its password first. Tables inside can then be imported one by one with --map.'] },
  )
}

function liesAboutSize(): ServiceError {
  return refused('is damaged or hostile: the size of an entry is not the size that it states')
}

/**
 * Rethrows an error. Errors from the zip library or the system mean that the file cannot be read. A ServiceError is passed on unchanged.
 */
function rethrowDamaged(error: unknown): never {
  if (error instanceof ServiceError) throw error
  throw new ServiceError('invalid_file', 'The zip file is damaged or cut off and cannot be unpacked.', {
    suggestions: ['Export the data again and import the whole file. Nothing was stored.'],
    cause: error,
  })
}
