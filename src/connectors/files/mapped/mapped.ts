/** Importers of any CSV or NDJSON file, by a mapping of its columns or fields. */
import { ServiceError } from '../../../core/errors.ts'
import { headText, otherText } from '../bytes/text-encoding.ts'
import { csvRows, separatorOf } from '../csv/reader.ts'
import type { ImportContext, Importer, ImportFile, ImportItem } from '../importer.ts'
import { ownIdFor } from '../items/ids.ts'
import { jsonRecords } from '../json/records.ts'
import { importItems, RecordImport } from '../records/import.ts'
import { mappedColumns, noMapping } from './columns.ts'
import { type RowTexts, settledConventions } from './conventions.ts'
import { fieldReader } from './fields.ts'
import type { ColumnMapping, MappingTarget } from './mapping.ts'
import { MappedRows, type RowReading } from './rows.ts'

/** Reads a table with a header; each row is a record. Without a mapping, the file is refused with an error that names its columns. */
export const mappedCsv: Importer = {
  format: 'csv',
  title: 'any CSV file, with a mapping of its columns',
  recognises(head) {
    // accepts other encodings as well: reading the file then reports what is wrong
    const text = headText(head) ?? otherText(head)
    if (text === undefined || /^\s*[<{[]/.test(text)) return false
    const separator = separatorOf(Buffer.from(text))
    return text.split(/\r\n|\n|\r/, 1).some(line => line.includes(separator))
  },
  read(file, context) {
    const importing = new RecordImport(context, { provider: 'manual', sourceType: 'unknown' })
    return importItems(importing, context, csvSteps(file, context, importing))
  },
}

/** Reads one object per line, or a list of objects; each object is a record. `body.time` names a field inside another one. */
export const mappedNdjson: Importer = {
  format: 'ndjson',
  title: 'any NDJSON file, with a mapping of its fields',
  recognises: head => /^\s*\[?\s*\{\s*"/.test(headText(head) ?? ''),
  read(file: ImportFile, context: ImportContext): AsyncIterable<ImportItem> {
    const importing = new RecordImport(context, { provider: 'manual', sourceType: 'unknown' })
    return importItems(importing, context, ndjsonSteps(file, context, importing))
  },
}

async function* csvSteps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncGenerator<number> {
  let columns: ReadonlyMap<MappingTarget, number> | undefined
  let width = 0
  let rows: MappedRows | undefined
  for await (const { rows: read, bytesRead, separator } of csvRows(file, context.signal)) {
    for (const { cells, line } of read) {
      if (columns === undefined) {
        columns = mappedColumns(mappingOf(context, cells ?? []), cells ?? [])
        width = cells?.length ?? 0
        continue
      }
      rows ??= new MappedRows({
        ...readingOf(context, importing),
        ...(await settledConventions(
          csvTexts(file, context, columns),
          context.dateOrder,
          separator === ',' ? 'point' : null,
        )),
      })
      addRow(rows, importing, columns, cells, width, `line ${line}`)
    }
    yield bytesRead
  }
}

function addRow(
  rows: MappedRows,
  importing: RecordImport,
  columns: ReadonlyMap<MappingTarget, number>,
  cells: readonly string[] | null,
  width: number,
  place: string,
): void {
  // some programs end every row with a separator
  if (cells?.slice(width).every(cell => cell.trim() === '')) {
    rows.add(target => cells[columns.get(target) ?? -1] ?? '', place)
    return
  }
  importing.records++
  importing.skip(cells === null ? 'a row has misplaced quotes' : 'a row has more cells than the header', place)
}

async function* ndjsonSteps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncGenerator<number> {
  const mapping = mappingOf(context, null)
  let rows: MappedRows | undefined
  for await (const { records, bytesRead } of jsonRecords(file, null, context.signal)) {
    for (const record of records) {
      const cell = record.kind === 'broken' ? undefined : fieldReader(record.value, mapping)
      if (cell === undefined) {
        importing.records++
        importing.skip('a line is not a JSON object', record.place)
        continue
      }
      rows ??= new MappedRows({
        ...readingOf(context, importing),
        ...(await settledConventions(ndjsonTexts(file, context, mapping), context.dateOrder, 'point')),
      })
      rows.add(cell, record.place)
    }
    yield bytesRead
  }
}

function readingOf(
  context: ImportContext,
  importing: RecordImport,
): Pick<RowReading, 'mapping' | 'zone' | 'idOf' | 'importing'> {
  const mapping = context.mapping as ColumnMapping
  const idOf = (id: string): string => ownIdFor(context.userId, id)
  return { mapping, zone: mapping.timeZone ?? context.timeZone, idOf, importing }
}

/** `header` is null for files without one. */
function mappingOf(context: ImportContext, header: readonly string[] | null): ColumnMapping {
  const { mapping } = context
  if (mapping !== null && (header !== null || Object.keys(mapping.columns).length > 0)) return mapping
  if (header !== null) throw noMapping(header)
  throw new ServiceError('invalid_request', 'The file is JSON in no known format, so its fields must be mapped.', {
    suggestions: ['For example: --map start=time --map value=reading.value --resource steps --unit count'],
  })
}

const TIMES = ['start', 'end'] as const
const NUMBERS = ['value', 'systolic', 'diastolic'] as const

/** Yields the times and numbers of a table, row by row. */
async function* csvTexts(
  file: ImportFile,
  context: ImportContext,
  columns: ReadonlyMap<MappingTarget, number>,
): AsyncGenerator<RowTexts> {
  const [times, numbers] = [TIMES, NUMBERS].map(targets => targets.flatMap(target => columns.get(target) ?? []))
  const texts = (cells: readonly string[], places: readonly number[] = []): string[] =>
    places.map(place => cells[place] ?? '')
  let isHeader = true
  for await (const { rows } of csvRows(file, context.signal)) {
    for (const { cells, line } of rows) {
      if (!isHeader && cells !== null) {
        yield { times: texts(cells, times), numbers: texts(cells, numbers), place: `line ${line}` }
      }
      isHeader = false
    }
  }
}

/** Yields the times of the objects. Their numbers need no check, because JSON has a decimal point. */
async function* ndjsonTexts(
  file: ImportFile,
  context: ImportContext,
  mapping: ColumnMapping,
): AsyncGenerator<RowTexts> {
  for await (const { records } of jsonRecords(file, null, context.signal)) {
    for (const record of records) {
      const cell = record.kind === 'broken' ? undefined : fieldReader(record.value, mapping)
      if (cell !== undefined) yield { times: TIMES.map(target => cell(target) ?? ''), numbers: [], place: record.place }
    }
  }
}
