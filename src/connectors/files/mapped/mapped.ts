/** Importers of any CSV or NDJSON file, by a mapping of its columns or fields. */
import { ServiceError } from '../../../core/errors.ts'
import { headText, otherText } from '../bytes/text-encoding.ts'
import { csvRows, looksLikeTable } from '../csv/reader.ts'
import type { ImportContext, ImportFile } from '../importer.ts'
import { ownIdFor } from '../items/ids.ts'
import { jsonRecords } from '../json/records.ts'
import { type RecordImport, recordImporter } from '../records/import.ts'
import { type Conventions, type RowTexts, settledConventions } from './conventions.ts'
import { fieldReader } from './fields.ts'
import { type TableHeader, tableHeader } from './header.ts'
import { type ColumnMapping, type MappingTarget, NO_MAPPING } from './mapping.ts'
import { MappedRows } from './rows.ts'

/** Reads a table with a header; each row is a record. Without a mapping, the file is refused with an error that names its columns. */
export const mappedCsv = recordImporter({
  format: 'csv',
  title: 'any CSV file, with a mapping of its columns',
  recognises(head) {
    // accepts other encodings as well: reading the file then reports what is wrong
    const text = headText(head) ?? otherText(head)
    if (text === undefined || /^\s*[<{[]/.test(text)) return false
    return looksLikeTable(Buffer.from(text))
  },
  steps: csvSteps,
})

/** Reads one object per line, or a list of objects; each object is a record. `body.time` names a field inside another one. */
export const mappedNdjson = recordImporter({
  format: 'ndjson',
  title: 'any NDJSON file, with a mapping of its fields',
  recognises: head => /^\s*\[?\s*\{\s*"/.test(headText(head) ?? ''),
  steps: ndjsonSteps,
})

async function* csvSteps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncGenerator<number> {
  const header = await tableHeader(file, context.mapping ?? NO_MAPPING, context.signal)
  let rows: MappedRows | undefined
  for await (const { rows: read, bytesRead, separator } of csvRows(file, context.signal)) {
    for (const { cells, line } of read) {
      if (line <= header.line) continue
      rows ??= mappedRows(
        context,
        importing,
        await settledConventions(
          csvTexts(file, context, header),
          context.dateOrder,
          separator === ',' ? 'point' : null,
        ),
      )
      addRow(rows, importing, header, cells, `line ${line}`)
    }
    yield bytesRead
  }
}

function addRow(
  rows: MappedRows,
  importing: RecordImport,
  { columns, width }: TableHeader,
  cells: readonly string[] | null,
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
  const mapping = fieldMapping(context)
  let rows: MappedRows | undefined
  for await (const { records, bytesRead } of jsonRecords(file, null, context.signal)) {
    for (const record of records) {
      const cell = record.kind === 'broken' ? undefined : fieldReader(record.value, mapping)
      if (cell === undefined) {
        importing.records++
        importing.skip('a line is not a JSON object', record.place)
        continue
      }
      rows ??= mappedRows(
        context,
        importing,
        await settledConventions(ndjsonTexts(file, context, mapping), context.dateOrder, 'point'),
      )
      rows.add(cell, record.place)
    }
    yield bytesRead
  }
}

/** Returns the reader of the rows, and reports the order of their dates. */
function mappedRows(context: ImportContext, importing: RecordImport, conventions: Conventions): MappedRows {
  importing.reportDateOrder(conventions.choice)
  const mapping = context.mapping ?? NO_MAPPING
  const idOf = (id: string): string => ownIdFor(context.userId, id)
  return new MappedRows({ ...conventions, mapping, zone: mapping.timeZone ?? context.timeZone, idOf, importing })
}

/** Returns the mapping of fields. Throws ServiceError `invalid_request` without one. */
function fieldMapping({ mapping }: ImportContext): ColumnMapping {
  if (mapping !== null && Object.keys(mapping.columns).length > 0) return mapping
  throw new ServiceError('invalid_request', 'The file is JSON in no known format, so its fields must be mapped.', {
    suggestions: ['For example: --map start=time --map value=reading.value --resource steps --unit count'],
  })
}

const TIMES = ['start', 'date', 'end'] as const
const NUMBERS = ['value', 'systolic', 'diastolic'] as const

/** Yields the times and numbers of a table, those of several rows at once because each step of an async generator costs time. */
async function* csvTexts(
  file: ImportFile,
  context: ImportContext,
  { columns, line: headerLine }: TableHeader,
): AsyncGenerator<readonly RowTexts[]> {
  const placesOf = (targets: readonly MappingTarget[]): number[] => targets.flatMap(each => columns.get(each) ?? [])
  const [times, numbers] = [placesOf(TIMES), placesOf(NUMBERS)]
  const texts = (cells: readonly string[], places: readonly number[]): string[] =>
    places.map(place => cells[place] ?? '')
  for await (const { rows } of csvRows(file, context.signal)) {
    yield rows.flatMap(({ cells, line }) =>
      cells === null || line <= headerLine
        ? []
        : [{ times: texts(cells, times), numbers: texts(cells, numbers), place: `line ${line}` }],
    )
  }
}

/** Yields the times of the objects. Their numbers need no check, because JSON has a decimal point. */
async function* ndjsonTexts(
  file: ImportFile,
  context: ImportContext,
  mapping: ColumnMapping,
): AsyncGenerator<readonly RowTexts[]> {
  for await (const { records } of jsonRecords(file, null, context.signal)) {
    yield records.flatMap(record => {
      const cell = record.kind === 'broken' ? undefined : fieldReader(record.value, mapping)
      return cell === undefined
        ? []
        : [{ times: TIMES.map(target => cell(target) ?? ''), numbers: [], place: record.place }]
    })
  }
}
