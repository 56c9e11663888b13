/** Packs several files into one gzipped tar archive. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export interface ArchiveFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Compression level. Most files are already compressed, so a higher level would take seconds without any gain. */
const QUICK = 1
/** Offset of the gzip header byte for the operating system; 255 means "unknown". */
const OS_BYTE = 9

/**
 * Returns the archive with its entries in the given order. The same files produce the same bytes on every machine, because the archive does
 * not contain a time, an owner or an operating system.
 */
export async function toTarGzip(files: readonly ArchiveFile[]): Promise<Uint8Array> {
  const { pack } = await import('tar-stream')
  const archive = pack()
  for (const { name, bytes } of files) {
    archive.entry({ name, size: bytes.length, mtime: new Date(0), mode: 0o644, uid: 0, gid: 0 }, Buffer.from(bytes))
  }
  archive.finalize()
  const parts: Uint8Array[] = []
  for await (const part of archive) parts.push(part as Uint8Array)
  const zipped = await promisify(gzip)(Buffer.concat(parts), { level: QUICK })
  zipped[OS_BYTE] = 255
  return zipped
}
