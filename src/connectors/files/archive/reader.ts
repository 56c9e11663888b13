/** Reads an archive part by part: lists its entries, finds the family of each, streams it once, and counts what is not imported. */
import { open, rm } from 'node:fs/promises'
import { ServiceError } from '../../../core/errors.ts'
import type { Piece } from '../bytes/file-pieces.ts'
import { ZipArchive } from '../bytes/zip-entry.ts'
import type { ImportContext, Importer, ImportFile } from '../importer.ts'
import { type RecordImport, recordImporter } from '../records/import.ts'
import type { ArchiveData } from './data.ts'
import type { ArchiveFormat, ArchivePart, Family, ListFamily, TableFamily } from './format.ts'
import { JsonPart } from './json-part.ts'
import type { JsonElement, TableRow } from './record.ts'
import { ArchiveRun } from './run.ts'
import { TablePart } from './table-part.ts'

/** Maximum unpacked size of a zip file in the archive, as for gzip files. */
const MOST_INNER_BYTES = 8 * 1024 ** 3
/** Maximum size of a part that a record refers to, which is read as a whole. */
const MOST_ATTACHED_BYTES = 16 * 1_048_576
/** Matches the number that a browser or a phone adds to the name of a copy. */
const COPY = / ?\(\d{1,4}\)(?=\.[a-z0-9.]{1,12}$)/
const EXTENSION = /\.[a-z0-9]{1,8}$/
const UNREFERRED = 'files that no imported record refers to'

/** Returns the importer of a format. */
export function archiveImporter<Data extends ArchiveData>(format: ArchiveFormat<Data>): Importer {
  const { mark, provider, sourceType } = format
  return {
    ...recordImporter({
      format: format.format,
      title: format.title,
      kinds: format.kinds,
      recognizes: () => false,
      source: { provider, sourceType },
      steps: (file, context, importing) => steps(format, file, context, importing),
    }),
    recognizesArchive: names => names.some(name => mark.test(pathOf(name))),
  }
}

async function* steps<Data extends ArchiveData>(
  format: ArchiveFormat<Data>,
  file: ImportFile,
  context: ImportContext,
  importing: RecordImport,
): AsyncGenerator<number> {
  const zip = await ZipArchive.open(file.path, context.signal)
  const reader = new ArchiveReader(format, zip, importing)
  try {
    yield* reader.parts(zip, 0, false)
  } finally {
    zip.close()
    // what comes before damage can be kept
    reader.finish()
  }
}

/** A part and its family. */
interface KnownPart<Data> extends ArchivePart {
  readonly family: Family<Data>
  readonly packedBytes: number
  /** The number of the part among those of its family, in the order of their paths. */
  readonly number: number
}

class ArchiveReader<Data extends ArchiveData> {
  private readonly families: readonly Family<Data>[]
  private readonly run: ArchiveRun
  private readonly data: Data
  /** Parts that records may refer to and that none has referred to yet, by path. */
  private readonly waiting = new Map<string, KnownPart<Data>>()

  constructor(format: ArchiveFormat<Data>, zip: ZipArchive, importing: RecordImport) {
    this.families = format.families
    const byName = new Map(zip.names.map(path => [nameOf(path), path]))
    this.run = new ArchiveRun(importing, name => this.readAttached(zip, byName.get(nameOf(name))))
    this.data = new format.data(this.run)
  }

  /** Reads the parts of a zip file, and yields the number of packed bytes that have been read. */
  async *parts(zip: ZipArchive, before: number, isInner: boolean): AsyncGenerator<number> {
    const { run, data } = this
    let done = before
    for (const part of this.known(zip, isInner)) {
      const { family, number } = part
      run.family = family.name
      run.positionOf = () => `${family.name} file ${number}`
      if ('skip' in family) run.skip(family.skip)
      else if (family.read === 'whole') await family.take(data, part)
      else if (family.read === 'zip') {
        // the parts of an inner file do not advance the bytes of the outer one
        for await (const _ of this.inner(part)) yield done
      } else if (family.read === 'csv' || family.read === 'json') {
        for await (const bytesRead of this.records(part, family)) yield done + bytesRead
      }
      done += part.packedBytes
      yield done
    }
  }

  /** Adds the items that are complete only at the end. */
  finish(): void {
    this.run.positionOf = () => ''
    this.data.finish()
    this.run.skip(UNREFERRED, this.waiting.size, '')
  }

