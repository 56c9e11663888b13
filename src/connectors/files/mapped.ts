/** The importers of any CSV or NDJSON by a mapping of its columns or fields. */
import { ServiceError } from '../../core/errors.ts'
import { csvRows, separatorOf } from './csv-reader.ts'
import type { ImportContext, Importer, ImportFile, ImportItem } from './importer.ts'
import { jsonRecords } from './json-records.ts'
import { mappedColumns, noMapping } from './mapped-columns.ts'
import { fieldReader } from './mapped-fields.ts'
import { type RowTimes, settledOrder } from './mapped-order.ts'
import { MappedRows } from './mapped-rows.ts'
import type { ColumnMapping, MappingTarget } from './mapping.ts'
import { importItems, RecordImport } from './record-import.ts'
import { headText } from './text-encoding.ts'

/** A table with a header; rows are records. Without a mapping it is refused with the names of its columns. */
export const mappedCsv: Importer = {
  format: 'csv',
  title: 'any CSV, by a mapping of its columns',
  recognises(head) {
    const text = headText(head)
    if (text === undefined || /^\s*[<{[]/.test(text)) return false
    const separator = separatorOf(head)
    return text.split(/\r\n|\n|\r/, 1).some(line => line.includes(separator))
  },
  read(file, context) {
    const importing = new RecordImport(context, { provider: 'manual', sourceType: 'unknown' })
    return importItems(importing, context, csvSteps(file, context, importing))
  },
}

/** An object a line, or a list of objects; each is a record. A field inside of another is `body.time`. */
export const mappedNdjson: Importer = {
  format: 'ndjson',
  title: 'any NDJSON, by a mapping of its fields',
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
        order: await settledOrder(csvTimes(file, context, columns), context.dateOrder),
        decimalComma: separator !== ',',
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
  if (cells !== null && cells.length <= width) {
    rows.add(target => cells[columns.get(target) ?? -1] ?? '', place)
    return
  }
  importing.records++
  importing.skip(
    cells === null ? 'a row has quotes that cannot be read' : 'a row has more cells than the header',
    place,
  )
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
        order: await settledOrder(ndjsonTimes(file, context, mapping), context.dateOrder),
        decimalComma: false,
      })
      rows.add(cell, record.place)
    }
    yield bytesRead
  }
}

function readingOf(
  context: ImportContext,
  importing: RecordImport,
): { mapping: ColumnMapping; zone: string | null; importing: RecordImport } {
  const mapping = context.mapping as ColumnMapping
  return { mapping, zone: mapping.timeZone ?? context.timeZone, importing }
}

/** `header` null: there is none to name. */
function mappingOf(context: ImportContext, header: readonly string[] | null): ColumnMapping {
  const { mapping } = context
  if (mapping !== null && (header !== null || Object.keys(mapping.columns).length > 0)) return mapping
  if (header !== null) throw noMapping(header)
  throw new ServiceError('invalid_request', 'The file is JSON of no known format, so its fields must be named.', {
    suggestions: ['For instance: --map start=time --map value=reading.value --resource steps --unit count'],
  })
}

/** What the times of a table say, a row at a time. */
async function* csvTimes(
  file: ImportFile,
  context: ImportContext,
  columns: ReadonlyMap<MappingTarget, number>,
): AsyncGenerator<RowTimes> {
  const places = (['start', 'end'] as const).flatMap(target => columns.get(target) ?? [])
  let isHeader = true
  for await (const { rows } of csvRows(file, context.signal)) {
    for (const { cells, line } of rows) {
      if (!isHeader && cells !== null) yield { texts: places.map(place => cells[place] ?? ''), line }
      isHeader = false
    }
  }
}

async function* ndjsonTimes(
  file: ImportFile,
  context: ImportContext,
  mapping: ColumnMapping,
): AsyncGenerator<RowTimes> {
  for await (const { records } of jsonRecords(file, null, context.signal)) {
    for (const record of records) {
      const cell = record.kind === 'broken' ? undefined : fieldReader(record.value, mapping)
      const line = Number(/\d+$/.exec(record.place)?.[0])
      if (cell !== undefined) yield { texts: [cell('start') ?? '', cell('end') ?? ''], line }
    }
  }
}
