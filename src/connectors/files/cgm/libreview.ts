/** The importer of LibreView exports: a CSV with a title line, a header in the account's language, and one row a record. */
import { ServiceError } from '../../../core/errors.ts'
import { headText } from '../bytes/text-encoding.ts'
import { DateOrderEvidence } from '../csv/date.ts'
import { type CsvRow, csvRows, separatorOf } from '../csv/reader.ts'
import type { DateOrder, ImportContext, Importer, ImportFile, ImportItem } from '../importer.ts'
import { importItems, RecordImport } from '../records/import.ts'
import { type LibreColumns, libreColumns } from './libreview-columns.ts'
import { LibreRecords } from './libreview-records.ts'

/** The header is one of the first lines: above it stand a title with the person's name, and maybe a blank line. */
const MOST_TITLE_ROWS = 10

/**
 * Glucose by record type (`automatic`, `manual_scan`, `fingerprick`), insulin, carbohydrates and notes. The dates are `31-12` or
 * `12-31`: the whole file is looked through for the order before anything is stored.
 */
export const libreview: Importer = {
  format: 'libreview',
  title: 'LibreView export (CSV)',
  recognises,
  read,
}

function recognises(head: Uint8Array): boolean {
  const text = headText(head)
  if (text === undefined || /^\s*[<{[]/.test(text)) return false
  const separator = separatorOf(head)
  const lines = text.split(/\r\n|\n|\r/, MOST_TITLE_ROWS)
  return lines.some(line => libreColumns(line.split(separator).map(cell => cell.replaceAll('"', ''))) !== undefined)
}

function read(file: ImportFile, context: ImportContext): AsyncIterable<ImportItem> {
  const importing = new RecordImport(context, { provider: 'abbott_libreview', sourceType: 'automatic' })
  return importItems(importing, context, steps(file, context, importing))
}

async function* steps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncGenerator<number> {
  const order = await dateOrderOf(file, context)
  let records: LibreRecords | undefined
  for await (const { row, columns, bytesRead } of dataRows(file, context)) {
    records ??= new LibreRecords({ columns, order, zone: context.timeZone, importing })
    if (row === undefined) yield bytesRead
    else records.add(row)
  }
}

/** A first pass over the file, which ends where the second will break off too. */
async function dateOrderOf(file: ImportFile, context: ImportContext): Promise<DateOrder> {
  const evidence = new DateOrderEvidence()
  try {
    for await (const { row, columns } of dataRows(file, context)) {
      const text = row?.cells?.[columns.time]
      if (text !== undefined) evidence.see(text, `line ${(row as CsvRow).line}`)
    }
  } catch (error) {
    // a damaged file is read to its damage again, and that says what is wrong with it
    if (!(error instanceof ServiceError) || error.code !== 'invalid_file') throw error
  }
  return evidence.settle(context.dateOrder)
}

interface DataRow {
  /** Undefined after the rows of a piece. */
  readonly row: CsvRow | undefined
  readonly columns: LibreColumns
  readonly bytesRead: number
}

/** The rows under the header. Throws ServiceError `invalid_file` where there is none. */
async function* dataRows(file: ImportFile, context: ImportContext): AsyncGenerator<DataRow> {
  let columns: LibreColumns | undefined
  let titleRows = 0
  for await (const { rows, bytesRead } of csvRows(file, context.signal)) {
    for (const row of rows) {
      if (columns !== undefined) {
        yield { row, columns, bytesRead }
        continue
      }
      columns = libreColumns(row.cells ?? [])
      if (columns === undefined && ++titleRows > MOST_TITLE_ROWS) throw noHeader()
    }
    if (columns !== undefined) yield { row: undefined, columns, bytesRead }
  }
  if (columns === undefined) throw noHeader()
}

function noHeader(): ServiceError {
  return new ServiceError(
    'invalid_file',
    'The file is not a LibreView export: none of its first lines names the columns Device Timestamp, Record Type and ' +
      'Historic Glucose with its unit, mg/dL or mmol/L.',
  )
}
