/** Reads an archive part by part: lists its entries, finds the family of each, streams it once, and counts what is not imported. */
import { open, rm, stat } from 'node:fs/promises'
import { ServiceError } from '../../../core/errors.ts'
import type { Piece } from '../bytes/file-pieces.ts'
import { ZipArchive } from '../bytes/zip-entry.ts'
import type { ImportContext, Importer, ImportFile } from '../importer.ts'
import { type RecordImport, recordImporter } from '../records/import.ts'
import type { ArchiveFormat, ArchivePart, ArchiveState, Family, ListFamily, TableFamily } from './format.ts'
import { JsonPart } from './json-part.ts'
import type { JsonElement, TableRow } from './record.ts'
import { ArchiveRun } from './run.ts'
import { TablePart } from './table-part.ts'

/** Maximum size of a part that a record refers to, which is read as a whole. */
const MOST_ATTACHED_BYTES = 16 * 1_048_576
/** Matches the number that a browser or a phone adds to the name of a copy. */
const COPY = / ?\(\d{1,4}\)(?=\.[a-z0-9.]{1,12}$)/
const EXTENSION = /\.[a-z0-9]{1,8}$/
const UNREFERRED = 'files that no imported record refers to'

/** Returns the importer of a format. */
export function archiveImporter<State extends ArchiveState>(format: ArchiveFormat<State>): Importer {
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

async function* steps<State extends ArchiveState>(
  format: ArchiveFormat<State>,
  file: ImportFile,
  context: ImportContext,
  importing: RecordImport,
): AsyncGenerator<number> {
  const zip = await ZipArchive.open(file.path, context.signal)
  const reader = new ArchiveReader(format, zip, importing)
  try {
    yield* reader.parts(zip, 0, false)
    await reader.finish()
  } finally {
    zip.close()
  }
}

/** A part and its family. */
interface KnownPart<State> extends ArchivePart {
  readonly family: Family<State>
  /** The number of the part among those of its family, in the order of their paths. */
  readonly number: number
}

class ArchiveReader<State extends ArchiveState> {
  private readonly families: readonly Family<State>[]
  private readonly run: ArchiveRun
  private readonly state: State
  /** Parts that records may refer to and that none has referred to yet, by path. */
  private readonly waiting = new Map<string, KnownPart<State>>()

  constructor(format: ArchiveFormat<State>, zip: ZipArchive, importing: RecordImport) {
    this.families = format.families
    const byName = new Map(zip.names.map(path => [nameOf(path), path]))
    this.run = new ArchiveRun(importing, name => this.readAttached(zip, byName.get(nameOf(name))))
    this.state = format.begin(this.run)
  }

  /** Reads the parts of a zip file, and yields the number of packed bytes that have been read. */
  async *parts(zip: ZipArchive, before: number, isInner: boolean): AsyncGenerator<number> {
    let done = before
    for (const part of this.known(zip, isInner)) {
      const { family } = part
      if ('skip' in family) {
        this.at(part, '')
        this.run.skip(family.skip)
        continue
      }
      let last = 0
      const counted: ArchivePart = {
        ...part,
        pieces: async function* () {
          for await (const piece of part.pieces()) {
            last = piece.bytesRead
            yield piece
          }
        },
      }
      this.at(part, '')
      if (family.read === 'whole') await family.take(this.state, counted)
      else if (family.read === 'zip') {
        // the parts of an inner file do not advance the bytes of the outer one
        for await (const _ of this.inner(counted)) yield done + last
      } else if (family.read !== 'attached') {
        for await (const _ of this.records(part, family, counted.pieces())) yield done + last
      }
      done += last
      yield done
    }
  }

  /** Adds the items that are complete only at the end. */
  async finish(): Promise<void> {
    this.run.positionOf = () => ''
    await this.state.finish()
    this.run.skip(UNREFERRED, this.waiting.size, '')
  }

  /** Returns the parts of known families, in the order in which they are read. Counts all others by their extension. */
  private known(zip: ZipArchive, isInner: boolean): readonly KnownPart<State>[] {
    const { families, run } = this
    const byFamily = new Map<Family<State>, string[]>(families.map(family => [family, []]))
    for (const name of zip.names) {
      const path = pathOf(name)
      const family = families.find(each => each.path.test(path))
      const isZipInZip = isInner && family !== undefined && 'read' in family && family.read === 'zip'
      if (family !== undefined && !isZipInZip) byFamily.get(family)?.push(name)
      else run.skip(`files that are not imported (${EXTENSION.exec(path)?.[0] ?? 'without an extension'})`, 1, '')
    }
    const parts: KnownPart<State>[] = []
    for (const [family, names] of byFamily) {
      for (const [i, path] of names.sort().entries()) {
        const pieces = (): AsyncGenerator<Piece> => zip.pieces(path) as AsyncGenerator<Piece>
        const part = { path, sizeBytes: zip.sizeOf(path), pieces, family, number: i + 1 }
        parts.push(part)
        if ('read' in family && family.read === 'attached') this.waiting.set(pathOf(path), part)
      }
    }
    return parts
  }

  /** Sets the position that reasons give. */
  private at({ family, number }: KnownPart<State>, within: string): void {
    this.run.family = family.name
    this.run.positionOf = () => `${family.name} file ${number}${within === '' ? '' : `, ${within}`}`
  }

  /** Unpacks a zip file in the archive to a private file and reads its parts. */
  private async *inner(part: ArchivePart): AsyncGenerator<number> {
    const path = this.run.context.scratchFile()
    const target = await open(path, 'wx', 0o600)
    try {
      for await (const { bytes } of part.pieces()) await target.write(bytes)
      await target.close()
      const { size } = await stat(path)
      if (size === 0) return this.run.skip(`${this.run.family} files that are empty`)
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

  private async *records(
    part: KnownPart<State>,
    family: TableFamily<State> | ListFamily<State>,
    pieces: AsyncIterable<Piece>,
  ): AsyncGenerator<void> {
    const { run } = this
    const source = family.read === 'csv' ? new TablePart(family.columns) : new JsonPart(family.list, part.sizeBytes)
    let where = 0
    run.family = family.name
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
        const taking = family.take(this.state, record as JsonElement & TableRow)
        if (taking !== undefined) await taking
        if (run.importing.records === before && !run.isHeld) run.skip(`${family.name} records without a value`)
      }
    }
    try {
      for await (const { bytes } of pieces) {
        try {
          source.write(bytes)
        } finally {
          await takeAll()
        }
        yield
      }
      source.end()
      await takeAll()
    } catch (error) {
      throw inPart(error, `${family.name} file ${part.number}`)
    }
  }

  /** Returns the elements of a JSON part that a record refers to; undefined if there is none. */
  private async readAttached(zip: ZipArchive, path: string | undefined): Promise<readonly unknown[] | undefined> {
    if (path === undefined) return undefined
    this.waiting.delete(pathOf(path))
    if (zip.sizeOf(path) > MOST_ATTACHED_BYTES) {
      this.run.skip('attached files larger than 16 MiB')
      return undefined
    }
    const source = new JsonPart('', zip.sizeOf(path))
    for await (const { bytes } of zip.pieces(path) ?? []) source.write(bytes)
    source.end()
    return source.values()
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