  /** Returns the parts of known families, in the order in which they are read. Counts all others by their extension. */
  private known(zip: ZipArchive, isInner: boolean): readonly KnownPart<Data>[] {
    const { families, run } = this
    const byFamily = new Map<Family<Data>, string[]>(families.map(family => [family, []]))
    const seen = new Set<string>()
    for (const name of zip.names.toSorted()) {
      const path = pathOf(name)
      const copy = `${path} ${zip.fingerprint(name)}`
      if (seen.has(copy)) {
        run.skip('files that the archive has twice under the same name', 1, '')
        continue
      }
      seen.add(copy)
      const family = families.find(each => each.path.test(path))
      const isZipInZip = isInner && family !== undefined && 'read' in family && family.read === 'zip'
      if (family !== undefined && !isZipInZip) byFamily.get(family)?.push(name)
      else run.skip(`files that are not imported (${EXTENSION.exec(path)?.[0] ?? 'without an extension'})`, 1, '')
    }
    const parts: KnownPart<Data>[] = []
    for (const [family, names] of byFamily) {
      for (const [i, path] of names.entries()) {
        const pieces = (): AsyncGenerator<Piece> => zip.pieces(path) as AsyncGenerator<Piece>
        const { unpacked: sizeBytes, packed: packedBytes } = zip.sizeOf(path)
        const part = { path, sizeBytes, packedBytes, pieces, family, number: i + 1 }
        parts.push(part)
        if ('read' in family && family.read === 'attached') this.waiting.set(pathOf(path), part)
      }
    }
    return parts
  }

  /** Unpacks a zip file in the archive to a private file and reads its parts. */
  private async *inner(part: ArchivePart): AsyncGenerator<number> {
    if (part.sizeBytes === 0 || part.sizeBytes > MOST_INNER_BYTES) {
      return this.run.skip('zip files in the archive that are empty or unpack to more than 8 GiB')
    }
    const path = this.run.context.scratchFile()
    const target = await open(path, 'wx', 0o600)
    try {
      for await (const { bytes } of part.pieces()) await target.write(bytes)
      await target.close()
      const zip = await ZipArchive.open(path, this.run.context.signal)
      try {
        yield* this.parts(zip, 0, true)
      } finally {
        zip.close()
      }
    } finally {
      await target.close().catch(() => {})
      await rm(path, { force: true })
    }
  }

  private async *records(part: KnownPart<Data>, family: TableFamily<Data> | ListFamily<Data>): AsyncGenerator<number> {
    const { run } = this
    const source = family.read === 'csv' ? new TablePart(family.columns) : new JsonPart(family.list, part.sizeBytes)
    let where = 0
    run.positionOf = () => `${family.name} file ${part.number}, ${source.positionName} ${where}`
    const takeAll = async (): Promise<void> => {
      for (const { record, position } of source.take()) {
        where = position
        if (record === null) {
          run.skip(`${family.name} records that cannot be read`)
          continue
        }
        const before = run.importing.records
        run.isHeld = false
        // the record's form fits the family, which determines how its parts are read
        const taking = family.take(this.data, record as JsonElement & TableRow)
        if (taking !== undefined) await taking
        if (run.importing.records === before && !run.isHeld) run.skipUnreadable()
      }
    }
    const feed = async (write: () => void): Promise<void> => {
      try {
        write()
      } finally {
        await takeAll()
      }
    }
    try {
      for await (const { bytes, bytesRead } of part.pieces()) {
        await feed(() => source.write(bytes))
        yield bytesRead
      }
      await feed(() => source.end())
    } catch (error) {
      throw inPart(error, `${family.name} file ${part.number}`)
    }
  }

  /** Returns the elements of a JSON part that a record refers to; none if there is no such part. */
  private async readAttached(zip: ZipArchive, path: string | undefined): Promise<readonly JsonElement[]> {
    if (path === undefined) return []
    this.waiting.delete(pathOf(path))
    const { unpacked } = zip.sizeOf(path)
    if (unpacked > MOST_ATTACHED_BYTES) {
      this.run.skip('attached files larger than 16 MiB')
      return []
    }
    const source = new JsonPart('', unpacked)
    for await (const { bytes } of zip.pieces(path) ?? []) source.write(bytes)
    source.end()
    return [...source.take()].flatMap(({ record }) => record ?? [])
  }
}

/** Returns a part's path as families match it. */
export function pathOf(name: string): string {
  return name.toLowerCase().replace(COPY, '')
}

/** Returns the last part of a path, as records refer to it. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase()
}

/** Says in an error about a damaged part which part it is. */
function inPart(error: unknown, part: string): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_file') return error
  const message = error.message.replace(/^The file\b/, `The part "${part}" of the archive`)
  return new ServiceError('invalid_file', message, { suggestions: error.suggestions, cause: error })
}
