/** Reads a JSON file's records: one document, a list, a document around a list, or one document per line. */
import { ServiceError } from '../../../core/errors.ts'
import { filePieces } from '../bytes/file-pieces.ts'
import { type PieceParser, parsedPieces } from '../bytes/parsed-pieces.ts'
import type { ImportFile } from '../importer.ts'
import type { RecordImport } from '../records/import.ts'
import { MOST_VALUE_BYTES } from './capture.ts'
import { type JsonEvent, JsonItems } from './items.ts'
import { JsonLines } from './lines.ts'
import type { JsonRecord } from './record.ts'

/** Returns the error for an empty JSON file. */
export function emptyJson(): ServiceError {
  return new ServiceError('invalid_file', 'The file is empty. Export the data again and import the whole file.')
}

/**
 * Reads a file. `list` is the member of a document whose elements are records (`entry` in a FHIR bundle), or null. Throws errors (see
 * `JsonItems` and `JsonLines`) after yielding the records before the damage.
 */
export async function* jsonRecords(
  file: ImportFile,
  list: string | null,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly records: readonly JsonRecord[]; readonly bytesRead: number }> {
  const isByLine = await isLines(file, signal)
  const parserOf = () => (isByLine ? new JsonLines() : new DocumentRecords(list))
  for await (const { items, bytesRead } of parsedPieces(file, signal, parserOf, emptyJson)) {
    yield { records: items, bytesRead }
  }
}

/** A handler for a JSON file's records, and how to find the records. */
export interface JsonRecordReader {
  /** The member of a document whose elements are records, or null. */
  readonly list: string | null
  /** A record's name in a reason: `a resource`. */
  readonly what: string
  add(record: Exclude<JsonRecord, { readonly kind: 'broken' }>): void
}

/** Reads a file's records one by one, skips records that are not JSON, and yields the number of file bytes read. */
export async function* jsonSteps(
  file: ImportFile,
  importing: RecordImport,
  { list, what, add }: JsonRecordReader,
): AsyncGenerator<number> {
  for await (const { records, bytesRead } of jsonRecords(file, list, importing.context.signal)) {
    for (const record of records) {
      if (record.kind !== 'broken') add(record)
      else {
        importing.records++
        importing.skip(`${what} is not well-formed JSON`, record.position)
      }
    }
    yield bytesRead
  }
}

class DocumentRecords implements PieceParser<JsonRecord> {
  private readonly items: JsonItems
  private records: JsonRecord[] = []
  /** The current document's members. Uses a Map, because the keys come from the file. */
  private members = new Map<string, unknown>()
  private begin = 0

  constructor(list: string | null) {
    this.items = new JsonItems(list === null ? [] : [list])
  }

  write(bytes: Uint8Array): void {
    this.items.write(bytes)
  }

  end(): void {
    this.items.end()
  }

  take(): readonly JsonRecord[] {
    for (const event of this.items.take()) this.add(event)
    const records = this.records
    this.records = []
    return records
  }

  private add(event: JsonEvent): void {
    if (event.kind === 'end') {
      if (this.members.size > 0) {
        this.records.push({ kind: 'document', value: Object.fromEntries(this.members), position: `byte ${this.begin}` })
      }
      this.members = new Map()
      this.begin = event.byte
      return
    }
    const last = event.path.at(-1)
    const isMember = typeof last === 'string'
    const position = typeof last === 'number' ? `entry ${last + 1}` : `byte ${event.byte}`
    if (event.kind === 'broken') this.records.push({ kind: 'broken', position })
    else if (isMember) this.members.set(last, event.value)
    else this.records.push({ kind: event.path.length === 2 ? 'element' : 'document', value: event.value, position })
  }
}

/**
 * Returns whether every line is a document. This is the case if the first line is a complete document and more data follows. A file that
 * starts differently, or whose first line is over 16 MiB, is one document.
 */
async function isLines(file: ImportFile, signal: AbortSignal | undefined): Promise<boolean> {
  let depth = 0
  let inString = false
  let isEscaped = false
  let seen = 0
  let hasEnded = false
  for await (const { bytes } of filePieces(file, signal)) {
    for (const byte of bytes) {
      const isSpace = byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a
      if (hasEnded) {
        if (!isSpace) return true
        continue
      }
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (byte === 0x5c) isEscaped = true
        else if (byte === 0x22) inString = false
      } else if (byte === 0x22) inString = true
      else if (byte === 0x7b || byte === 0x5b) depth++
      else if (byte === 0x7d || byte === 0x5d) depth--
      if (byte === 0x0a && seen > 0) {
        if (depth !== 0 || inString) return false
        hasEnded = true
      }
      if (!isSpace && ++seen > MOST_VALUE_BYTES) return false
    }
  }
  return false
}
