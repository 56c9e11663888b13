/** Imports lines of items (see lines.ts): each line is one record, which is stored or skipped with a reason. */
import { isUtf8 } from 'node:buffer'
import { asObject, type JsonObject } from '../../shared/json-fields.ts'
import { fileLines } from '../bytes/file-lines.ts'
import type { ImportFile } from '../importer.ts'
import type { RecordImport } from '../records/import.ts'
import type { Item, ItemReading } from './item.ts'
import { parseItem } from './parser.ts'
import { itemTimeProblem } from './times.ts'

/** Handles a non-empty line. The argument is undefined for a damaged line. */
export type LineTaker = (value: JsonObject | undefined, number: number) => void

/** Handles a file's lines one by one, and yields the number of bytes read. Throws the same errors as `fileLines`. */
export async function* takenLines(
  file: ImportFile,
  lineBytes: number,
  signal: AbortSignal | undefined,
  take: LineTaker,
): AsyncGenerator<number> {
  for await (const { lines, first, bytesRead } of fileLines(file, { lineBytes }, signal)) {
    for (const [i, line] of lines.entries()) {
      const value = parseLine(line)
      if (value !== null) take(value, first + i)
    }
    yield bytesRead
  }
}

/** Adds the item in a line. `problemOf` returns the problem with the item's source, as a text that follows the item's name. */
export function addItem(
  importing: RecordImport,
  value: JsonObject | undefined,
  line: number,
  reading: ItemReading,
  problemOf: (item: Item) => { readonly problem: string } | undefined,
): void {
  const position = `line ${line}`
  importing.records++
  if (value === undefined) {
    importing.skip('a line is not a JSON object', position)
    return
  }
  const item = parseItem(value, reading)
  if (item.kind === 'wrong') {
    const [issue] = item.issues
    const what = [issue?.path[0], issue?.msg].join(' ').trim()
    importing.skip(`${itemName(value)} is not valid: ${what}`, position)
    return
  }
  const problem = problemOf(item)?.problem ?? documentProblem(importing, item)
  if (problem !== undefined) importing.skip(`${itemName(value)} ${problem}`, position)
  else if (item.kind === 'sample') importing.addTo(item.series, item.sample, 'a sample', position)
  else importing.addItem(item)
}

function documentProblem({ context }: RecordImport, item: Item): string | undefined {
  if (item.kind === 'sample') return undefined
  const timeProblem = itemTimeProblem(item, context.now)?.problem
  return timeProblem ?? (item.kind === 'summary' ? context.documentProblem(item.summary) : undefined)
}

/**
 * Returns the object in a line, which may start with a byte order mark. Returns null for an empty line, and undefined if the line is not an
 * object.
 */
function parseLine(bytes: Buffer): JsonObject | null | undefined {
  const text = bytes.toString('utf8', bytes[0] === 0xef && bytes[1] === 0xbb ? 3 : 0)
  try {
    return asObject(isUtf8(bytes) ? JSON.parse(text) : undefined)
  } catch {
    return text.trim() === '' ? null : undefined
  }
}

function itemName(value: JsonObject): string {
  if ('summary' in value) return 'a summary'
  return 'stream' in value ? 'a stream' : 'a sample'
}
